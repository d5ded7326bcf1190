import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { budgetCases, parseBudgets } from '../budget/index.ts'
import { systemClock } from '../clock.ts'
import { openSampleStore } from '../sample/index.ts'
import { okSample } from '../sample/testing/samples.ts'
import type { RunEnd, RunStart } from '../sample/types.ts'
import type { Probe } from '../spec/types.ts'
import type { Finding } from '../verdict/types.ts'
import { historyOf, isPassing, readBaselineFiles } from './baselines.ts'
import { earlierCounter, earlierRows, readEarlierRuns } from './earlier-runs.ts'

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'earlier runs '))
})
afterEach(() => rm(dir, { recursive: true }))

const { file } = parseBudgets('version: 1\nbudgets: [{ limit: p99 ttft < 10s, window: 7d }]\n', 'slo.yaml')
const start = (run_id: string): RunStart => ({
  type: 'start',
  run_id,
  plan: '',
  started_at: '2026-12-01T02:00:00.000Z',
  seeds: {},
  planned: 1,
  cells: [],
  overrides: {},
  versions: {},
  currencies: [],
})
const end = (run_id: string, fields: Partial<RunEnd> = {}): RunEnd => ({
  type: 'end',
  run_id,
  ended_at: '2026-12-01T03:00:00.000Z',
  sampled: 1,
  missed_rounds: 0,
  complete: true,
  interrupted: false,
  notes: [],
  ...fields,
})

async function filled(): Promise<void> {
  const store = await openSampleStore(dir, { clock: systemClock })
  for (const [run_id, fields] of [
    ['a', {}],
    ['b', { stopped_early: true }],
    ['c', {}],
  ] as const) {
    await store.appendRunLine(start(run_id))
    await store.append(okSample({ run_id, seq: 0 }))
    await store.append(okSample({ run_id, seq: 1, simulated: 100 }))
    await store.appendRunLine(end(run_id, fields))
  }
  await store.appendRunLine(start('open'))
  await store.append(okSample({ run_id: 'open' }))
  await store.close()
}

test('rows of other runs count, but not of those that stopped early', async () => {
  await filled()
  const runs = await readEarlierRuns(dir, file)
  expect(earlierRows(runs, 'open').map((row) => row.run_id)).toEqual(['a', 'a', 'c', 'c'])
})

test('nothing is read where no budget looks back, and nothing is wrong where there is nothing', async () => {
  expect(await readEarlierRuns(dir, file)).toEqual({ rows: [], lines: [] })
  await filled()
  const { file: other } = parseBudgets('version: 1\nbudgets: [{ limit: p99 ttft < 10s }]\n', 'slo.yaml')
  expect(await readEarlierRuns(dir, other)).toEqual({ rows: [], lines: [] })
  await writeFile(join(dir, 'samples.csv'), 'no header of ours\r\n')
  expect(await readEarlierRuns(dir, file)).toEqual({ rows: [], lines: [] })
})

test('the check before the first request counts what the window will take', async () => {
  await filled()
  const runs = await readEarlierRuns(dir, file)
  const row = okSample()
  const target = { name: row.target, model: row.model, kind: 'real' as const }
  const probe = { name: row.probe, labels: {}, targets: [target] } as unknown as Probe
  const [budgetCase] = budgetCases(file, [{ probe: row.probe, target: row.target, prompt: row.prompt }])
  if (budgetCase === undefined) throw new Error('no case')
  const at = Date.parse(row.started_at)
  expect(earlierCounter(runs, [probe], at + 6 * 86_400_000)(budgetCase)).toBe(2)
  expect(earlierCounter(runs, [probe], at + 8 * 86_400_000)(budgetCase)).toBe(0)
  const renamed = { ...probe, targets: [{ ...target, model: 'glm-6' }] } as unknown as Probe
  expect(earlierCounter(runs, [renamed], at)(budgetCase)).toBe(0)
})

async function judged(): Promise<void> {
  const store = await openSampleStore(dir, { clock: systemClock })
  for (const [run_id, fields] of [
    ['passed', { passed: true }],
    ['failed', { passed: false }],
    ['unknown', {}],
    ['cut', { passed: true, complete: false }],
    ['early', { passed: true, stopped_early: true }],
  ] as const) {
    await store.appendRunLine(start(run_id))
    await store.append(okSample({ run_id }))
    await store.appendRunLine(end(run_id, fields))
  }
  await store.append(okSample({ run_id: 'without a line' }))
  await store.close()
}

test('the history is made of runs that are known to have passed', async () => {
  await judged()
  const [runs, looking] = [
    join(dir, 'samples.csv'),
    'version: 1\nbudgets: [{ limit: p50 ttft <= baseline, baseline: { history: 9d } }]\n',
  ]
  const { rows, lines } = await readEarlierRuns(dir, file)
  expect(historyOf(rows, lines, 'other')[0]?.samples.map((row) => row.run_id)).toEqual(['passed'])
  expect(historyOf(rows, lines, 'passed')[0]?.samples).toEqual([])
  expect(parseBudgets(looking, runs).problems).toEqual([])
})

test('a named file gives all runs but those known to have failed', async () => {
  await judged()
  const parsed = parseBudgets(
    'version: 1\nbudgets: [{ limit: p50 ttft <= baseline, baseline: { file: samples.csv } }]\n',
    'slo.yaml',
  )
  const { baselines, problems } = await readBaselineFiles({ text: '', dir, parsed })
  expect(problems).toEqual([])
  expect(baselines).toHaveLength(1)
  expect(baselines[0]?.samples.map((row) => row.run_id)).toEqual(['passed', 'unknown', 'cut', 'without a line'])
  const elsewhere = await readBaselineFiles({ text: '', dir: join(dir, 'nowhere'), parsed })
  expect(elsewhere.baselines).toEqual([])
  expect(elsewhere.problems[0]).toMatch(/^baseline samples\.csv: .*\n  the path is relative to slo\.yaml$/)
})

test('a run passes where nothing of it fails a test', () => {
  const finding = (fields: Partial<Finding>) =>
    ({ verdict: 'pass', severity: 'fail', onInconclusive: 'fail', ...fields }) as Finding
  expect(isPassing([finding({}), finding({ verdict: 'fail', severity: 'warn' })], true)).toBe(true)
  expect(isPassing([finding({ verdict: 'inconclusive', onInconclusive: 'skip' })], true)).toBe(true)
  expect(isPassing([finding({})], false)).toBe(false)
  expect(isPassing([finding({ verdict: 'fail' })], true)).toBe(false)
  expect(isPassing([finding({ verdict: 'inconclusive' })], true)).toBe(false)
})
