import { describe, expect, it } from 'vitest'
import { judge } from './index.ts'
import { caseOf, inputOf, ok, times } from './testing/cases.ts'

const slow = () => ok({ ttft_ms: 20_000 })
const proven = (limit: string, confidence = 0.95) => caseOf(limit, { confidence })

describe('confidence', () => {
  // Wilks: 299 clean samples prove p99, 473 with one beyond, 628 with two.
  it.each([
    [298, 0, 'inconclusive'],
    [299, 0, 'pass'],
    [472, 1, 'inconclusive'],
    [473, 1, 'pass'],
    [627, 2, 'inconclusive'],
    [628, 2, 'pass'],
  ] as const)('%d samples, %d beyond: %s', (n, beyond, verdict) => {
    const samples = [...times(n - beyond, () => ok()), ...times(beyond, slow)]
    expect(judge(proven('p99 ttft < 10s'), inputOf(samples)).verdict).toBe(verdict)
  })

  it('says how many samples are missing', () => {
    const finding = judge(proven('p99 ttft < 10s'), inputOf([...times(119, () => ok()), slow()]))
    expect(finding).toMatchObject({
      verdict: 'inconclusive',
      reason: 'not-proven',
      evidence: { proven: null, confidence: 0.95, samplesMissing: 353 },
    })
    expect(finding.message).toMatch(
      /neither side is proven at 95 %: 353 more clean samples would prove it kept; 1 of 120/,
    )
  })

  it('does not fail what is beyond by value only', () => {
    // 7 of 120 are over 5 %, and P(Bin(120, 5 %) ≥ 7) = 39 %
    const samples = [...times(113, () => ok()), ...times(7, slow)]
    expect(judge(caseOf('p95 ttft < 10s'), inputOf(samples)).verdict).toBe('fail')
    expect(judge(proven('p95 ttft < 10s'), inputOf(samples))).toMatchObject({
      verdict: 'inconclusive',
      reason: 'not-proven',
    })
    expect(judge(proven('p95 ttft < 10s'), inputOf([...samples, ...times(10, slow)])).verdict).toBe('fail')
  })

  it('is as strict as it is asked to be', () => {
    // 0.99ⁿ ≤ 1 %: 459 samples; ≤ 10 %: 230
    const clean = (n: number) => inputOf(times(n, () => ok()))
    expect(judge(proven('p99 ttft < 10s', 0.99), clean(458)).verdict).toBe('inconclusive')
    expect(judge(proven('p99 ttft < 10s', 0.99), clean(459)).verdict).toBe('pass')
    expect(judge(proven('p99 ttft < 10s', 0.9), clean(229)).verdict).toBe('inconclusive')
    expect(judge(proven('p99 ttft < 10s', 0.9), clean(230)).verdict).toBe('pass')
  })
})

describe('exceedances that clump by hour', () => {
  const hour = (at: number) => `2026-12-01T${String(at).padStart(2, '0')}:10:00.000Z`
  /** 24 hours of 50 samples; 8 beyond, all in hour 3, or one in every third hour. */
  const run = (clumped: boolean) =>
    times(24, (at) =>
      times(50, (each) => {
        const beyond = clumped ? at === 3 && each < 8 : at % 3 === 0 && each === 0
        return ok({ started_at: hour(at), ttft_ms: beyond ? 20_000 : 1000 })
      }),
    ).flat()

  it('weigh less', () => {
    // P(Bin(1200, 2 %) ≤ 8) = 0.01 %
    const spread = judge(caseOf('p98 ttft < 10s'), inputOf(run(false)))
    expect(spread.evidence).toEqual({ proven: 'pass', confidence: 0.95, samplesMissing: null })
    expect(spread.message).toMatch(/proven within at 95 %, if requests are independent$/)
    const clumped = judge(caseOf('p98 ttft < 10s'), inputOf(run(true)))
    // X² = (8 − 1/3)²/(n p q) + 23 (1/3)²/(n p q), n p q = 50 · 8/1200 · 1192/1200, over 23
    const npq = (50 * 8 * 1192) / 1200 / 1200
    expect(clumped.evidence?.clumps?.designEffect).toBeCloseTo(((8 - 1 / 3) ** 2 + 23 / 9) / npq / 23, 10)
    expect(clumped).toMatchObject({
      verdict: 'pass',
      evidence: { proven: null, clumps: { hour: '2026-12-01T03', beyondInHour: 8, samplesInHour: 50 } },
    })
    // 1200 / 8.05
    expect(clumped.message).toContain(
      'the 8 beyond clump (8 in the hour from 2026-12-01T03:00Z), so 1200 samples weigh like 149',
    )
    expect(judge(caseOf('p98 ttft < 10s', { confidence: 0.95 }), inputOf(run(true))).verdict).toBe('inconclusive')
  })

  it('give the same in any order of the samples', () => {
    const samples = run(true)
    expect(judge(caseOf('p98 ttft < 10s'), inputOf(samples.toReversed()))).toEqual(
      judge(caseOf('p98 ttft < 10s'), inputOf(samples)),
    )
  })
})
