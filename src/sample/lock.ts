import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

import type { Clock } from '../clock.ts'
import { SloError } from '../errors.ts'
import { formatMs, isoTime } from '../units.ts'
import { writeFailed } from './append-file.ts'
import { isRunning, ownIdentity } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'

/** What a lock file holds, as JSON. */
interface LockHolder extends ProcessIdentity {
  /** Told apart from every other taking of a lock. */
  readonly token: string
  /** UTC, rewritten every {@link HEARTBEAT_MS}. */
  readonly heartbeat: string
}

export interface LockOptions {
  readonly clock: Clock
  /** Milliseconds between heartbeats. @default 10000 */
  readonly heartbeatMs?: number | undefined
}

/** Somebody who held the lock before and is gone. */
export interface FormerHolder {
  readonly pid: number | null
  readonly host: string | null
  readonly heartbeat: string | null
}

const HEARTBEAT_MS = 10_000
/** Beats that may be missing before a holder whom nobody can look up counts as gone. */
const BEATS_MISSED = 6
/** How often a lock file that is being written is read again, 20 ms apart. */
const READS_OF_UNFINISHED = 10

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function parseHolder(text: string): LockHolder | null {
  try {
    const value = JSON.parse(text) as Partial<LockHolder> | null
    if (typeof value?.token !== 'string' || !/^[\w-]+$/.test(value.token)) return null
    if (typeof value.pid !== 'number' || typeof value.host !== 'string' || typeof value.heartbeat !== 'string')
      return null
    const { token, pid, host, heartbeat, scope = '', started = null } = value
    return { token, pid, host, heartbeat, scope, started }
  } catch {
    return null
  }
}

