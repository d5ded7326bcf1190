import { describe, expect, it } from 'vitest'
import { parseLimit } from '../budget/index.ts'
import type { BudgetDefaults, CellKey } from '../budget/types.ts'
import { judge, judgeAll, judgeLimit } from './index.ts'
import { caseOf, CELL, cut, failed, inputOf, ok, times } from './testing/cases.ts'

const p99 = caseOf('p99 ttft < 10s')
const SHORT: CellKey = { ...CELL, prompt: 'short' }
const LONG: CellKey = { ...CELL, prompt: 'long' }
const pool = caseOf('p99 ttft < 10s', { prompt: 'all', cells: [CELL, SHORT] })
const slow = () => ok({ ttft_ms: 20_000 })

describe('min_samples', () => {
  it('makes a verdict on fewer inconclusive', () => {
    const finding = judge(p99, inputOf(times(40, () => ok())))
    expect(finding).toMatchObject({ verdict: 'inconclusive', reason: 'too-few-samples', n: 40, value: 1000 })
    expect(finding.message).toBe(
      'p99 ttft of example/glm-5.3/medium inconclusive: 40 samples, p99 needs 100; so far 1 s, 0 of 40 beyond, 0 allowed',
    )
    expect(judge(p99, inputOf(times(100, () => ok()))).verdict).toBe('pass')
    expect(judge({ ...p99, minSamples: 20 }, inputOf(times(40, () => ok()))).verdict).toBe('pass')
  })

  it('does not hold back a breach that is proven', () => {
    // P(Bin(40, 1 %) ≥ 2) = 6.1 %, ≥ 3: 0.75 %
    expect(judge(p99, inputOf([...times(38, () => ok()), slow(), slow()]))).toMatchObject({ verdict: 'inconclusive' })
    expect(judge(p99, inputOf([...times(37, () => ok()), slow(), slow(), slow()]))).toMatchObject({
      verdict: 'fail',
      n: 40,
      evidence: { proven: 'fail' },
    })
  })

  it('is missing where nobody can say it', () => {
    const finding = judge(caseOf('p100 ttft < 10s'), inputOf(times(500, () => ok())))
    expect(finding).toMatchObject({ verdict: 'inconclusive', reason: 'too-few-samples' })
    expect(finding.message).toMatch(/inconclusive: p100 needs an explicit min_samples; so far 1 s/)
    expect(judge(caseOf('p100 ttft < 10s', { minSamples: 5 }), inputOf(times(5, () => ok()))).verdict).toBe('pass')
    expect(
      judge(caseOf('p100 ttft < 10s', { minSamples: 5 }), inputOf([...times(4, () => ok()), slow()])).verdict,
    ).toBe('fail')
  })

  it('lets nothing pass against its own proof', () => {
    // 9.736 s by interpolation, but one of five is beyond: P(Bin(5, 1 %) ≥ 1) = 4.9 %
    const finding = judge({ ...p99, minSamples: 5 }, inputOf([...times(4, () => ok()), ok({ ttft_ms: 10_100 })]))
    expect(finding).toMatchObject({ verdict: 'fail', beyond: 1, evidence: { proven: 'fail' } })
    expect(finding.message).toMatch(/is 9\.74 s, within the limit of 10 s, yet beyond it by proof: 1 of 5 beyond/)
  })
})

describe('no samples', () => {
  it('never pass, whatever min_samples says', () => {
    for (const minSamples of [0, 1, null]) {
      const finding = judge({ ...p99, minSamples }, inputOf([]))
      expect(finding).toMatchObject({
        verdict: 'inconclusive',
        reason: 'no-samples',
        n: 0,
        value: null,
        broken: true,
        worst: [],
      })
      expect(finding.message).toBe('p99 ttft of example/glm-5.3/medium inconclusive: no samples')
    }
  })

  it('are samples of other cells, and aborted ones', () => {
    const others = [ok(SHORT), ok({ probe: 'other' }), ok({ target: 'other' }), failed('aborted', { ttft_ms: 5 })]
    expect(judge({ ...p99, minSamples: 0 }, inputOf(others))).toMatchObject({
      n: 0,
      verdict: 'inconclusive',
      broken: true,
      failed: 0,
    })
  })

  it('are failures only, where a latency is asked', () => {
    const finding = judge({ ...p99, minSamples: 0 }, inputOf(times(7, () => failed('reset'))))
    expect(finding).toMatchObject({ n: 0, verdict: 'inconclusive', reason: 'no-samples', broken: false, failed: 7 })
    expect(finding.message).toMatch(
      /inconclusive: none of 7 samples counts for ttft; 7 of 7 requests failed without a number$/,
    )
  })
})

