import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { messageOf } from '../../src/errors.ts'
import { readErrors, readStreams } from './index-file.ts'
import { startReplayServer } from './replay-server.ts'
import { Replayer } from './replay.ts'
import type { Difference } from './replay.ts'

/** `npm run corpus -- --corpus DIR`: recorded streams through the prober as it ships, against what must be read from each. */
function folderOf(): string | undefined {
  try {
    const { values } = parseArgs({ options: { corpus: { type: 'string' } } })
    return values.corpus ?? process.env['SLO_CORPUS']
  } catch {
    return undefined
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}

function table(differences: readonly Difference[]): void {
  if (differences.length === 0) return
  const rows = [
    ['stream', 'field', 'expected', 'got'],
    ...differences.map(({ stream, field, expected, got }) => [stream, field, shown(expected), shown(got)]),
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows)
    say(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  say('')
}

/** A recording that cannot be replayed at all is a difference like any other. */
async function attempt(stream: string, replay: () => Promise<readonly Difference[]>): Promise<readonly Difference[]> {
  try {
    return await replay()
  } catch (error) {
    return [{ stream, field: 'replay', expected: 'an answer', got: messageOf(error) }]
  }
}

const folder = folderOf()
if (folder === undefined || folder === '' || !existsSync(join(folder, 'index.jsonl'))) {
  process.stderr.write(
    `${folder === undefined || folder === '' ? 'no folder of recorded streams was named' : `${folder} has no index.jsonl`}\n` +
      'run: npm run corpus -- --corpus DIR, or set SLO_CORPUS; DIR holds index.jsonl and the streams that it names\n',
  )
  process.exitCode = 2
} else {
  const streams = readStreams(folder)
  const errors = readErrors(folder)
  const server = await startReplayServer()
  const replayer = new Replayer(server, folder)
  const differences: Difference[] = []
  let exact = 0
  let named = 0
  try {
    for (const stream of streams) {
      const found = await attempt(stream.file, () => replayer.stream(stream))
      if (found.length === 0) exact += 1
      differences.push(...found)
    }
    for (const error of errors) {
      const found = await attempt(error.file, () => replayer.error(error))
      if (found.length === 0) named += 1
      differences.push(...found)
    }
  } finally {
    replayer.close()
    server.close()
  }
  table(differences)
  if (errors.length > 0) say(`${named} of ${errors.length} error bodies named`)
  say(`${exact} of ${streams.length} streams exact`)
  if (exact < streams.length || named < errors.length) process.exitCode = 1
}
