import { describe, expect, it } from 'vitest'
import { judge } from './index.ts'
import { caseOf, cut, failed, inputOf, ok, times } from './testing/cases.ts'

const p99 = caseOf('p99 ttft < 10s')
const fast = (count: number) => times(count, (at) => ok({ ttft_ms: 1000 + at }))

describe('a percentile', () => {
  it('passes within its limit, and says what a proof needs', () => {
    // h = 119 × 0.99 = 117.81: between 1117 and 1118 of 1000 … 1118 and one of 20 s
    const finding = judge(p99, inputOf([...fast(119), ok({ ttft_ms: 20_000 })]))
    expect(finding).toMatchObject({
      verdict: 'pass',
      n: 120,
      beyond: 1,
      censored: 0,
      failed: 0,
      valueIsBound: false,
      broken: false,
    })
    expect(finding.value).toBeCloseTo(1117.81, 9)
    expect(finding.evidence).toEqual({ proven: null, confidence: 0.95, samplesMissing: 473 - 120 })
    expect(finding).not.toHaveProperty('reason')
    expect(finding.message).toBe(
      'p99 ttft of example/glm-5.3/medium is 1.12 s, within the limit of 10 s: 1 of 120 beyond, 1 allowed; likely within: 353 more clean samples would prove it at 95 %',
    )
  })

  it('fails beyond its limit, with the proof', () => {
    const slow = [13_000, 14_000, 15_000, 16_000].map((ttft_ms) => ok({ ttft_ms }))
    const finding = judge(p99, inputOf([...fast(116), ...slow]))
    // h = 117.81: 14 000 + 0.81 × 1000
    expect(finding.value).toBeCloseTo(14_810, 9)
    expect(finding).toMatchObject({
      verdict: 'fail',
      n: 120,
      beyond: 4,
      evidence: { proven: 'fail', samplesMissing: null },
    })
    expect(finding.message).toBe(
      'p99 ttft of example/glm-5.3/medium is 14.81 s, over the limit of 10 s: 4 of 120 beyond, 1 allowed; proven beyond at 95 %, if requests are independent',
    )
  })

  it('fails without proof', () => {
    const finding = judge(p99, inputOf([...fast(118), ok({ ttft_ms: 13_000 }), ok({ ttft_ms: 14_000 })]))
    expect(finding).toMatchObject({ verdict: 'fail', beyond: 2, evidence: { proven: null, samplesMissing: null } })
    expect(finding.message).toMatch(/2 of 120 beyond, 1 allowed; not proven at 95 %$/)
  })

  it('is proven within from 299 clean samples on', () => {
    expect(judge(p99, inputOf(fast(298))).evidence).toEqual({ proven: null, confidence: 0.95, samplesMissing: 1 })
    const finding = judge(p99, inputOf(fast(299)))
    expect(finding.evidence).toEqual({ proven: 'pass', confidence: 0.95, samplesMissing: null })
    expect(finding.message).toMatch(/0 of 299 beyond, 2 allowed; proven within at 95 %, if requests are independent$/)
  })

  it.each([
    ['p50 ttft < 1s', 'fail'],
    ['p50 ttft <= 1s', 'pass'],
    ['p50 ttft > 1s', 'fail'],
    ['p50 ttft >= 1s', 'pass'],
  ] as const)('%s is compared unrounded, at the limit itself: %s', (limit, verdict) => {
    // `>` on a time is a floor; the parser asks for more than half, which a median of equal values does not change.
    const { limit: parsed, ...rest } = caseOf('p50 ttft < 1s')
    const operator = limit.split(' ')[2] as '<' | '<=' | '>' | '>='
    const budgetCase = { ...rest, limit: { ...parsed, operator } }
    const finding = judge(budgetCase, inputOf(times(10, () => ok({ ttft_ms: 1000 }))))
    // All ten at the limit are beyond a strict one: proven as well.
    expect(finding.verdict).toBe(verdict)
    expect(finding.beyond).toBe(verdict === 'fail' ? 10 : 0)
  })

  it('never shows a value rounded onto its limit', () => {
    const finding = judge(p99, inputOf(times(100, () => ok({ ttft_ms: 10_000.004 }))))
    expect(finding.message).toMatch(/is 10000\.004 ms, over the limit of 10 s/)
    const at = judge(p99, inputOf(times(100, () => ok({ ttft_ms: 10_000 }))))
    expect(at.message).toMatch(/is 10 s, not below the limit of 10 s/)
  })

  it('of a speed has its bad end below', () => {
    const p5 = caseOf('p5 decode_tps > 5')
    const speeds = times(97, (at) => ok({ decode_tps: 20 + at }))
    // h = 99 × 0.05 = 4.95: between 21 and 22, ranks 4 and 5 of 1, 2, 3, 20, 21, 22 …
    const passing = judge(p5, inputOf([...speeds, ...[1, 2, 3].map((decode_tps) => ok({ decode_tps }))]))
    expect(passing).toMatchObject({ verdict: 'pass', beyond: 3, n: 100, unit: 'tok/s' })
    expect(passing.value).toBeCloseTo(21.95, 9)
    expect(passing.worst.map(({ value }) => value)).toEqual([1, 2, 3, 20, 21])
    const failing = judge(p5, inputOf([...speeds.slice(0, 89), ...times(11, () => ok({ decode_tps: 2 }))]))
    expect(failing).toMatchObject({ verdict: 'fail', beyond: 11, value: 2, evidence: { proven: 'fail' } })
    expect(failing.message).toMatch(
      /is 2 tok\/s, under the limit of 5 tok\/s: 11 of 100 beyond, 5 allowed; proven beyond/,
    )
  })

  it('counts only samples that have the metric', () => {
    const finding = judge(
      caseOf('p95 first_answer < 40s'),
      inputOf([...times(20, () => ok({ first_answer_ms: 9000 })), ...times(80, () => ok())]),
    )
    expect(finding).toMatchObject({ verdict: 'pass', n: 20, value: 9000 })
  })
})

