import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { faultNames } from '../../src/simulator/faults.ts'
import { startSimulator } from '../../src/simulator/index.ts'
import type { Simulator } from '../../src/simulator/index.ts'
import { createProject } from './testing/project.ts'
import type { Project } from './testing/project.ts'

/** A line of `fixtures/faults/expected.json`; its README says what the fields mean. */
interface Expected {
  readonly fault: string
  readonly kind: string | readonly string[] | null
  readonly class?: string
  readonly status?: number
  readonly tokens: number | 'all' | 'some' | 'none'
  readonly usage?: boolean
  readonly flag?: string
  readonly retryAfterMs?: number | string
}

const expected = JSON.parse(
  readFileSync(new URL('../../fixtures/faults/expected.json', import.meta.url), 'utf8'),
) as readonly Expected[]

const KEY = 'sk-marked-7f3a9c'
let simulator: Simulator
let project: Project
let output = ''
const rows = new Map<string, Readonly<Record<string, string>>>()

/** A name of a target for a fault: the names of its parameters, and their values, may hold anything. */
function targetOf(fault: string): string {
  return fault.replaceAll(';', ' ')
}

beforeAll(async () => {
  simulator = await startSimulator()
  project = createProject({
    'a.probe.ts': `import { openaiChat, probe, text } from 'vitest-slo'
const faults: readonly string[] = ${JSON.stringify(expected.map(({ fault }) => fault))}
const targets = Object.fromEntries(faults.map((fault) => [fault.replaceAll(';', ' '), openaiChat({
  baseUrl: '${simulator.url}/v1', model: 'practice', apiKeyEnv: 'MARKED_KEY',
  headers: { 'x-slo-fault': fault, 'x-slo-time-scale': '200', 'x-slo-profile': 'gemma-4-31B-it' },
  timeouts: { connect: '5s', firstToken: '2s', stall: '1s', total: '15s' },
})]))
probe('faults', { targets, prompts: { hello: text('Say hello.') }, schedule: { every: '0s', rounds: 1, seed: 1 }, warmup: 0 })
`,
  })
  const run = await project.run(['run', '--project', 'slo'], { MARKED_KEY: KEY })
  output = run.output
  expect(run.code, run.output).toBe(0)
  for (const row of project.rows()) rows.set(row['target'] ?? '', row)
})
afterAll(() => simulator.stop())

function given(cell: string | undefined): string | undefined {
  return cell === '' ? undefined : cell
}

function expectTokens({ tokens }: Expected, row: Readonly<Record<string, string>>): void {
  const events = Number(row['token_events'])
  if (tokens === 'none') expect(row).toMatchObject({ token_events: '', ttft_ms: '', last_token_ms: '' })
  else {
    expect(Number(given(row['ttft_ms']))).toBeGreaterThan(0)
    expect(Number(given(row['last_token_ms']))).toBeGreaterThanOrEqual(Number(row['ttft_ms']))
    expect(Number(given(row['total_ms']))).toBeGreaterThanOrEqual(Number(row['last_token_ms']))
    if (typeof tokens === 'number') expect(events).toBe(tokens)
    else expect(events).toBeGreaterThan(0)
  }
}

test.each(expected)('$fault: $kind', (line) => {
  const row = rows.get(targetOf(line.fault)) ?? {}
  const { kind, status, retryAfterMs } = line
  if (typeof kind === 'string' || kind === null)
    expect(given(row['error_kind']) ?? null, row['error_message']).toBe(kind)
  else expect(kind).toContain(row['error_kind'])
  expect(row['outcome']).toBe(kind === null ? 'ok' : 'error')
  expect(given(row['error_class'])).toBe(line.class)
  expect(given(row['status'])).toBe(status === undefined ? undefined : String(status))
  if (kind !== null) expect(row['error_message']).not.toBe('')
  expectTokens(line, row)
  if (status !== undefined) expect(Number(given(row['headers_ms']))).toBeGreaterThan(0)
  expect(Number(given(row['total_ms']))).toBeGreaterThan(0)
  if (kind === null && line.usage !== false) expect(Number(given(row['completion_tokens']))).toBeGreaterThan(0)
  if (line.flag !== 'malformed' && kind === null) expect(row['flags']?.split(' ')).not.toContain('malformed')
  if (line.flag !== undefined) expect(row['flags']?.split(' ')).toContain(line.flag)
  if (typeof retryAfterMs === 'number') expect(row['retry_after_ms']).toBe(String(retryAfterMs))
  else if (retryAfterMs === undefined) expect(row['retry_after_ms']).toBe('')
  else expect(Math.abs(Number(row['retry_after_ms']) - 30_000)).toBeLessThan(30_000)
})

test('every fault of the simulator is here', () => {
  const here = new Set(expected.map(({ fault }) => fault.split(';')[0]))
  expect(faultNames.filter((name) => !here.has(name))).toEqual([])
})

test('one sample a request, and nothing was asked twice', () => {
  expect(project.rows()).toHaveLength(expected.length)
  for (const row of rows.values()) expect(Number(row['stale_retries'])).toBeLessThanOrEqual(1)
})

test('the key came back in many ways, and stands nowhere', () => {
  expect(rows.get('echo-key')?.['error_message']).toContain('[secret]')
  const files = ['samples.csv', 'runs.jsonl', 'junit.xml', 'report.json', 'summary.md'].map((file) =>
    project.read(`slo-report/${file}`),
  )
  for (const text of [output, ...files]) expect(text).not.toContain(KEY)
})