describe('a partial selection', () => {
  const both = [...times(100, () => ok()), ...times(100, () => ok(SHORT))]

  it('is inconclusive', () => {
    expect(judge(pool, inputOf(both)).verdict).toBe('pass')
    const finding = judge(pool, inputOf(both, { incomplete: [SHORT] }))
    expect(finding).toMatchObject({ verdict: 'inconclusive', reason: 'partial-selection', broken: false })
    expect(finding.message).toMatch(
      /^p99 ttft of example\/glm-5\.3\/all inconclusive: partial selection, 1 of 2 cells not sampled to the end; so far 1 s, 0 of 200 beyond/,
    )
    expect(judge(p99, inputOf(both, { incomplete: [CELL], interrupted: true }))).toMatchObject({
      reason: 'ended-early',
    })
  })

  it('is told as an early end where the run was interrupted', () => {
    const early = { interrupted: true, incomplete: [CELL, SHORT] }
    expect(judge(pool, inputOf(both, early)).message).toMatch(
      /^p99 ttft of example\/glm-5\.3\/all inconclusive: the run ended early: 2 of 2 cells not sampled to the end; so far 1 s, 0 of 200 beyond/,
    )
    expect(judge(pool, inputOf([], early)).message).toMatch(
      /inconclusive: the run ended early: 2 of 2 cells not sampled to the end; no samples$/,
    )
  })

  it('concerns the cells of the case only', () => {
    expect(judge(pool, inputOf(both, { incomplete: [LONG] })).verdict).toBe('pass')
  })

  it('still fails where every cell has samples and they prove it', () => {
    const samples = [...both, ...times(20, slow)]
    expect(judge(pool, inputOf(samples, { incomplete: [SHORT], interrupted: true }))).toMatchObject({ verdict: 'fail' })
  })

  it('is another pool where a cell is missing altogether', () => {
    const finding = judge(pool, inputOf(times(100, slow), { incomplete: [SHORT] }))
    expect(finding).toMatchObject({
      verdict: 'inconclusive',
      reason: 'partial-selection',
      broken: false,
      evidence: { proven: 'fail' },
    })
  })
})

describe('a broken gate', () => {
  it('is a cell without any sample though nobody interrupted', () => {
    const samples = times(200, () => ok())
    const finding = judge(pool, inputOf(samples))
    expect(finding).toMatchObject({ broken: true, verdict: 'inconclusive', reason: 'no-samples' })
    expect(finding.message).toMatch(/inconclusive: 1 of 2 cells without any sample; so far 1 s, 0 of 200 beyond/)
    expect(judge(pool, inputOf(samples, { interrupted: true, incomplete: [SHORT] }))).toMatchObject({ broken: false })
    expect(judge(pool, inputOf(samples, { interrupted: true }))).toMatchObject({
      broken: false,
      verdict: 'inconclusive',
    })
    expect(judge(pool, inputOf([...samples, failed('dns', SHORT)]))).toMatchObject({ broken: false, verdict: 'pass' })
  })
})