describe('cut-off samples', () => {
  it('get no number where interpolation would touch them: the count decides', () => {
    const finding = judge(p99, inputOf([...fast(116), ...times(4, () => cut())]))
    expect(finding).toMatchObject({
      verdict: 'fail',
      n: 120,
      beyond: 4,
      censored: 4,
      failed: 4,
      value: 240_000,
      valueIsBound: true,
    })
    expect(finding.message).toBe(
      'p99 ttft of example/glm-5.3/medium is ≥ 240 s, over the limit of 10 s: 4 of 120 beyond (4 cut off by our timeouts), 1 allowed; proven beyond at 95 %, if requests are independent',
    )
    expect(finding.worst[0]).toMatchObject({ value: 240_000, censored: true, error_kind: 'first_token_timeout' })
  })

  it('pass by count up to n·e, exactly', () => {
    // h = 98.01 touches the one of 100; 1 ≤ 100 × 1/100
    const one = judge(p99, inputOf([...fast(99), cut()]))
    expect(one).toMatchObject({ verdict: 'pass', n: 100, beyond: 1, censored: 1, valueIsBound: true })
    // 0.99 × 1098 + 0.01 × 240 000, the least that it can be
    expect(one.value).toBeCloseTo(3487.02, 6)
    expect(one.message).toMatch(
      /is ≥ 3\.49 s, within the limit of 10 s by count: 1 of 100 beyond \(1 cut off by our timeouts\), 1 allowed/,
    )
    expect(judge(p99, inputOf([...fast(98), cut(), cut()])).verdict).toBe('fail')
    expect(judge(p99, inputOf([...fast(97), cut(), ok({ ttft_ms: 20_000 }), ok({ ttft_ms: 20_000 })])).verdict).toBe(
      'fail',
    )
  })

  it('keep the value where it does not touch them', () => {
    // h = 199 × 0.99 = 197.01; the one cut off is at 199
    const finding = judge(p99, inputOf([...fast(199), cut()]))
    expect(finding).toMatchObject({ verdict: 'pass', valueIsBound: false, n: 200, beyond: 1 })
    expect(finding.value).toBeCloseTo(1000 + 197.01, 9)
  })

  it('are worse than a lower limit too, without a number', () => {
    const p5 = caseOf('p5 decode_tps > 5')
    const stall = () => failed('stall_timeout', { ttft_ms: 100, last_token_ms: 200, decode_tps: 900, total_ms: 60_200 })
    const finding = judge(p5, inputOf([...times(90, () => ok({ decode_tps: 50 })), ...times(10, stall)]))
    expect(finding).toMatchObject({
      verdict: 'fail',
      n: 100,
      beyond: 10,
      censored: 10,
      value: null,
      valueIsBound: false,
    })
    expect(finding.message).toMatch(
      /^p5 decode_tps of example\/glm-5\.3\/medium has no number but breaks the limit of 5 tok\/s: 10 of 100 beyond/,
    )
    const few = judge(p5, inputOf([...times(95, () => ok({ decode_tps: 50 })), ...times(5, stall)]))
    expect(few).toMatchObject({ verdict: 'pass', beyond: 5, value: null })
  })

  it('count with the first token that they had', () => {
    const stalled = failed('stall_timeout', { ttft_ms: 700, last_token_ms: 900, total_ms: 60_900 })
    expect(judge(p99, inputOf([...fast(99), stalled]))).toMatchObject({ n: 100, beyond: 0, censored: 0, failed: 1 })
    expect(
      judge(caseOf('p99 total < 60s'), inputOf([...times(99, () => ok({ total_ms: 9000 })), stalled])),
    ).toMatchObject({
      n: 100,
      beyond: 1,
      censored: 1,
    })
  })
})

describe('other failures', () => {
  const broken = () => failed('http_status', { status: 529, total_ms: 50 })

  it('have no latency', () => {
    const finding = judge(p99, inputOf([...fast(100), ...times(20, broken)]))
    expect(finding).toMatchObject({
      verdict: 'pass',
      n: 100,
      beyond: 0,
      failed: 20,
      failures: { 'http_status 529': 20 },
    })
    expect(finding.message).toMatch(/; 20 of 120 requests failed without a number$/)
  })

  it('are beyond every limit with `failures: exceed`', () => {
    const exceed = caseOf('p99 ttft < 10s', { failures: 'exceed' })
    const finding = judge(exceed, inputOf([...fast(100), ...times(20, broken)]))
    expect(finding).toMatchObject({ verdict: 'fail', n: 120, beyond: 20, censored: 0, value: null })
    expect(judge(exceed, inputOf([...fast(99), broken()]))).toMatchObject({ verdict: 'pass', n: 100, beyond: 1 })
    const speed = caseOf('p5 decode_tps > 5', { failures: 'exceed' })
    const speeds = times(90, () => ok({ decode_tps: 50 }))
    expect(judge(speed, inputOf([...speeds, ...times(10, broken)]))).toMatchObject({
      verdict: 'fail',
      beyond: 10,
      n: 100,
    })
  })
})
