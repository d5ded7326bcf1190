import { describe, expect, it } from 'vitest'
import { parseLimit } from '../budget/index.ts'
import { favourableValue } from './client-delay.ts'
import { judge } from './index.ts'
import { caseOf, failed, inputOf, ok, times } from './testing/cases.ts'

describe('the favourable end of a bound', () => {
  const sample = ok({ ttft_ms: 1000, ttft_error_ms: 3, last_token_ms: 3000, client_lag_ms: 40, completion_tokens: 101 })

  it.each([
    // ttft has its own bound; every other time the request's
    ['p99 ttft < 10s', 1000, 997],
    ['p99 total < 10s', 4000, 3960],
    ['p99 first_answer < 10s', 1500, 1460],
    ['p99 connect < 10s', 30, 0],
    ['p99 gap_max < 10s', 500, 460],
    // the window of 2000 ms shortened by 40
    ['p5 decode_tps > 5', 50, 50 / (1960 / 2000)],
    ['p99 tpot < 1s', 20, 20 * (1960 / 2000)],
    // counts are no times
    ['p99 completion_tokens < 100', 101, 101],
    ['p99 cost < 100', 0.5, 0.5],
    // A stamp is never early: a floor under a time gains nothing. A gap may be longer than it was measured.
    ['p1 ttft > 20ms', 1000, 1000],
    ['p1 total > 20ms', 4000, 4000],
    ['p1 gap_max > 20ms', 500, 540],
    // too fast to be true: the window may be longer
    ['p95 decode_tps < 1000', 50, 50 / (2040 / 2000)],
  ])('%s: %d may be %d', (text, value, expected) => {
    const limit = parseLimit(text)
    if (limit.kind !== 'statistic') throw new Error('not a statistic')
    expect(favourableValue(sample, limit.metric, value, limit.operator)).toBeCloseTo(expected, 9)
  })

  it('is a real time, so `simulated` times as long in a practice sample', () => {
    const practice = ok({ ttft_ms: 1000, ttft_error_ms: 3, client_lag_ms: 40, simulated: 25 })
    expect(favourableValue(practice, 'ttft', 1000, '<')).toBe(925)
    expect(favourableValue(practice, 'total', 4000, '<')).toBe(3000)
  })

  it('is the request’s where the first token has none of its own', () => {
    const { ttft_error_ms: _none, ...rest } = ok({ ttft_ms: 1000, client_lag_ms: 40 })
    expect(favourableValue(rest, 'ttft', 1000, '<')).toBe(960)
  })

  it('leaves no window rather than a negative one', () => {
    const burst = ok({ ttft_ms: 1000, last_token_ms: 1010, client_lag_ms: 40 })
    expect(favourableValue(burst, 'tpot', 5, '<')).toBe(0)
    expect(favourableValue(burst, 'decode_tps', 900, '>')).toBeGreaterThan(1e12)
  })
})

describe('a verdict that delay turns', () => {
  const fast = (count: number) => times(count, () => ok({ ttft_ms: 1000 }))
  const p90 = caseOf('p90 ttft < 10s')
  const late = () => ok({ seq: 777, ttft_ms: 10_002, ttft_error_ms: 4, client_lag_ms: 4 })

  it('is inconclusive, and names the samples', () => {
    const samples = [...fast(17), ok({ seq: 555, ttft_ms: 20_000 }), late(), { ...late(), seq: 778 }]
    const finding = judge(p90, inputOf(samples))
    // h = 17.1: 10 002 as measured, 9998 at best
    expect(finding).toMatchObject({
      verdict: 'inconclusive',
      reason: 'client-delay',
      value: 10_002,
      beyond: 3,
      evidence: { proven: null, samplesMissing: null },
    })
    expect(finding.worst.map(({ seq }) => seq).slice(0, 3)).toEqual([777, 778, 555])
    expect(finding.message).toBe(
      "p90 ttft of example/glm-5.3/medium inconclusive: 10002 ms, over the limit of 10 s as measured, but not if the runner's own delay is taken off, so the runner may be slow and not the model: requests #777, #778; 3 of 20 beyond, 2 allowed",
    )
  })

  it('stays where the delay cannot explain it', () => {
    const samples = [...fast(17), ...times(3, () => ok({ ttft_ms: 10_005, ttft_error_ms: 4, client_lag_ms: 4 }))]
    expect(judge(p90, inputOf(samples))).toMatchObject({ verdict: 'fail' })
  })

  it('never makes a pass worse', () => {
    const samples = times(20, () => ok({ ttft_ms: 9999, ttft_error_ms: 5000, client_lag_ms: 5000 }))
    expect(judge(p90, inputOf(samples))).toMatchObject({ verdict: 'pass', value: 9999 })
  })

  it('counts practice samples on their own scale', () => {
    const samples = times(20, () => ok({ ttft_ms: 10_300, ttft_error_ms: 4, client_lag_ms: 4, simulated: 100 }))
    expect(judge(p90, inputOf(samples))).toMatchObject({ verdict: 'inconclusive', reason: 'client-delay' })
    const real = times(20, () => ok({ ttft_ms: 10_300, ttft_error_ms: 4, client_lag_ms: 4 }))
    expect(judge(p90, inputOf(real))).toMatchObject({ verdict: 'fail' })
  })

  it('holds for means, shares and stalls; errors have no time', () => {
    const samples = times(10, () => ok({ ttft_ms: 10_002, ttft_error_ms: 4, gap_max_ms: 5001, client_lag_ms: 4 }))
    for (const limit of ['mean ttft < 10s', 'share(ttft > 10s) < 10%', 'share(ttft < 10s) > 90%', 'stall_rate < 10%']) {
      const finding = judge(caseOf(limit), inputOf(samples))
      expect(finding, limit).toMatchObject({ verdict: 'inconclusive', reason: 'client-delay' })
      expect(finding.worst, limit).toHaveLength(5)
    }
    const many = judge(
      caseOf('share(ttft > 10s) < 10%'),
      inputOf(samples.map((sample, at) => ({ ...sample, seq: at }))),
    )
    expect(many.message).toContain('not the model: requests #0, #1, #2, #3, #4 and others; 10 of 10 beyond')
    const errors = times(100, () => failed('reset', { client_lag_ms: 900 }))
    expect(judge(caseOf('error_rate < 1%'), inputOf(errors))).toMatchObject({ verdict: 'fail' })
  })

  it('holds for speeds', () => {
    const slow = times(20, () => ok({ decode_tps: 4.99, ttft_ms: 0, last_token_ms: 1000, client_lag_ms: 4 }))
    expect(judge(caseOf('p50 decode_tps > 5'), inputOf(slow))).toMatchObject({
      verdict: 'inconclusive',
      reason: 'client-delay',
    })
    const slower = times(20, () => ok({ decode_tps: 4.97, ttft_ms: 0, last_token_ms: 1000, client_lag_ms: 4 }))
    expect(judge(caseOf('p50 decode_tps > 5'), inputOf(slower))).toMatchObject({ verdict: 'fail' })
  })
})
