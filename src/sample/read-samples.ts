import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

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

/** Turns the rows of one file into samples, the header first. */
class SampleRows {
  readonly #file: string
  readonly #samples: Sample[] = []
  #header: readonly Cell[] | undefined
  #headerChecked = false
  /** Where the next row starts. */
  #line = 1

  constructor(file: string) {
    this.#file = file
  }

  /** For csv-parse, which keeps nothing then. Its own line numbers count a CRLF within quotes twice. */
  get options(): Options {
    return {
      bom: true,
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
      cast: (value: string, context: CastingContext) => (value === '' && !context.quoting ? null : value),
      on_record: (record: readonly Cell[]) => {
        this.#add(record)
        return null
      },
    }
  }

  finish(): Sample[] {
    this.#checkHeader()
    return this.#samples
  }

  /** Whatever went wrong, as an error that names the row. */
  unreadable(error: unknown): SloError {
    if (error instanceof SloError) return error
    const line = error instanceof CsvError ? this.#line : undefined
    const place = line === undefined ? this.#file : `${this.#file}:${line}`
    return new SloError('SAMPLES_UNREADABLE', `${place}: ${messageOf(error)}`, {
      hint: line === undefined ? undefined : 'correct or remove that row, or move the file away',
      facts: { file: this.#file, line },
      cause: error,
    })
  }

  #add(record: readonly Cell[]): void {
    const place = { file: this.#file, line: this.#line }
    const isBlank = record.length === 1 && record[0] === null
    if (isBlank) this.#line += 1
    else if (this.#header === undefined) this.#header = record
    else {
      if (!this.#headerChecked) {
        // A format that nobody here knows may have any header: say so before complaining about that.
        if (this.#header[0] === 'format') checkFormat(record[0], place)
        this.#checkHeader()
      }
      this.#samples.push(decodeRow(record, this.#header.length, place))
    }
    if (!isBlank) this.#line += record.reduce((lines, cell) => lines + lineFeeds(cell), 1)
  }

  #checkHeader(): void {
    checkHeader(this.#header ?? [], this.#file)
    this.#headerChecked = true
  }
}

function lineFeeds(cell: Cell): number {
  return cell?.includes('\n') === true ? cell.split('\n').length - 1 : 0
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
    parseSync(bytes.subarray(0, whole.end), samples.options)
    return samples.finish()
  } catch (error) {
    throw samples.unreadable(error)
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
    await pipeline(createReadStream(file, { end: whole - 1 }), parse(samples.options).resume())
    return samples.finish()
  } catch (error) {
    throw samples.unreadable(error)
  }
}
