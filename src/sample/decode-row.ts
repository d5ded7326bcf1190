import { SloError } from '../errors.ts'
import { columns, FIRST_COLUMNS, FORMAT, sampleColumns } from './columns.ts'
import type { SampleColumn } from './columns.ts'
import type { Cell } from './csv-rows.ts'
import { restore } from './neutral-text.ts'
import type { SampleValues } from './sample-table.ts'

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

function shown(cell: string): string {
  return JSON.stringify(cell.length > 40 ? `${cell.slice(0, 40)}…` : cell)
}

function decodeCell(cell: string, column: Column, place: RowPlace): unknown {
  switch (column.kind) {
    case 'number':
      if (!NUMBER.test(cell)) throw unreadable(place, column.name, `is ${shown(cell)}, not a number`)
      if (cell.startsWith('-') && column.name !== 'lateness_ms' && column.name !== 'cost') {
        throw unreadable(place, column.name, `is ${shown(cell)}, and is never negative`)
      }
      if (!Number.isFinite(Number(cell)))
        throw unreadable(place, column.name, `is ${shown(cell)}, more than any number`)
      return Number(cell)
    case 'boolean':
      if (cell !== 'true' && cell !== 'false')
        throw unreadable(place, column.name, `is ${shown(cell)}, not true or false`)
      return cell === 'true'
    case 'labels': {
      const labels = decodeLabels(cell)
      if (labels === undefined) throw unreadable(place, column.name, `is ${shown(cell)}, not a JSON object of texts`)
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
      if (column.name === 'started_at' || column.name === 'due_at') checkTime(text, column, place)
      if (column.among !== undefined && !column.among.includes(text)) {
        throw unreadable(place, column.name, `is ${shown(cell)}, not one of ${column.among.join(' ')}`)
      }
      return text
    }
  }
}

function checkTime(text: string, column: Column, place: RowPlace): void {
  if (!Number.isNaN(Date.parse(text))) return
  throw unreadable(place, column.name, `is ${shown(text)}, not a time as 2026-12-01T00:00:00.000Z`)
}

/** What an empty cell means where every sample has a value. */
function emptyValue(column: Column, place: RowPlace): unknown {
  if (column.kind === 'words') return []
  if (column.kind === 'text' && column.among === undefined && !column.name.endsWith('_at')) return ''
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

/** Cells of a column that were decoded before; what they mean is looked up as long as they are few. */
class KnownCells {
  readonly #column: Column
  readonly #values = new Map<string, unknown>()

  constructor(column: Column) {
    this.#column = column
  }

  decode(cell: string, place: RowPlace): unknown {
    const known = this.#values.get(cell)
    if (known !== undefined) return known
    const value = decodeCell(cell, this.#column, place)
    if (this.#values.size < FEW) this.#values.set(cell, value)
    return value
  }
}

/** So many different cells of a column are remembered. */
const FEW = 1000

const columnAt = (name: SampleColumn): number => sampleColumns.findIndex((each) => each.name === name)
const OUTCOME = columnAt('outcome')
const ERROR_KIND = columnAt('error_kind')
const ERROR_MESSAGE = columnAt('error_message')

/** Decodes the rows of one file. */
export class RowDecoder {
  readonly #file: string
  readonly #width: number
  readonly #known = sampleColumns.map((column) => (column.kind === 'number' ? null : new KnownCells(column)))

  /**
   * @param file - as shown to people
   * @param width - how many cells the header has
   */
  constructor(file: string, width: number) {
    this.#file = file
    this.#width = width
  }

  /**
   * A row's cells, `format` first, as the values of a sample.
   * @throws SloError `SAMPLES_VERSION`, `SAMPLES_UNREADABLE`
   */
  decode(cells: readonly Cell[], line: number): SampleValues {
    const place = { file: this.#file, line }
    checkFormat(cells[0], place)
    if (cells.length !== this.#width)
      throw unreadable(place, 'the row', `has ${cells.length} cells instead of ${this.#width}`)
    const values = sampleColumns.map((column, index) => {
      const cell = cells[index + 1] ?? null
      if (cell === null) return column.required ? emptyValue(column, place) : undefined
      return this.#known[index]?.decode(cell, place) ?? decodeCell(cell, column, place)
    })
    if (values[OUTCOME] === 'error') {
      if (values[ERROR_KIND] === undefined)
        throw unreadable(place, 'error_kind', 'is empty though the outcome is error')
      values[ERROR_MESSAGE] ??= ''
    } else if (values[ERROR_KIND] !== undefined) {
      throw unreadable(place, 'error_kind', 'is given though the outcome is ok')
    }
    return values
  }
}
