import { stringify } from 'csv-stringify/sync'

import { SloError } from '../errors.ts'
import { columns, FORMAT, sampleColumns } from './columns.ts'
import type { CellKind, SampleColumn } from './columns.ts'
import { plainDecimal } from './decimal.ts'
import { neutralise } from './neutral-text.ts'
import type { Sample } from './types.ts'

/** Cells of one line, CRLF at its end. `null` is an empty cell, `''` one in quotes, which our reading tells apart. */
function line(cells: readonly (string | null)[]): string {
  return stringify([cells], {
    record_delimiter: 'windows',
    // A lone CR or LF in a cell is a line's end to many readers.
    quote_record_delimiter: true,
    cast: { string: (value) => (value === '' ? { value, quoted_empty: true } : value) },
  })
}

function encodeNumber(value: number, name: string, required: boolean): string | null {
  if (Number.isFinite(value)) return plainDecimal(value)
  if (!required) return null
  throw new SloError('SAMPLES_WRITE_FAILED', `a sample's ${name} is ${value}, which no row can hold`, {
    facts: { column: name },
  })
}

function encodeCell(value: unknown, kind: CellKind, name: string, required: boolean): string | null {
  if (value === undefined) return null
  switch (kind) {
    case 'number':
      return encodeNumber(Number(value), name, required)
    case 'labels':
      return JSON.stringify(value)
    case 'words':
      return Array.isArray(value) && value.length > 0 ? value.join(' ') : null
    default:
      // A lone surrogate has no UTF-8: it becomes U+FFFD here rather than in the file.
      return neutralise((typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed())
  }
}

/** The first line of `samples.csv`, CRLF at its end. */
export function encodeHeader(): string {
  return line(columns)
}

/**
 * One sample as one line of `samples.csv`: RFC 4180, CRLF at its end, plain decimals, text neutralised against spreadsheets. Reading it
 * back gives the sample, but for lone surrogates (U+FFFD), minus zero (0) and numbers that are none (absent).
 * @throws SloError `SAMPLES_WRITE_FAILED` where a number that every sample has is none
 */
export function encodeRow(sample: Sample): string {
  return line(cellsOf(sample))
}

/**
 * As {@link encodeRow}, for a file whose header another version wrote.
 * @param width - columns of that header: a newer version's are left empty, those that an older one lacks are left out
 */
export function encodeRowTo(width: number, sample: Sample): string {
  const cells = cellsOf(sample).slice(0, width)
  return line([...cells, ...Array.from({ length: width - cells.length }, () => null)])
}

function cellsOf(sample: Sample): readonly (string | null)[] {
  const fields: { readonly [Name in SampleColumn]?: unknown } = sample
  return [
    String(FORMAT),
    ...sampleColumns.map(({ name, kind, required }) => encodeCell(fields[name], kind, name, required)),
  ]
}
