import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'

import type { Clock } from '../clock.ts'
import { AppendFile, writeFailed } from './append-file.ts'
import { encodeRowTo } from './encode-row.ts'
import { Lock } from './lock.ts'
import type { FormerHolder } from './lock.ts'
import { readRunLines, RUNS_FILE } from './read-run-lines.ts'
import type { StoreNote } from './read-run-lines.ts'
import { encodeRunLine } from './run-lines.ts'
import { mendLog, mendSamples } from './mending.ts'
import type { RunLine, Sample } from './types.ts'

/** The name of the samples in a run's folder. */
export const SAMPLES_FILE = 'samples.csv'

export interface StoreOptions {
  readonly clock: Clock
  /** Milliseconds between the lock's heartbeats. @default 10000 */
  readonly heartbeatMs?: number | undefined
}

/** `samples.csv` and `runs.jsonl` of one folder, in the hands of one process. */
export interface SampleStore {
  readonly dir: string
  /** Path of `samples.csv`. */
  readonly file: string
  /** What was found and put right on opening. */
  readonly notes: readonly StoreNote[]
  /** Every sample of the file, of all its runs: those found on opening, then those appended since. */
  rows(): readonly Sample[]
  /** The lines of `runs.jsonl`, those appended since included. */
  runLines(): readonly RunLine[]
  /**
   * Resolves once the row is on disk, whole. After a failure the file holds whole rows only, and every later append fails.
   * @throws SloError `SAMPLES_WRITE_FAILED`, `SAMPLES_LOCKED` where another process took the lock meanwhile
   */
  append(sample: Sample): Promise<void>
  /** As {@link append}, for `runs.jsonl`; the one may fail and the other go on. */
  appendRunLine(line: RunLine): Promise<void>
  /** Gives back the lock. Appends that are under way are finished before; closing twice is no mistake. */
  close(): Promise<void>
}

/** The name of a new file is on disk only when its folder is. Not every system lets a folder be synced. */
async function syncFolder(dir: string): Promise<void> {
  try {
    const handle = await open(dir, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch {
    // Then the folder's entry follows with the system's own flush.
  }
}

function takenOver(former: FormerHolder, file: string): StoreNote {
  const who = former.pid === null ? 'a process that is gone' : `process ${former.pid} on ${former.host}, which is gone`
  const sign = former.heartbeat === null ? '' : ` (last sign of life ${former.heartbeat})`
  return { code: 'lock-taken-over', message: `the lock of ${file} was held by ${who}${sign}, and was taken over` }
}

class Store implements SampleStore {
  readonly dir: string
  readonly file: string
  readonly notes: readonly StoreNote[]
  readonly #lock: Lock
  readonly #csv: AppendFile
  readonly #log: AppendFile
  readonly #samples: Sample[]
  readonly #lines: RunLine[]
  /** Columns of the file's header. */
  readonly #width: number
  #closed: Promise<void> | undefined

  constructor(parts: {
    dir: string
    file: string
    notes: readonly StoreNote[]
    lock: Lock
    csv: AppendFile
    log: AppendFile
    samples: Sample[]
    lines: RunLine[]
    width: number
  }) {
    this.dir = parts.dir
    this.file = parts.file
    this.notes = parts.notes
    this.#lock = parts.lock
    this.#csv = parts.csv
    this.#log = parts.log
    this.#samples = parts.samples
    this.#lines = parts.lines
    this.#width = parts.width
  }

  rows(): readonly Sample[] {
    return this.#samples
  }

  runLines(): readonly RunLine[] {
    return this.#lines
  }

  async append(sample: Sample): Promise<void> {
    const row = encodeRowTo(this.#width, sample)
    this.#lock.check()
    await this.#csv.append(row)
    this.#samples.push(sample)
  }

  async appendRunLine(line: RunLine): Promise<void> {
    this.#lock.check()
    await this.#log.append(encodeRunLine(line))
    this.#lines.push(line)
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    try {
      await Promise.all([this.#csv.close(), this.#log.close()])
    } finally {
      this.#lock.release()
    }
  }
}

/**
 * Opens a folder for writing: makes it, takes its lock, checks header and version, and moves torn last lines aside.
 * @throws SloError `SAMPLES_LOCKED`, `SAMPLES_VERSION`, `SAMPLES_UNREADABLE`, `SAMPLES_WRITE_FAILED`
 */
export async function openSampleStore(dir: string, options: StoreOptions): Promise<SampleStore> {
  const file = join(dir, SAMPLES_FILE)
  try {
    await mkdir(dir, { recursive: true })
  } catch (error) {
    throw writeFailed(dir, error)
  }
  const { lock, former } = await Lock.take(`${file}.lock`, options)
  const opened: AppendFile[] = []
  try {
    const mended = await mendSamples(file)
    const logNotes = await mendLog(join(dir, RUNS_FILE))
    const { lines, notes } = await readRunLines(dir)
    const csv = await AppendFile.open(file)
    opened.push(csv)
    const log = await AppendFile.open(join(dir, RUNS_FILE))
    opened.push(log)
    if (mended.header !== null) await csv.append(mended.header)
    await syncFolder(dir)
    return new Store({
      dir,
      file,
      notes: [...(former === null ? [] : [takenOver(former, file)]), ...mended.notes, ...logNotes, ...notes],
      lock,
      csv,
      log,
      samples: mended.samples,
      lines,
      width: mended.width,
    })
  } catch (error) {
    await Promise.allSettled(opened.map((each) => each.close()))
    lock.release()
    throw writeFailed(file, error)
  }
}
