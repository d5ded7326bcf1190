import { execFile } from 'node:child_process'
import { SloError } from '../errors.ts'
import type { AuthCommand } from '../spec/types.ts'
import type { Secrets } from './secrets.ts'

/** Longest that a command may take, milliseconds. */
const COMMAND_MS = 60_000
const OUTPUT_BYTES = 64 * 1024
/** Characters of what it says on stderr that are shown. */
const SAID = 300

interface Token {
  readonly value: string
  /** `performance.now()` */
  readonly since: number
  /** It was refused: the next request asks for another one. */
  spent: boolean
}

/** So many earlier tokens of a command stay secrets: an answer may still hold one. */
const REMEMBERED = 3

/** The output of a command, or why there is none; never what it printed on stdout. */
async function run(
  { command }: AuthCommand,
  signal: AbortSignal,
): Promise<{ readonly output: string } | { readonly why: string }> {
  const [program = '', ...args] = command
  return await new Promise((resolve) => {
    execFile(
      program,
      args,
      {
        encoding: 'utf8',
        timeout: COMMAND_MS,
        maxBuffer: OUTPUT_BYTES,
        signal,
        killSignal: 'SIGKILL',
        windowsHide: true,
      },
      (error, stdout, stderr) => {
        const output = stdout.trim()
        const said = stderr.trim() === '' ? '' : `: ${stderr.trim().slice(0, SAID)}`
        if (error !== null) {
          const code = error.code === undefined || error.code === null ? 'no exit code' : String(error.code)
          const how =
            error.killed === true
              ? `not done within ${COMMAND_MS} ms`
              : typeof error.code === 'number'
                ? `exit code ${code}`
                : code
          resolve({ why: `${how}${said}` })
        } else if (output === '') resolve({ why: `it printed nothing${said}` })
        else if (/[^\u0021-\u007E]/.test(output)) resolve({ why: 'it printed more than one word of plain characters' })
        else resolve({ output })
      },
    )
  })
}

/**
 * Bearer tokens from commands, by their words. Asked for before a request's clock starts; what is printed is a secret like any
 * other. A token outlives a command that fails for one more `every`, so that a hiccup of a token service ends no night.
 */
export class CredentialCommands {
  readonly #tokens = new Map<string, Token>()
  readonly #earlier = new Map<string, string[]>()
  readonly #running = new Map<string, Promise<string>>()
  readonly #secrets: Secrets

  constructor(secrets: Secrets) {
    this.#secrets = secrets
  }

  /** @throws SloError `PROBER_FAILED` where the command gives no token, and an earlier one is too old */
  async token(auth: AuthCommand, signal: AbortSignal): Promise<string> {
    const key = JSON.stringify(auth.command)
    const known = this.#tokens.get(key)
    if (known !== undefined && !known.spent && performance.now() - known.since < auth.everyMs) return known.value
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
    const result = await run(auth, signal)
    if ('output' in result) {
      this.#secrets.add(result.output)
      if (known !== undefined && known.value !== result.output) this.#retire(key, known.value)
      this.#tokens.set(key, { value: result.output, since: performance.now(), spent: false })
      return result.output
    }
    if (known !== undefined && performance.now() - known.since < 2 * auth.everyMs) return known.value
    const [program = ''] = auth.command
    throw new SloError(
      'PROBER_FAILED',
      this.#secrets.scrub(`the auth command ${program} gave no token: ${result.why}`, 500),
      {
        hint: 'run it by hand in the same environment; it prints the token alone on stdout',
      },
    )
  }

  #retire(key: string, value: string): void {
    const earlier = [...(this.#earlier.get(key) ?? []), value]
    for (const old of earlier.splice(0, earlier.length - REMEMBERED)) this.#secrets.forget(old)
    this.#earlier.set(key, earlier)
  }
}
