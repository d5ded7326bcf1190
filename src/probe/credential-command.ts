import { execFile } from 'node:child_process'
import type { ExecFileException } from 'node:child_process'
import { systemClock } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { SloError } from '../errors.ts'
import type { AuthCommand } from '../spec/types.ts'
import { isSensitive, Secrets } from './secrets.ts'

/** Longest that a command may take, milliseconds. */
const COMMAND_MS = 60_000
/** A token was there before: so long the command is tried again, or for one `every` where that is shorter. */
const PATIENCE_MS = 120_000
/** The pauses between these tries, as shares of the patience. */
const PAUSES = [1, 4, 15, 40, 60].map((seconds) => (seconds * 1000) / PATIENCE_MS)
const OUTPUT_BYTES = 64 * 1024
/** Characters of what it says on stderr that are shown. */
const SAID = 300
const WHY = 400

interface Token {
  readonly value: string
  /** By the clock's `now()`. */
  readonly since: number
  /** It was refused: it is never sent again, unless the command prints it anew. */
  spent: boolean
}

/** So many earlier tokens of a command stay secrets: an answer may still hold one. */
const REMEMBERED = 3

type Result = { readonly output: string } | { readonly why: string }

const NOT_STARTED: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program (ENOENT)',
  EACCES: 'the program may not be run (EACCES)',
  ERR_CHILD_PROCESS_STDIO_MAXBUFFER: `it printed more than ${OUTPUT_BYTES / 1024} KiB`,
}

function reasonOf(error: ExecFileException, limitMs: number): string {
  const { code, killed, signal } = error
  if (typeof code === 'number') return `exit code ${code}`
  if (typeof code === 'string') return NOT_STARTED[code] ?? code
  return killed === true ? `not done within ${limitMs / 1000} s` : `ended by ${signal ?? 'a signal'}`
}

/** What a command says on stderr, without what it printed on stdout or what it was given in the environment. */
function said(stderr: string, stdout: string): string {
  const secrets = new Secrets({ sparesWords: false })
  for (const word of stdout.split(/\s+/)) secrets.add(word)
  for (const [name, value = ''] of Object.entries(process.env)) if (isSensitive(name)) secrets.add(value)
  const text = secrets.scrub(stderr, SAID)
  return text === '' ? '' : `: ${text}`
}

/** The output of a command, or why there is none; never what it printed on stdout. */
async function run({ command }: AuthCommand, limitMs: number, signal: AbortSignal): Promise<Result> {
  const [program = '', ...args] = command
  return await new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      {
        encoding: 'utf8',
        timeout: limitMs,
        maxBuffer: OUTPUT_BYTES,
        signal,
        killSignal: 'SIGKILL',
        windowsHide: true,
      },
      (error, stdout, stderr) => {
        const output = stdout.trim()
        if (error !== null) resolve({ why: `${reasonOf(error, limitMs)}${said(stderr, stdout)}` })
        else if (output === '') resolve({ why: `it printed nothing${said(stderr, stdout)}` })
        else if (/[^\u0021-\u007E]/.test(output)) resolve({ why: 'it printed more than one word of plain characters' })
        else resolve({ output })
      },
    )
    // nobody will answer what it asks
    child.stdin?.on('error', () => {}).end()
  })
}

/** How commands are waited for. */
export interface CommandPatience {
  /** @default a minute */
  readonly limitMs?: number
  /** Tells the age of tokens, sleeps between two tries. @default the system's */
  readonly clock?: Pick<Clock, 'now' | 'sleep'>
}

/**
 * Bearer tokens from commands, by their words. Asked for before a request's clock starts; what is printed is a secret like any
 * other. A token outlives a command that fails for one more `every`, unless the provider refused it; then the command is tried again
 * for two minutes, or one `every` if that is shorter. So a hiccup of a token service ends no night, and none is sent what is known to
 * be refused.
 */
export class CredentialCommands {
  readonly #tokens = new Map<string, Token>()
  readonly #earlier = new Map<string, string[]>()
  readonly #running = new Map<string, Promise<string>>()
  readonly #secrets: Secrets
  readonly #limitMs: number
  readonly #clock: Pick<Clock, 'now' | 'sleep'>

  constructor(secrets: Secrets, { limitMs = COMMAND_MS, clock = systemClock }: CommandPatience = {}) {
    this.#secrets = secrets
    this.#limitMs = limitMs
    this.#clock = clock
  }

  /** @throws SloError `CREDENTIAL_FAILED` where the command gives no token, and an earlier one is too old or was refused */
  async token(auth: AuthCommand, signal: AbortSignal): Promise<string> {
    const key = JSON.stringify(auth.command)
    const known = this.#tokens.get(key)
    if (known !== undefined && !known.spent && this.#clock.now() - known.since < auth.everyMs) return known.value
    const running = this.#running.get(key) ?? this.#renew(key, auth, signal)
    this.#running.set(key, running)
    try {
      return await running
    } finally {
      this.#running.delete(key)
    }
  }

  /** A provider refused this token: it is not used again, however young. */
  refused(auth: AuthCommand): void {
    const token = this.#tokens.get(JSON.stringify(auth.command))
    if (token !== undefined) token.spent = true
  }

  async #renew(key: string, auth: AuthCommand, signal: AbortSignal): Promise<string> {
    const known = this.#tokens.get(key)
    let result = await run(auth, this.#limitMs, signal)
    if ('why' in result && known !== undefined) {
      if (!known.spent && this.#clock.now() - known.since < 2 * auth.everyMs) return known.value
      result = await this.#runAgain(auth, result, signal)
    }
    if ('why' in result) {
      const [program = ''] = auth.command
      const why = this.#secrets.scrub(result.why, WHY)
      throw new SloError('CREDENTIAL_FAILED', `the auth command ${JSON.stringify(program)} gave no token: ${why}`, {
        hint: 'run it by hand in the same environment; it prints the token alone on stdout, and asks nothing',
      })
    }
    this.#secrets.add(result.output)
    if (known !== undefined && known.value !== result.output) this.#retire(key, known.value)
    this.#tokens.set(key, { value: result.output, since: this.#clock.now(), spent: false })
    return result.output
  }

  async #runAgain(auth: AuthCommand, failed: Result, signal: AbortSignal): Promise<Result> {
    let result = failed
    const patienceMs = Math.min(PATIENCE_MS, auth.everyMs)
    for (const share of PAUSES) {
      await this.#clock.sleep(share * patienceMs, signal)
      result = await run(auth, this.#limitMs, signal)
      if ('output' in result) break
    }
    return result
  }

  #retire(key: string, value: string): void {
    const earlier = [...(this.#earlier.get(key) ?? []), value]
    for (const old of earlier.splice(0, earlier.length - REMEMBERED)) this.#secrets.forget(old)
    this.#earlier.set(key, earlier)
  }
}
