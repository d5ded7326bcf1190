import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { faultNames } from '../../src/simulator/faults.ts'
import { startSimulator } from '../../src/simulator/index.ts'
import type { Simulator, SimulatorOptions } from '../../src/simulator/index.ts'
import { createProject } from './testing/project.ts'
import type { Project } from './testing/project.ts'

type Doors = NonNullable<SimulatorOptions['doors']>

/** Lines of `fixtures/faults/`; its README says what the fields mean. */
interface Asked {
  readonly fault?: string
  readonly door?: string
  readonly http?: '2'
  readonly timeouts?: Readonly<Record<string, string>>
}
interface Expected extends Asked {
  readonly kind: string | null
  readonly class?: string
  readonly status?: number
  readonly tokens: number | 'all' | 'some' | 'none'
  readonly usage?: boolean
  readonly flag?: string
  readonly retryAfterMs?: number | string
}
interface ExpectedAgain extends Asked {
  readonly reused: boolean
  readonly staleRetries?: number
}

function fixture(file: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../fixtures/faults/${file}`, import.meta.url), 'utf8'))
}
const expected = fixture('expected.json') as readonly Expected[]
// each has a door of its own, so that nobody else's requests come between
const again = (fixture('again.json') as readonly ExpectedAgain[]).map((line, i) => ({ ...line, door: `own-${i}` }))
const { good, ...bad } = fixture('certificates.json') as Readonly<
  Record<'good' | 'expired' | 'another-name' | 'self-signed', { readonly cert: string; readonly key: string }>
>

/** The good certificate and two of the bad ones have an authority that is trusted. */
const trusted = [good, bad.expired, bad['another-name']].map(({ cert }) => cert).join('')
const doors: Doors = {
  ...Object.fromEntries(['h2', ...again.map(({ door }) => door)].map((name) => [name, { kind: 'tls', ...good }])),
  ...Object.fromEntries(Object.entries(bad).map(([name, identity]) => [name, { kind: 'tls', ...identity }])),
  closed: { kind: 'closed' },
  silent: { kind: 'silent' },
  'hang-up': { kind: 'hang-up' },
}
const OPENING = ['dns', 'connect', 'tls', 'connect_timeout']

const KEY = 'sk-marked-7f3a9c'
let simulator: Simulator
let project: Project
let output = ''
const rows = new Map<string, Readonly<Record<string, string>>>()

/** A name of a target. */
function targetOf({ fault, door, http }: Asked): string {
  const parts = [fault ?? 'no fault', door, http === undefined ? undefined : 'HTTP/2']
  // parameters, and their values, may hold anything
  return parts
    .filter((part) => part !== undefined)
    .join(' ')
    .replaceAll(';', ' ')
}

function urlOf(door: string | undefined): string {
  if (door === undefined) return simulator.url
  if (door === 'nowhere') return 'https://provider.invalid'
  return door === 'plain' ? simulator.url.replace('http:', 'https:') : (simulator.doors[door] ?? '')
}

/** What a spec writes for a target. */
function optionsOf({ fault = '', door, http, timeouts }: Asked): Readonly<Record<string, unknown>> {
  return {
    baseUrl: `${urlOf(door)}/v1`,
    model: 'practice',
    apiKeyEnv: 'MARKED_KEY',
    http: http ?? '1.1',
    headers: { 'x-slo-fault': fault, 'x-slo-time-scale': '200', 'x-slo-profile': 'gemma-4-31B-it' },
    timeouts: { connect: '5s', firstToken: '2s', stall: '1s', total: '15s', ...timeouts },
  }
}

function targetsOf(lines: readonly Asked[]): string {
  const targets = Object.fromEntries(lines.map((line) => [targetOf(line), optionsOf(line)]))
  return `Object.fromEntries(Object.entries(${JSON.stringify(targets)}).map(([name, options]) =>
    [name, openaiChat({ ...options, ...(options.baseUrl.startsWith('https:') ? { tls: { ca: env('TRUSTED') } } : {}) } as never)]))`
}

beforeAll(async () => {
  simulator = await startSimulator({ doors })
  project = createProject({
    'a.probe.ts': `import { env, openaiChat, probe, text } from 'vitest-slo'
const prompts = { hello: text('Say hello.') }
probe('faults', { targets: ${targetsOf(expected)}, prompts, schedule: { every: '0s', rounds: 1, seed: 1 }, warmup: 0 })
probe('again', { targets: ${targetsOf(again)}, prompts, schedule: { every: '300ms', rounds: 3, seed: 1 }, warmup: 0 })
`,
  })
  const run = await project.run(['run', '--project', 'slo'], {
    MARKED_KEY: KEY,
    TRUSTED: trusted,
    NO_PROXY: '*',
  })
  output = run.output
  expect(run.code, run.output).toBe(0)
  for (const row of project.rows()) if (row['probe'] === 'faults') rows.set(row['target'] ?? '', row)
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

for (const line of expected)
  test(`${targetOf(line)}: ${line.kind ?? 'ok'}`, () => {
    const row = rows.get(targetOf(line)) ?? {}
    const { kind, status, retryAfterMs } = line
    expect(given(row['error_kind']) ?? null, row['error_message']).toBe(kind)
    expect(row['outcome']).toBe(kind === null ? 'ok' : 'error')
    expect(given(row['error_class'])).toBe(line.class)
    expect(given(row['status'])).toBe(status === undefined ? undefined : String(status))
    if (kind !== null) expect(row['error_message']).not.toBe('')
    expectTokens(line, row)
    if (status !== undefined) expect(Number(given(row['headers_ms']))).toBeGreaterThan(0)
    if (OPENING.includes(kind ?? '')) {
      expect(row['total_ms']).toBe('')
      expect(Number(given(row['connect_ms']))).toBeGreaterThan(0)
    } else {
      expect(Number(given(row['total_ms']))).toBeGreaterThan(0)
      expect(row['http_version']).toBe(line.http ?? '1.1')
    }
    if (kind === null && line.usage !== false) expect(Number(given(row['completion_tokens']))).toBeGreaterThan(0)
    if (line.flag !== 'malformed' && kind === null) expect(row['flags']?.split(' ')).not.toContain('malformed')
    if (line.flag !== undefined) expect(row['flags']?.split(' ')).toContain(line.flag)
    if (typeof retryAfterMs === 'number') expect(row['retry_after_ms']).toBe(String(retryAfterMs))
    else if (retryAfterMs === undefined) expect(row['retry_after_ms']).toBe('')
    else expect(Math.abs(Number(row['retry_after_ms']) - 30_000)).toBeLessThan(30_000)
  })

for (const line of again)
  test(`${targetOf(line)}, asked again and again: reused ${line.reused}`, () => {
    const all = project.rows().filter((row) => row['probe'] === 'again' && row['target'] === targetOf(line))
    const [first, ...later] = all.toSorted((a, b) => Number(a['round']) - Number(b['round']))
    expect(first).toMatchObject({ outcome: 'ok', reused: 'false', stale_retries: '0' })
    expect(later).toHaveLength(2)
    for (const row of later) {
      expect(row, row['error_message']).toMatchObject({ outcome: 'ok', reused: String(line.reused) })
      if (line.staleRetries !== undefined) expect(row['stale_retries']).toBe(String(line.staleRetries))
      expect(Number(row['ttft_ms'])).toBeGreaterThan(0)
    }
  })

test('every fault of the simulator is here', () => {
  const here = new Set(expected.map(({ fault }) => fault?.split(';')[0]))
  expect(faultNames.filter((name) => !here.has(name))).toEqual([])
})

test('one sample a request, and nothing was asked twice', () => {
  expect(rows.size).toBe(expected.length)
  expect(project.rows()).toHaveLength(expected.length + 3 * again.length)
  for (const row of rows.values()) expect(Number(row['stale_retries'])).toBeLessThanOrEqual(1)
})

test('the key came back in many ways, and stands nowhere', () => {
  expect(rows.get(targetOf({ fault: 'echo-key' }))?.['error_message']).toContain('[secret]')
  const files = ['samples.csv', 'runs.jsonl', 'junit.xml', 'report.json', 'summary.md'].map((file) =>
    project.read(`slo-report/${file}`),
  )
  for (const text of [output, ...files]) expect(text).not.toContain(KEY)
})
