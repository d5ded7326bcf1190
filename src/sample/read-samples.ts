import { createReadStream } from 'node:fs'

import { CsvError, parse } from 'csv-parse'
import type { CastingContext, Options } from 'csv-parse'
import { parse as parseSync } from 'csv-parse/sync'

import { messageOf, SloError } from '../errors.ts'
import { checkFormat, checkHeader, decodeRow } from './decode-row.ts'
import type { Cell } from './decode-row.ts'
import type { Sample } from './types.ts'
import { measureRows, WholeRows } from './whole-rows.ts'

export interface ReadOptions {
  /** Called where the last row is torn, with how many bytes were passed over: it is no sample. */
  readonly onTornRow?: ((bytes: number) => void) | undefined
}

/** What csv-parse gives for a row with {@link OPTIONS}. */
interface Row {
  readonly record: readonly Cell[]
  readonly info: { readonly lines: number }
}

const OPTIONS = {
  bom: true,
  record_delimiter: ['\r\n', '\n'],
  relax_column_count: true,
  skip_empty_lines: true,
  info: true,
  cast: (value: string, context: CastingContext) => (value === '' && !context.quoting ? null : value),
} satisfies Options

/** Turns the rows of one file into samples, the header first. */
class SampleRows {
  readonly #file: string
  readonly #samples: Sample[] = []
  #header: readonly Cell[] | undefined
  #headerChecked = false

  constructor(file: string) {
    this.#file = file
  }

  add({ record, info }: Row): void {
    if (this.#header === undefined) {
      this.#header = record
      return
    }
    const place = { file: this.#file, line: info.lines }
    if (!this.#headerChecked) {
      // A format that nobody here knows may have any header: say so before complaining about that.
      if (this.#header[0] === 'format') checkFormat(record[0], place)
      this.#checkHeader()
    }
    this.#samples.push(decodeRow(record, place))
  }

  finish(): Sample[] {
    this.#checkHeader()
    return this.#samples
  }

  #checkHeader(): void {
    checkHeader(this.#header ?? [], this.#file)
    this.#headerChecked = true
  }
}

function unreadable(error: unknown, file: string): unknown {
  if (error instanceof SloError) return error
  const line = error instanceof CsvError && typeof error['lines'] === 'number' ? error['lines'] : undefined
  const place = line === undefined ? file : `${file}:${line}`
  return new SloError('SAMPLES_UNREADABLE', `${place}: ${messageOf(error)}`, {
    hint: line === undefined ? undefined : 'correct or remove that row, or move the file away',
    facts: { file, line },
    cause: error,
  })
}

/**
 * The samples of a CSV text. A last row that is torn (no line end, or still within quotes) is none, and passed over.
 * @param file - names the text in errors
 * @throws SloError `SAMPLES_UNREADABLE`, `SAMPLES_VERSION`, with file and line
 */
export function parseSamples(text: string, file = 'samples.csv', options: ReadOptions = {}): Sample[] {
  const bytes = Buffer.from(text)
  const whole = new WholeRows()
  whole.add(bytes)
  if (whole.end < bytes.length) options.onTornRow?.(bytes.length - whole.end)
  const samples = new SampleRows(file)
  try {
    const rows: unknown[] = parseSync(bytes.subarray(0, whole.end), OPTIONS)
    for (const row of rows) samples.add(row as Row)
    return samples.finish()
  } catch (error) {
    throw unreadable(error, file)
  }
}

/**
 * The samples of a file, read piece by piece; otherwise as {@link parseSamples}. The file may be one that a run is writing.
 * @throws SloError `SAMPLES_UNREADABLE`, `SAMPLES_VERSION`, with file and line
 */
export async function readSamples(file: string, options: ReadOptions = {}): Promise<Sample[]> {
  const samples = new SampleRows(file)
  try {
    const { whole, size } = await measureRows(file)
    if (whole < size) options.onTornRow?.(size - whole)
    if (whole === 0) return samples.finish()
    const source = createReadStream(file, { end: whole - 1 })
    const parser = parse(OPTIONS)
    source.on('error', (error) => parser.destroy(error))
    try {
      for await (const row of source.pipe(parser)) samples.add(row as Row)
    } finally {
      source.destroy()
    }
    return samples.finish()
  } catch (error) {
    throw unreadable(error, file)
  }
}
