import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const main = fileURLToPath(new URL('../../tools/corpus/main.ts', import.meta.url))
const root = mkdtempSync(join(tmpdir(), 'slo corpus '))
afterAll(() => rmSync(root, { recursive: true, force: true }))

function run(...args: readonly string[]) {
  const env = { ...process.env, SLO_CORPUS: '' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { env, encoding: 'utf8' })
  return { status, lines: stdout.trimEnd().split('\n'), stderr }
}

const stream = [
  { choices: [{ delta: { role: 'assistant', content: '' } }] },
  { choices: [{ delta: { content: 'Grüße 🌍' } }] },
  {
    choices: [{ delta: {}, finish_reason: 'stop' }],
    usage: { prompt_tokens: 4, completion_tokens: 3, total_tokens: 7 },
  },
]
const body = `${stream.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join('')}data: [DONE]`
const expected = {
  event_count: 4,
  first_token_event_index: 1,
  first_token_kind: 'answer',
  token_event_count: 1,
  finish_reason: 'stop',
  prompt_tokens: 4,
  completion_tokens: 3,
  usage_event_indexes_first_last: [2, 2],
  error: null,
  done_marker: true,
  terminal_event_index: 3,
}

/** A folder with one stream, gzip-coded on the wire, and what is to be read from it. */
function corpus(name: string, more: Readonly<Record<string, unknown>>, index: object = {}): string {
  const folder = join(root, name)
  mkdirSync(join(folder, 'streams'), { recursive: true })
  writeFileSync(join(folder, 'streams/a.sse'), body)
  const line = {
    file: 'streams/a.sse',
    protocol: 'openai-chat',
    framing: 'sse',
    content_type: 'application/json',
    content_encoding: 'gzip',
  }
  writeFileSync(
    join(folder, 'index.jsonl'),
    `${JSON.stringify({ ...line, ...index, expected: { ...expected, ...more } })}\n`,
  )
  return folder
}

test('streams that are read as they should be', () => {
  const { status, lines } = run('--corpus', corpus('exact', {}))
  expect(lines).toEqual(['1 of 1 streams exact'])
  expect(status).toBe(0)
})

test('a difference is told with stream, field, expected and got', () => {
  const { status, lines } = run('--corpus', corpus('different', { completion_tokens: 9 }))
  expect(lines[0]).toMatch(/^stream +field +expected +got$/)
  expect(lines[1]).toMatch(/^a\.sse \(whole\) +completion_tokens +9 +3$/)
  expect(lines.at(-1)).toBe('0 of 1 streams exact')
  expect(status).toBe(1)
})

test('a protocol that nobody speaks is a difference', () => {
  const { status, lines } = run('--corpus', corpus('unknown', {}, { protocol: 'telepathy' }))
  expect(lines[1]).toContain('telepathy')
  expect(status).toBe(1)
})

test('no folder is no corpus', () => {
  expect(run()).toMatchObject({ status: 2, stderr: expect.stringContaining('npm run corpus -- --corpus DIR') })
  expect(run('--corpus', root)).toMatchObject({ status: 2, stderr: expect.stringContaining('no index.jsonl') })
})
