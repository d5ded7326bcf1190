import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'

import { messageOf, SloError } from '../errors.ts'

/** The error of a file that could not be written. */
export function writeFailed(file: string, error: unknown): SloError {
  if (error instanceof SloError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : null
  return new SloError('SAMPLES_WRITE_FAILED', `${file} could not be written: ${messageOf(error)}`, {
    hint:
      code === 'ENOSPC' || code === 'EDQUOT'
        ? 'make room on that disk and run again: the run goes on where it stopped'
        : 'see to the file and its folder and run again: the run goes on where it stopped',
    facts: { file, code },
    cause: error,
  })
}

/** A file that only grows, line by line, each whole and on disk before the next: or the file stays as it was, for good. */
export class AppendFile {
  readonly file: string
  readonly #handle: FileHandle
  #failure: SloError | undefined
  #queue: Promise<void> = Promise.resolve()

  private constructor(file: string, handle: FileHandle) {
    this.file = file
    this.#handle = handle
  }

  /** Opens or creates it. @throws SloError `SAMPLES_WRITE_FAILED` */
  static async open(file: string): Promise<AppendFile> {
    try {
      return new AppendFile(file, await open(file, 'a'))
    } catch (error) {
      throw writeFailed(file, error)
    }
  }

  /**
   * Resolves once the bytes are on disk. After a failure the file ends where it ended before, and every later call fails alike.
   * @throws SloError `SAMPLES_WRITE_FAILED`
   */
  append(text: string): Promise<void> {
    const done = this.#queue.then(() => this.#append(Buffer.from(text)))
    this.#queue = done.catch(() => undefined)
    return done
  }

  async close(): Promise<void> {
    await this.#queue
    await this.#handle.close()
  }

  async #append(bytes: Buffer): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    let size: number | undefined
    try {
      const before = await this.#handle.stat()
      if (before.nlink === 0) throw new Error('it was removed while it was being written')
      size = before.isFile() ? before.size : undefined
      await this.#writeAll(bytes)
      await this.#handle.sync()
    } catch (error) {
      this.#failure = writeFailed(this.file, error)
      // Where even this fails, the torn row is cut off when the file is opened again.
      if (size !== undefined) await this.#cutBack(size).catch(() => undefined)
      throw this.#failure
    }
  }

  /** One write, unless the system takes only a part: then writing the rest tells why. */
  async #writeAll(bytes: Buffer): Promise<void> {
    let written = 0
    while (written < bytes.length) {
      const { bytesWritten } = await this.#handle.write(bytes, written, bytes.length - written, null)
      if (bytesWritten === 0) throw new Error(`only ${written} of ${bytes.length} bytes were taken`)
      written += bytesWritten
    }
  }

  async #cutBack(size: number): Promise<void> {
    await this.#handle.truncate(size)
    await this.#handle.sync()
  }
}
