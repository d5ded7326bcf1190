import { describe, expect, test } from 'vitest'
import type { Sample } from '../sample/types.ts'
import { failedSample, okSample } from '../sample/testing/samples.ts'
import { buildReport } from './build-report.ts'
import { run } from './testing/reports.ts'
import type { RunReport, RunSummary } from './types.ts'

const CELL = { probe: 'serverless', target: 'glm-5.3', prompt: 'medium' }

function build(samples: readonly Sample[], summary: Partial<RunSummary> = {}, cells = [CELL]): RunReport {
  return buildReport({
    run: run(summary),
    findings: [],
    samples,
    cells,
    currencies: [{ probe: 'serverless', target: 'glm-5.3', currency: 'USD' }],
    notes: [],
  })
}

const codes = (report: RunReport): string[] => report.notes.map((note) => note.code)

describe('cell summaries', () => {
  test('percentiles are numpy type 7 over successful requests that have the metric', () => {
    // numpy.percentile([100, 200, 400, 800], [50, 95, 99]) = 300, 740, 788; ([10, 20, 40], [5, 50]) = 11, 20
    const samples = [
      okSample({ ttft_ms: 800, decode_tps: 40, first_answer_ms: 1000, prompt_tokens: 10, completion_tokens: 3 }),
      okSample({ ttft_ms: 100, decode_tps: 10, first_answer_ms: 2000, prompt_tokens: 20, completion_tokens: 5 }),
      okSample({ ttft_ms: 400, decode_tps: 20 }),
      okSample({ ttft_ms: 200 }),
      failedSample({ ttft_ms: 90_000, error_kind: 'truncated', decode_tps: 1, first_answer_ms: 1 }),
    ]
    const [summary] = build(samples).cells
    expect(summary?.ttft.p50).toBe(300)
    expect(summary?.ttft.p95).toBeCloseTo(740, 9)
    expect(summary?.ttft.p99).toBeCloseTo(788, 9)
    expect(summary?.decodeTps).toEqual({ p5: 11, p50: 20 })
    expect(summary?.firstAnswer.p50).toBe(1500)
    expect(summary?.firstAnswer.p95).toBeCloseTo(1950, 9)
    expect(summary).toMatchObject({ n: 5, failed: 1, promptTokensP50: 15, completionTokensP50: 4 })
  })

  test('a cell without a sample has counts of 0 and no number', () => {
    expect(build([]).cells).toEqual([
      {
        ...CELL,
        n: 0,
        failed: 0,
        ttft: { p50: null, p95: null, p99: null },
        firstAnswer: { p50: null, p95: null },
        decodeTps: { p5: null, p50: null },
        promptTokensP50: null,
        completionTokensP50: null,
        errors: {},
        cost: null,
        currency: 'USD',
      },
    ])
  })

  test('failures are counted by kind, http_status by status; aborted requests count nowhere', () => {
    const samples = [
      okSample({ cost: 0.5 }),
      failedSample({ status: 529 }),
      failedSample({ status: 529, cost: 0.25 }),
      failedSample({ status: 401 }),
      failedSample({ error_kind: 'empty', status: 200 }),
      failedSample({ error_kind: 'aborted', cost: 99, flags: ['lag'] }),
    ]
    const report = build(samples)
    expect(report.cells[0]).toMatchObject({
      n: 5,
      failed: 4,
      errors: { 'http_status 529': 2, 'http_status 401': 1, empty: 1 },
      cost: 0.75,
    })
    expect(codes(report)).toEqual([])
  })

  test('cells keep the order in which they were selected; a sampled cell that was not selected comes last', () => {
    const cells = ['short', 'long'].map((prompt) => ({ ...CELL, prompt }))
    const report = build([okSample({ prompt: 'medium' }), okSample({ prompt: 'long' })], {}, cells)
    expect(report.cells.map(({ prompt, n }) => [prompt, n])).toEqual([
      ['short', 0],
      ['long', 1],
      ['medium', 1],
    ])
  })

  test('names that look alike when joined stay apart', () => {
    const cells = [
      { probe: 'a', target: 'b/c', prompt: 'd' },
      { probe: 'a/b', target: 'c', prompt: 'd' },
    ]
    const report = build([okSample({ probe: 'a', target: 'b/c', prompt: 'd' })], {}, cells)
    expect(report.cells.map(({ n }) => n)).toEqual([1, 0])
  })
})

