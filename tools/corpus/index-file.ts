import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What must be read from a stream: fields of `expected` in `index.jsonl`, `null` where there is nothing. */
export type Expected = Readonly<Record<string, unknown>>

/** One line of `index.jsonl`. */
export interface RecordedStream {
  /** Relative to the folder. */
  readonly file: string
  readonly protocol: string
  readonly framing: string
  readonly content_type: string | null
  readonly content_encoding: string | null
  readonly expected: Expected
}

/** One line of `http_errors.jsonl`. */
export interface RecordedError {
  readonly file: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly suggested_class: string
}

function lines(path: string): readonly string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
}

/** @throws where the folder has no `index.jsonl`, or one that is none */
export function readStreams(folder: string): readonly RecordedStream[] {
  return lines(join(folder, 'index.jsonl')).map((line) => JSON.parse(line) as RecordedStream)
}

/** Recorded errors, where the folder has any. */
export function readErrors(folder: string): readonly RecordedError[] {
  try {
    return lines(join(folder, 'http_errors.jsonl')).map((line) => JSON.parse(line) as RecordedError)
  } catch {
    return []
  }
}
