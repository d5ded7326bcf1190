import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { CsvError, parse } from 'csv-parse'
import type { CastingContext, Options } from 'csv-parse'
import { parse as parseText } from 'csv-parse/sync'

import { messageOf, SloError } from '../errors.ts'

/** A cell as read: `null` is empty, `''` was an empty text in quotes. */
export type Cell = string | null

/** Given the line on which the row starts; lines count from 1. */
export type OnRow = (cells: readonly Cell[], line: number) => void

/** What a CSV is called in errors, and what stands between its cells. */
export interface CsvDialect {
  readonly name: string
  readonly delimiter: string
}

function lineFeeds(cell: Cell): number {
  return cell?.includes('\n') === true ? cell.split('\n').length - 1 : 0
}

/** The reading of one CSV: RFC 4180, rows end with CRLF or LF, a lone CR is text. Blank lines are passed over, a byte order mark too. */
class Reading {
  readonly #dialect: CsvDialect
  readonly #onRow: OnRow
  /** Where the next row starts; csv-parse's own count takes a CRLF within quotes for two. */
  #line = 1

  constructor(dialect: CsvDialect, onRow: OnRow) {
    this.#dialect = dialect
    this.#onRow = onRow
  }

  /** For csv-parse, which keeps nothing then. */
  get options(): Options {
    return {
      bom: true,
      delimiter: this.#dialect.delimiter,
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
      cast: (value: string, { quoting }: CastingContext) => (value === '' && !quoting ? null : value),
      on_record: (cells: readonly Cell[]) => {
        const line = this.#line
        this.#line += cells.reduce((lines, cell) => lines + lineFeeds(cell), 1)
        const isBlank = cells.length === 1 && cells[0] === null
        if (!isBlank) this.#onRow(cells, line)
        return null
      },
    }
  }

  /** Names the row where the CSV is wrong; other errors stay what they are. */
  unreadable(error: unknown): unknown {
    if (!(error instanceof CsvError)) return error
    const { name } = this.#dialect
    return new SloError('SAMPLES_UNREADABLE', `${name}:${this.#line}: ${messageOf(error)}`, {
      hint: 'correct or remove that row, or move the file away',
      facts: { file: name, line: this.#line },
      cause: error,
    })
  }
}

/**
 * Rows of a text.
 * @throws SloError `SAMPLES_UNREADABLE`, or what `onRow` throws
 */
export function readText(text: string, dialect: CsvDialect, onRow: OnRow): void {
  const reading = new Reading(dialect, onRow)
  try {
    parseText(text, reading.options)
  } catch (error) {
    throw reading.unreadable(error)
  }
}

/**
 * Rows of a stream of bytes, one after the other; nothing is kept but a row that is not whole yet.
 * @throws as {@link readText}, or what the stream does
 */
export async function readStream(bytes: Readable, dialect: CsvDialect, onRow: OnRow): Promise<void> {
  const reading = new Reading(dialect, onRow)
  try {
    await pipeline(bytes, parse(reading.options).resume())
  } catch (error) {
    throw reading.unreadable(error)
  }
}