describe('notes that the samples tell', () => {
  test('a served model that changed, with counts and first times; one model, or none reported, is no change', () => {
    const served = (model: string, started: string): Sample => okSample({ served_model: model, started_at: started })
    const changed = build([
      served('glm-5.3-a', '2026-10-28T00:00:00.000Z'),
      served('glm-5.3-a', '2026-10-28T00:10:00.000Z'),
      served('glm-5.3-b', '2026-10-28T00:20:00.000Z'),
      okSample(),
    ])
    expect(changed.notes).toEqual([
      {
        code: 'served-model-changed',
        message:
          'the served model changed within the run: glm-5.3-a (×2, first at 2026-10-28T00:00:00.000Z), glm-5.3-b (×1, first at 2026-10-28T00:20:00.000Z)',
        probe: 'serverless',
        target: 'glm-5.3',
      },
    ])
    expect(codes(build([served('one', '2026-10-28T00:00:00.000Z'), okSample()]))).toEqual([])
  })

  test.each([
    ['cached', 'cached-prompts', 'medium'],
    ['malformed', 'malformed-events', undefined],
    ['usage_inconsistent', 'usage-inconsistent', undefined],
    ['buffered', 'buffered-streams', undefined],
    ['batched', 'batched-first-tokens', undefined],
  ] as const)('%s', (flag, code, prompt) => {
    const { notes } = build([okSample({ flags: [flag] }), okSample(), okSample({ flags: [flag] })])
    expect(notes).toHaveLength(1)
    expect(notes[0]).toMatchObject({ code, target: 'glm-5.3' })
    expect(notes[0]?.prompt).toBe(prompt)
    expect(notes[0]?.message).toMatch(/^2 of 3 requests /)
  })

  test('client lag, stale connections and late requests', () => {
    const { notes } = build([
      okSample({ flags: ['lag'], client_lag_ms: 7.5 }),
      okSample({ stale_retries: 2 }),
      okSample({ lateness_ms: 4200, due_at: '2026-10-28T00:10:00.000Z' }),
      okSample({ lateness_ms: 1000 }),
    ])
    expect(notes.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      "client-lag: 1 of 4 requests is flagged lag: this machine was late itself; the prober's own delay reached 7.5 ms",
      'late-requests: 1 of 4 requests started over 1 s after their time, the latest by 4.2 s (due 2026-10-28T00:10:00.000Z)',
      'stale-connections: 1 of 4 requests found their idle connection closed; it was reopened before the clock started',
    ])
  })

  test('simulated samples, all of them or some', () => {
    const all = build([okSample({ simulated: 100 })], { simulated: true, timeScale: 100 })
    expect(all.notes[0]?.message).toBe(
      'SIMULATED, not measured: every sample came from the built-in simulator at time scale ×100',
    )
    expect(all.cells[0]?.simulated).toBe(true)
    const some = build([okSample({ simulated: 25, target: 'practice' }), okSample()], { simulated: true })
    expect(some.notes[0]?.message).toBe(
      'SIMULATED, not measured: 1 of 2 requests (targets practice) came from the built-in simulator at time scale ×25',
    )
    expect(some.cells.map(({ target, simulated }) => [target, simulated])).toEqual([
      ['glm-5.3', undefined],
      ['practice', true],
    ])
    expect(codes(build([], { simulated: true }))).toEqual(['simulated', 'cells-without-samples'])
  })

  test('cells without a sample are named; notes of the run come first', () => {
    const report = buildReport({
      run: run(),
      findings: [],
      samples: [],
      cells: [CELL],
      currencies: [],
      notes: [{ code: 'missed-rounds', message: '2 missed' }],
    })
    expect(codes(report)).toEqual(['missed-rounds', 'cells-without-samples'])
    expect(report.notes[1]?.message).toBe('1 of 1 selected cells have no sample: serverless/glm-5.3/medium')
  })
})

test('the sum of costs is the same for any order of the rows', () => {
  const costs = [0.1, 0.2, 0.3, 1e-9, 12.7, 0.0186786, 0.7]
  const samples = costs.map((cost, seq) => okSample({ cost, seq }))
  const sums = [samples, samples.toReversed(), samples.toSorted((a, b) => (a.cost ?? 0) - (b.cost ?? 0))].map(
    (each) => build(each).cells[0]?.cost,
  )
  expect(new Set(sums).size).toBe(1)
  expect(sums[0]).toBeCloseTo(14.018678601, 12)
})