/** `undefined`: no lock file; `null`: one that holds nothing readable (yet). */
function readHolder(path: string): LockHolder | null | undefined {
  try {
    return parseHolder(readFileSync(path, 'utf8'))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/**
 * The right to write `samples.csv`, as a file that only one process can create. One that a dead process left is taken over: whoever
 * creates `LOCK.TOKEN`, TOKEN being the dead holder's, may put that file in its place, and nobody else may. So of any number of
 * processes that find the same stale lock one wins, and one that comes late finds another token.
 */
export class Lock {
  readonly #path: string
  #file: number
  readonly #holder: LockHolder
  readonly #clock: Clock
  readonly #timer: NodeJS.Timeout

  private constructor(path: string, file: number, holder: LockHolder, options: LockOptions) {
    this.#path = path
    this.#file = file
    this.#holder = holder
    this.#clock = options.clock
    this.#timer = setInterval(() => this.#beat(), options.heartbeatMs ?? HEARTBEAT_MS).unref()
  }

  /**
   * @returns the lock, and who held it before if it was taken over
   * @throws SloError `SAMPLES_LOCKED`, `SAMPLES_WRITE_FAILED`
   */
  static async take(
    path: string,
    options: LockOptions,
  ): Promise<{ readonly lock: Lock; readonly former: FormerHolder | null }> {
    const holder = { ...ownIdentity(), token: randomBytes(8).toString('hex'), heartbeat: isoTime(options.clock.wall()) }
    try {
      const taken = await acquire(path, path, holder, options)
      return { lock: new Lock(path, taken.file, holder, options), former: taken.former }
    } catch (error) {
      throw writeFailed(path, error)
    }
  }

  /**
   * Whether it is still ours, to be asked before each write: a process that was stopped for long may have lost it.
   * One that was removed is put back.
   * @throws SloError `SAMPLES_LOCKED`, `SAMPLES_WRITE_FAILED`
   */
  check(): void {
    try {
      this.#check()
    } catch (error) {
      throw writeFailed(this.#path, error)
    }
  }

  #check(): void {
    let found = readHolder(this.#path)
    if (found === undefined) {
      // Somebody tidied up: no reason to end a run, unless yet another process was quicker.
      const file = create(this.#path, this.#holder)
      if (file !== null) {
        closeSync(this.#file)
        this.#file = file
        return
      }
      found = readHolder(this.#path)
    }
    if (found?.token === this.#holder.token) return
    const by = found === null || found === undefined ? 'another process' : nameOf(found)
    throw new SloError('SAMPLES_LOCKED', `${this.#path} was taken over by ${by} while this run was writing`, {
      hint: 'let one run at a time write to a folder; the run goes on where it stopped when it is started again',
      facts: { file: this.#path, pid: found?.pid ?? null, host: found?.host ?? null },
    })
  }

  /** Gives it back, if it is still ours. */
  release(): void {
    clearInterval(this.#timer)
    closeSync(this.#file)
    try {
      if (readHolder(this.#path)?.token === this.#holder.token) rmSync(this.#path, { force: true })
    } catch {
      // One that cannot be removed is stale once we are gone, and taken over.
    }
  }

  /** Into our own file, wherever it is by now: never into a successor's. */
  #beat(): void {
    try {
      writeSync(this.#file, contentOf({ ...this.#holder, heartbeat: isoTime(this.#clock.wall()) }), 0)
    } catch {
      // A full disk costs a heartbeat, which only those who cannot look up our pid need.
    }
  }
}

/** Always as long as before, so that a heartbeat is one write in place. */
function contentOf(holder: LockHolder): string {
  return `${JSON.stringify(holder)}\n`
}

function nameOf(holder: ProcessIdentity): string {
  return `process ${holder.pid} on ${holder.host}`
}

/** An open file that only we can have created, or `null` where it exists. */
function create(path: string, holder: LockHolder): number | null {
  let file: number
  try {
    file = openSync(path, 'wx')
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return null
    throw error
  }
  try {
    writeSync(file, contentOf(holder))
    return file
  } catch (error) {
    closeSync(file)
    rmSync(path, { force: true })
    throw error
  }
}

async function readWhole(path: string): Promise<LockHolder | null | undefined> {
  for (let reads = 1; ; reads += 1) {
    const holder = readHolder(path)
    if (holder !== null || reads >= READS_OF_UNFINISHED) return holder
    await delay(20)
  }
}

function isGone(path: string, holder: LockHolder | null, own: LockHolder, options: LockOptions): boolean {
  const running = holder === null ? null : isRunning(holder, own)
  if (running !== null) return !running
  const beat =
    holder === null ? (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) : Date.parse(holder.heartbeat)
  // An unreadable time (NaN) is an old one.
  return !(options.clock.wall() - beat <= BEATS_MISSED * (options.heartbeatMs ?? HEARTBEAT_MS))
}

function locked(path: string, holder: LockHolder | null, wallMs: number): SloError {
  const age = holder === null ? Number.NaN : wallMs - Date.parse(holder.heartbeat)
  const sign = Number.isFinite(age) ? `, last sign of life ${formatMs(Math.max(0, age))} ago` : ''
  return new SloError(
    'SAMPLES_LOCKED',
    `${path}: ${holder === null ? 'another process' : nameOf(holder)} is writing samples here${sign}`,
    {
      hint: `wait for that run to end, or write elsewhere (SLO_OUT=other-folder); if there is no such process, remove ${path}`,
      facts: { file: path, pid: holder?.pid ?? null, host: holder?.host ?? null, heartbeat: holder?.heartbeat ?? null },
    },
  )
}

/** @param shown - the lock that people know, for errors */
async function acquire(
  path: string,
  shown: string,
  own: LockHolder,
  options: LockOptions,
): Promise<{ readonly file: number; readonly former: FormerHolder | null }> {
  for (;;) {
    const file = create(path, own)
    if (file !== null) return { file, former: null }
    const holder = await readWhole(path)
    if (holder === undefined) continue
    if (!isGone(path, holder, own, options)) throw locked(shown, holder, options.clock.wall())
    const token = holder?.token ?? 'unreadable'
    const succession = `${path}.${token}`
    const taken = await acquire(succession, shown, own, options)
    const still = readHolder(path)
    if (still !== undefined && (still?.token ?? 'unreadable') === token) {
      renameSync(succession, path)
      const { pid = null, host = null, heartbeat = null } = holder ?? {}
      return { file: taken.file, former: { pid, host, heartbeat } }
    }
    closeSync(taken.file)
    rmSync(succession, { force: true })
  }
}