describe('a finding', () => {
  it('carries what reports and tests need', () => {
    const limit = caseOf('p95 cost < 1', { severity: 'warn', onInconclusive: 'skip' })
    const currencies = [
      { probe: 'example', target: 'glm-5.3', currency: 'USD' },
      { probe: 'example', target: 'other', currency: 'INR' },
    ]
    const finding = judge(
      limit,
      inputOf(
        times(20, () => ok({ cost: 0.0125 })),
        { currencies },
      ),
    )
    expect(finding).toMatchObject({
      budget: 'the-budget',
      ...CELL,
      severity: 'warn',
      onInconclusive: 'skip',
      metric: 'cost',
      statistic: 'p95',
      threshold: null,
      operator: '<',
      limit: 1,
      unit: 'currency',
      text: 'p95 cost < 1',
      currency: 'USD',
      source: { file: 'slo.yaml', line: 12, column: 5 },
    })
    expect(finding.message).toMatch(/is 0\.0125 USD, within the limit of 1 USD/)
    expect(JSON.parse(JSON.stringify(finding))).toEqual(finding)
  })

  it('shows the five worst, cut off before slow, with time and request', () => {
    const samples = [
      ...times(50, (at) => ok({ ttft_ms: 100 + at })),
      ok({ seq: 9001, ttft_ms: 30_000, request_id: 'req-slow', started_at: '2026-12-01T03:00:00.000Z' }),
      cut({ seq: 9002 }),
      failed('connect_timeout', { seq: 9003, connect_ms: 10_000 }),
      failed('reset', { seq: 9004 }),
    ]
    const { worst } = judge(p99, inputOf(samples))
    expect(worst.map(({ seq, value, censored, error_kind }) => [seq, value, censored, error_kind])).toEqual([
      [9002, 240_000, true, 'first_token_timeout'],
      [9003, null, false, 'connect_timeout'],
      [9001, 30_000, false, null],
      [expect.any(Number), 149, false, null],
      [expect.any(Number), 148, false, null],
    ])
    expect(worst[2]).toMatchObject({ request_id: 'req-slow', started_at: '2026-12-01T03:00:00.000Z', ...CELL })
    expect(worst[3]?.request_id).toBeNull()
  })
})

describe('judgeAll', () => {
  it('gives what judge gives, in the order of the cases', () => {
    const cases = [p99, pool, caseOf('error_rate < 1%', { ...SHORT, cells: [SHORT] }), caseOf('mean ttft < 1ms')]
    const input = inputOf([
      ...times(100, () => ok()),
      ...times(50, slow),
      ...times(60, () => failed('empty', SHORT)),
      cut(SHORT),
    ])
    expect(judgeAll(cases, input)).toEqual(cases.map((each) => judge(each, input)))
  })
})

describe('judgeLimit', () => {
  const defaults: BudgetDefaults = {
    severity: 'fail',
    onInconclusive: 'fail',
    per: 'cell',
    minSamples: null,
    failures: 'exclude',
  }

  it('judges what it is given, whatever the cells', () => {
    const samples = [...times(50, () => ok()), ...times(50, () => ok(SHORT))]
    const finding = judgeLimit(parseLimit('p99 ttft < 10s'), samples, defaults)
    expect(finding).toMatchObject({
      verdict: 'pass',
      n: 100,
      probe: 'example',
      target: 'glm-5.3',
      prompt: 'all',
      broken: false,
    })
    expect(judgeLimit(parseLimit('p99 ttft < 900ms'), samples, defaults)).toMatchObject({
      verdict: 'fail',
      beyond: 100,
    })
    expect(judgeLimit(parseLimit('p99 ttft < 10s'), samples.slice(1), defaults)).toMatchObject({
      reason: 'too-few-samples',
    })
  })

  it('takes min_samples and failures from the defaults', () => {
    const samples = [...times(5, () => ok()), failed('reset')]
    expect(judgeLimit(parseLimit('p50 ttft < 10s'), samples, { ...defaults, minSamples: 5 })).toMatchObject({
      verdict: 'pass',
      n: 5,
    })
    expect(
      judgeLimit(parseLimit('p50 ttft < 10s'), samples, { ...defaults, minSamples: 5, failures: 'exceed' }),
    ).toMatchObject({ n: 6 })
  })

  it('never passes on nothing', () => {
    const finding = judgeLimit(parseLimit('error_rate < 50%'), [failed('aborted')], { ...defaults, minSamples: 0 })
    expect(finding).toMatchObject({ verdict: 'inconclusive', reason: 'no-samples' })
    expect(finding.message).toBe('error_rate of the given samples inconclusive: no samples')
  })
})

describe('a limit on given samples', () => {
  it('never fails for want of data where it only warns', () => {
    const defaults = {
      severity: 'warn',
      onInconclusive: 'fail',
      per: 'cell',
      minSamples: null,
      failures: 'exclude',
    } as const
    expect(judgeLimit(parseLimit('p99 ttft < 10s'), [ok()], defaults).onInconclusive).toBe('warn')
  })
})
