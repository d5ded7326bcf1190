import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { messageOf, SloError } from '../errors.ts'
import { parseRunLine } from './run-lines.ts'
import type { RunLine } from './types.ts'

/** Something about the files of a run that people should know. Stable words for `code`: `torn-row`, `torn-run-line`, `strange-run-line`, `lock-taken-over`. */
export interface StoreNote {
  readonly code: string
  readonly message: string
}

/** The name of the run log in a run's folder. */
export const RUNS_FILE = 'runs.jsonl'

/**
 * The lines of `DIR/runs.jsonl`; none where there is no such file. A torn last line and lines that are no run lines are left out, and said
 * in the notes. Changes nothing on disk.
 * @throws SloError `SAMPLES_UNREADABLE` where the file cannot be read
 */
export async function readRunLines(
  dir: string,
): Promise<{ readonly lines: RunLine[]; readonly notes: readonly StoreNote[] }> {
  const file = join(dir, RUNS_FILE)
  const texts = (await textOf(file)).split('\n')
  const lines: RunLine[] = []
  const notes: StoreNote[] = []
  const torn = texts.pop() ?? ''
  texts.forEach((text, index) => {
    if (text.trim() === '') return
    const line = parseRunLine(text)
    if (line !== null) lines.push(line)
    else
      notes.push({ code: 'strange-run-line', message: `${file}:${index + 1} is no line of a run and was passed over` })
  })
  if (torn !== '') {
    notes.push({ code: 'torn-run-line', message: `${file}:${texts.length + 1} is half a line and was passed over` })
  }
  return { lines, notes }
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw new SloError('SAMPLES_UNREADABLE', `${file}: ${messageOf(error)}`, { facts: { file }, cause: error })
  }
}
