import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { messageOf, SloError } from '../errors.ts'
import type { Cell } from '../sample/decode-row.ts'

/** A CSV file on disk: how much of it are whole rows, and how its rows begin. */
export interface CsvFile {
  readonly path: string
  /** As shown to people. */
  readonly name: string
  /** Bytes of whole rows. */
  readonly whole: number
  /** Bytes behind them: half a row. */
  readonly torn: number
  readonly delimiter: string
  readonly header: readonly string[]
  /** Cells of the last whole row; `null` where there is none but the header. */
  readonly last: readonly Cell[] | null
}

const QUOTE = 0x22
const LINE_FEED = 0x0a

interface Extent {
  readonly whole: number
  readonly size: number
  readonly lastStart: number
  readonly headerEnd: number
}

/** One pass over the bytes; a line feed within quotes ends no row. */
async function measure(path: string, isComplete: boolean): Promise<Extent> {
  let size = 0
  let whole = 0
  let lastStart = 0
  let headerEnd = 0
  let inQuotes = false
  let isBlank = true
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const bytes = chunk as Buffer
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index]
      if (byte === QUOTE) inQuotes = !inQuotes
      if (byte === LINE_FEED && !inQuotes) {
        if (!isBlank) lastStart = whole
        whole = size + index + 1
        if (headerEnd === 0) headerEnd = whole
        isBlank = true
      } else if (byte !== 0x0d) isBlank = false
    }
    size += bytes.length
  }
  // a file of somebody else may lack its last line end
  if (isComplete && whole < size && !inQuotes)
    return { whole: size, size, lastStart: whole, headerEnd: headerEnd || size }
  return { whole, size, lastStart, headerEnd }
}

async function textBetween(path: string, from: number, to: number): Promise<string> {
  const handle = await open(path)
  try {
    const bytes = Buffer.alloc(to - from)
    await handle.read(bytes, 0, bytes.length, from)
    return bytes.toString('utf8')
  } finally {
    await handle.close()
  }
}

function delimiterOf(header: string): string {
  if (header.includes(',')) return ','
  return [';', '\t'].find((delimiter) => header.includes(delimiter)) ?? ','
}

function unreadable(name: string, error: unknown, line?: number): SloError {
  if (error instanceof SloError) return error
  const place = line === undefined ? name : `${name}:${line}`
  const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
  return new SloError('SAMPLES_UNREADABLE', `${place}: ${missing ? 'there is no such file' : messageOf(error)}`, {
    hint: missing ? 'name the CSV of a run, as slo-report/samples.csv' : 'correct or remove that row',
    facts: { file: name, line },
    cause: error,
  })
}

async function cellsOf(text: string, delimiter: string, name: string): Promise<readonly Cell[]> {
  let cells: readonly Cell[] = []
  await readText(text, delimiter, name, (row) => {
    cells = row
  })
  return cells
}

function optionsOf(delimiter: string, onRow: (cells: readonly Cell[]) => void) {
  return {
    bom: true,
    delimiter,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    cast: (value: string, context: { readonly quoting: boolean }) => (value === '' && !context.quoting ? null : value),
    on_record: (record: readonly Cell[]) => {
      onRow(record)
      return null
    },
  }
}

async function readText(
  text: string,
  delimiter: string,
  name: string,
  onRow: (cells: readonly Cell[]) => void,
): Promise<void> {
  try {
    await pipeline([text], parse(optionsOf(delimiter, onRow)).resume())
  } catch (error) {
    throw unreadable(name, error)
  }
}

/**
 * Looks at a file without reading its rows.
 * @throws SloError `SAMPLES_UNREADABLE`
 */
export async function openCsv(path: string, name: string): Promise<CsvFile> {
  try {
    const own = (await textBetween(path, 0, 64)).replace('\uFEFF', '').startsWith('format,run_id,')
    const extent = await measure(path, !own)
    const headerText = await textBetween(path, 0, extent.headerEnd)
    const delimiter = delimiterOf(headerText)
    const header = await cellsOf(headerText, delimiter, name)
    const last =
      extent.lastStart === 0
        ? null
        : await cellsOf(await textBetween(path, extent.lastStart, extent.whole), delimiter, name)
    if (header.length === 0) throw new SloError('SAMPLES_UNREADABLE', `${name} is empty`)
    return {
      path,
      name,
      whole: extent.whole,
      torn: extent.size - extent.whole,
      delimiter,
      header: header.map((cell) => cell ?? ''),
      last,
    }
  } catch (error) {
    throw unreadable(name, error)
  }
}

/**
 * Every whole row behind the header, one after the other; nothing is kept.
 * @param onRow - given the line on which the row starts
 * @throws SloError `SAMPLES_UNREADABLE`, or what `onRow` throws
 */
export async function readRows(file: CsvFile, onRow: (cells: readonly Cell[], line: number) => void): Promise<void> {
  let line = 1
  let isHeader = true
  const options = optionsOf(file.delimiter, (cells) => {
    const start = line
    for (const cell of cells) if (cell?.includes('\n') === true) line += cell.split('\n').length - 1
    line += 1
    if (isHeader) isHeader = false
    else onRow(cells, start)
  })
  if (file.whole === 0) return
  try {
    await pipeline(
      createReadStream(file.path, { end: file.whole - 1, highWaterMark: 1 << 18 }),
      parse(options).resume(),
    )
  } catch (error) {
    throw unreadable(file.name, error, error instanceof CsvError ? line : undefined)
  }
}
