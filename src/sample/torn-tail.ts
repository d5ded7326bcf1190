import { open } from 'node:fs/promises'

import { SloError } from '../errors.ts'
import type { RowExtent } from './whole-rows.ts'

/** The start of a whole row of ours, up to its `round`, behind a line's end. */
const ROW_START = /\n1,[^,\r\n"]*,[^,\r\n"]*,\d+,\d+,/
/** Longer than any two rows. */
const LOOKED_AT = 4 * 1024 * 1024

/** Bytes of a file, fewer where it ends before. */
export async function readPart(file: string, from: number, length: number): Promise<Buffer> {
  const handle = await open(file, 'r')
  try {
    const bytes = Buffer.alloc(length)
    let filled = 0
    for (;;) {
      const { bytesRead } = await handle.read(bytes, filled, length - filled, from + filled)
      filled += bytesRead
      if (bytesRead === 0 || filled === length) return bytes.subarray(0, filled)
    }
  } finally {
    await handle.close()
  }
}

/** The error of a quote that hides whatever stands behind it. */
export function neverClosed(name: string, byte: number): SloError {
  return new SloError('SAMPLES_UNREADABLE', `${name}: a quote is opened behind byte ${byte} and never closed`, {
    hint: 'correct the row there, or move the file away',
    facts: { file: name, byte },
  })
}

/**
 * A write that was cut leaves half a row, and a stray quote makes every row behind it look like the rest of one: those must not be lost
 * without a word.
 * @throws SloError `SAMPLES_UNREADABLE` where whole rows stand behind the last whole row
 */
export async function checkTail(file: string, name: string, { whole, size }: RowExtent): Promise<void> {
  if (whole === size) return
  const tail = await readPart(file, whole, Math.min(size - whole, LOOKED_AT))
  if (ROW_START.test(tail.toString('latin1'))) throw neverClosed(name, whole)
}
