import { SloError } from '../errors.ts'
import { columns, FIRST_COLUMNS, FORMAT, sampleColumns } from './columns.ts'
import { restore } from './neutral-text.ts'
import type { Sample } from './types.ts'

/** A cell as read: `null` is empty, `''` was an empty text in quotes. */
export type Cell = string | null

/** Where a row stands, for errors. Lines count from 1. */
export interface RowPlace {
  readonly file: string
  readonly line: number
}

type Column = (typeof sampleColumns)[number] & { readonly among?: readonly string[] }

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

function unreadable(place: RowPlace, column: string, why: string): SloError {
  return new SloError('SAMPLES_UNREADABLE', `${place.file}:${place.line}: ${column} ${why}`, {
    hint: 'correct or remove that row, or move the file away: the next run then starts a new one',
    facts: { file: place.file, line: place.line, column },
  })
}

function decodeLabels(cell: string): Record<string, string> | undefined {
  try {
    const value: unknown = JSON.parse(cell)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return Object.values(value).every((label) => typeof label === 'string')
      ? (value as Record<string, string>)
      : undefined
  } catch {
    return undefined
  }
}

function decodeCell(cell: string, column: Column, place: RowPlace): unknown {
  const shown = JSON.stringify(cell.length > 40 ? `${cell.slice(0, 40)}…` : cell)
  switch (column.kind) {
    case 'number':
      if (!NUMBER.test(cell)) throw unreadable(place, column.name, `is ${shown}, not a number`)
      if (cell.startsWith('-') && column.name !== 'lateness_ms' && column.name !== 'cost') {
        throw unreadable(place, column.name, `is ${shown}, and is never negative`)
      }
      return Number(cell)
    case 'boolean':
      if (cell !== 'true' && cell !== 'false') throw unreadable(place, column.name, `is ${shown}, not true or false`)
      return cell === 'true'
    case 'labels': {
      const labels = decodeLabels(cell)
      if (labels === undefined) throw unreadable(place, column.name, `is ${shown}, not a JSON object of texts`)
      return labels
    }
    case 'words': {
      const words = cell.split(' ').filter((word) => word !== '')
      const strange = words.find((word) => !column.among.some((known) => known === word))
      if (strange !== undefined) throw unreadable(place, column.name, `holds ${strange}, which is no flag`)
      return words
    }
    default: {
      const text = restore(cell)
      if (column.among !== undefined && !column.among.includes(text)) {
        throw unreadable(place, column.name, `is ${shown}, not one of ${column.among.join(' ')}`)
      }
      return text
    }
  }
}

/** What an empty cell means where every sample has a value. */
function emptyValue(column: Column, place: RowPlace): unknown {
  if (column.kind === 'words') return []
  if (column.kind === 'text' && column.among === undefined) return ''
  throw unreadable(place, column.name, 'is empty')
}

/**
 * Checks the header against {@link columns}. Columns behind them are a newer version's and passed over; an older one had fewer.
 * @throws SloError `SAMPLES_UNREADABLE`
 */
export function checkHeader(cells: readonly Cell[], file: string): void {
  const known = Math.min(columns.length, Math.max(cells.length, FIRST_COLUMNS))
  const wrong = columns.slice(0, known).findIndex((name, index) => cells[index] !== name)
  if (wrong < 0) return
  const found = cells[wrong] ?? null
  const place = `${file}:1: column ${wrong + 1} of the header`
  throw new SloError(
    'SAMPLES_UNREADABLE',
    found === null
      ? `${place} is missing: it should be ${columns[wrong]}`
      : `${place} is ${JSON.stringify(found)} instead of ${columns[wrong]}`,
    {
      hint: 'this is no samples.csv of vitest-slo: name another folder, or move the file away',
      facts: { file, line: 1, column: columns[wrong] },
    },
  )
}

/**
 * The rows of a format that this version does not know cannot be read, whatever their header says.
 * @throws SloError `SAMPLES_VERSION`
 */
export function checkFormat(cell: Cell | undefined, place: RowPlace): void {
  if (cell === String(FORMAT)) return
  throw new SloError(
    'SAMPLES_VERSION',
    `${place.file}:${place.line}: the row has format ${cell ?? '(none)'}, and this version of vitest-slo knows format ${FORMAT}`,
    {
      hint: 'use the version of vitest-slo that wrote the file, or move it away',
      facts: { file: place.file, line: place.line, found: cell ?? null, known: FORMAT },
    },
  )
}

/**
 * A row's cells, `format` first, as a sample.
 * @param width - how many cells the header has
 * @throws SloError `SAMPLES_VERSION`, `SAMPLES_UNREADABLE`
 */
export function decodeRow(cells: readonly Cell[], width: number, place: RowPlace): Sample {
  checkFormat(cells[0], place)
  if (cells.length !== width) throw unreadable(place, 'the row', `has ${cells.length} cells instead of ${width}`)
  const fields: Record<string, unknown> = {}
  sampleColumns.forEach((column, index) => {
    const cell = cells[index + 1] ?? null
    if (cell !== null) fields[column.name] = decodeCell(cell, column, place)
    else if (column.required) fields[column.name] = emptyValue(column, place)
  })
  if (fields['outcome'] === 'error') {
    if (fields['error_kind'] === undefined)
      throw unreadable(place, 'error_kind', 'is empty though the outcome is error')
    fields['error_message'] ??= ''
  } else if (fields['error_kind'] !== undefined) {
    throw unreadable(place, 'error_kind', 'is given though the outcome is ok')
  }
  // Every field was checked against its column, and every column has its field.
  return fields as unknown as Sample
}
