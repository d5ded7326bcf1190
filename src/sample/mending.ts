import { open, readFile, truncate } from 'node:fs/promises'

import { columns } from './columns.ts'
import { encodeHeader } from './encode-row.ts'
import type { StoreNote } from './read-run-lines.ts'
import { readSamples } from './read-samples.ts'
import { readPart } from './torn-tail.ts'
import type { Sample } from './types.ts'
import { measureRows } from './whole-rows.ts'

/** What `samples.csv` holds once it is fit to be appended to. */
export interface MendedSamples {
  readonly samples: Sample[]
  readonly notes: readonly StoreNote[]
  /** The first line, where it is still to be written. */
  readonly header: string | null
  /** Columns of its header; another version may have written more or fewer. */
  readonly width: number
}

/** Longer than any header. */
const HEAD_BYTES = 65_536
/**
 * Reads `samples.csv`, which may not exist, and moves a torn last row to `samples.csv.torn`. A file that is not ours, or not of
 * our version, is left as it is.
 * @throws SloError `SAMPLES_UNREADABLE`, `SAMPLES_VERSION`
 */
export async function mendSamples(file: string): Promise<MendedSamples> {
  const head = await readHead(file)
  if (head === '') return { samples: [], notes: [], header: encodeHeader(), width: columns.length }
  // Killed while the file was created: the header is written again. Any other single line goes to the reading, which says what is wrong.
  const created = !head.includes('\n') && encodeHeader().startsWith(head)
  const samples = created ? [] : await readSamples(file)
  const { whole, size } = await measureRows(file)
  const notes = whole === size ? [] : [await cutTail(file, whole, size, 'torn-row')]
  const width = head.split('\n', 1)[0]?.split(',').length ?? 0
  return {
    samples,
    notes,
    header: created ? encodeHeader() : null,
    width: created ? columns.length : width,
  }
}

/** Moves a torn last line of `runs.jsonl`, which may not exist, to `runs.jsonl.torn`. */
export async function mendLog(file: string): Promise<readonly StoreNote[]> {
  if ((await readHead(file)) === '') return []
  const bytes = await readFile(file)
  const whole = bytes.lastIndexOf(0x0a) + 1
  return whole === bytes.length ? [] : [await cutTail(file, whole, bytes.length, 'torn-run-line')]
}

async function readHead(file: string): Promise<string> {
  try {
    return (await readPart(file, 0, HEAD_BYTES)).toString()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

async function cutTail(file: string, whole: number, size: number, code: string): Promise<StoreNote> {
  const tail = await readPart(file, whole, size - whole)
  // First kept, then cut: a crash in between keeps it twice.
  const torn = await open(`${file}.torn`, 'a')
  try {
    await torn.appendFile(Buffer.concat([tail, Buffer.from('\r\n')]))
    await torn.sync()
  } finally {
    await torn.close()
  }
  await truncate(file, whole)
  return { code, message: `${file} ended in half a line: its ${size - whole} bytes were moved to ${file}.torn` }
}
