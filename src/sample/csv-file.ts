import { createReadStream } from 'node:fs'

import { messageOf, SloError } from '../errors.ts'
import { readStream, readText } from './csv-rows.ts'
import type { Cell, CsvDialect, OnRow } from './csv-rows.ts'
import { checkTail, neverClosed, readPart } from './torn-tail.ts'
import { measureRows } from './whole-rows.ts'

/** A CSV on disk, of ours or of somebody else: how much of it are whole rows, and how its rows begin and end. */
export interface CsvFile extends CsvDialect {
  readonly path: string
  /** Bytes of whole rows. */
  readonly whole: number
  /** Bytes behind them: half a row. */
  readonly torn: number
  readonly header: readonly string[]
  /** Cells of the last whole row; `null` where there is none but the header. */
  readonly last: readonly Cell[] | null
}

async function textBetween(path: string, from: number, to: number): Promise<string> {
  return (await readPart(path, from, to - from)).toString('utf8')
}

function delimiterOf(header: string): string {
  if (header.includes(',')) return ','
  return [';', '\t'].find((delimiter) => header.includes(delimiter)) ?? ','
}

/** The first row of a text. */
function firstRow(text: string, dialect: CsvDialect): readonly Cell[] {
  const found: (readonly Cell[])[] = []
  readText(text, dialect, (cells) => found.push(cells))
  return found[0] ?? []
}

function unreadable(name: string, error: unknown): SloError {
  if (error instanceof SloError) return error
  const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
  return new SloError('SAMPLES_UNREADABLE', `${name}: ${missing ? 'there is no such file' : messageOf(error)}`, {
    hint: missing ? 'name the CSV of a run, as slo-report/samples.csv' : undefined,
    facts: { file: name },
    cause: error,
  })
}

/**
 * Looks at a file without reading its rows.
 * @param name - as shown to people
 * @throws SloError `SAMPLES_UNREADABLE`
 */
export async function openCsv(path: string, name: string): Promise<CsvFile> {
  try {
    const extent = await measureRows(path)
    const { whole, size, headerEnd, lastStart, inQuotes } = extent
    const isOwn = (await textBetween(path, 0, 64)).replace('\uFEFF', '').startsWith('format,run_id,')
    if (isOwn) await checkTail(path, name, extent)
    else if (inQuotes) throw neverClosed(name, whole)
    // a file of somebody else may lack its last line end
    const isOpen = !isOwn && whole < size
    const end = isOpen ? size : whole
    const headerText = await textBetween(path, 0, headerEnd === 0 ? end : headerEnd)
    const dialect = { name, delimiter: delimiterOf(headerText) }
    const header = firstRow(headerText, dialect)
    if (header.length === 0) throw new SloError('SAMPLES_UNREADABLE', `${name} is empty`)
    const lastAt = isOpen ? whole : lastStart
    return {
      ...dialect,
      path,
      whole: end,
      torn: size - end,
      header: header.map((cell) => cell ?? ''),
      last: lastAt === 0 ? null : firstRow(await textBetween(path, lastAt, end), dialect),
    }
  } catch (error) {
    throw unreadable(name, error)
  }
}

/**
 * Every row of a file, its header too, one after the other; nothing is kept.
 * @param end - bytes to read: whole rows
 * @throws SloError `SAMPLES_UNREADABLE`, or what `onRow` throws
 */
export async function readRows(path: string, end: number, dialect: CsvDialect, onRow: OnRow): Promise<void> {
  if (end === 0) return
  try {
    await readStream(createReadStream(path, { end: end - 1, highWaterMark: 1 << 18 }), dialect, onRow)
  } catch (error) {
    throw unreadable(dialect.name, error)
  }
}
