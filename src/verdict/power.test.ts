import { describe, expect, it } from 'vitest'
import { powerOf } from './index.ts'
import type { RequestNeeds } from './index.ts'
import { caseOf, CELL, ok, times } from './testing/cases.ts'

const NEEDS: RequestNeeds = { everyMs: 600_000, tokens: 1300, cost: 0.004, currency: 'USD' }
const facts = (planned: number | null) => ({ planned, needs: () => NEEDS })

/** P(Bin(n, p) ≥ k), term by term. */
function tail(k: number, n: number, p: number): number {
  let below = 0
  let choose = 1
  for (let i = 0; i < k; i += 1) {
    below += choose * p ** i * (1 - p) ** (n - i)
    choose = (choose * (n - i)) / (i + 1)
  }
  return 1 - below
}

describe('power before spending', () => {
  it('says from when on a pass means something, and is proven', () => {
    expect(powerOf(caseOf('p99 ttft < 10s'), facts(120))).toMatchObject({ planned: 120, meaningful: 100, proven: 299 })
    expect(powerOf(caseOf('p95 ttft < 10s'), facts(120))).toMatchObject({ meaningful: 20, proven: 59 })
    expect(powerOf(caseOf('p99 ttft < 10s', { confidence: 0.99 }), facts(120)).proven).toBe(459)
  })

  it('says what share of true breaches is caught: 2 of 120 fail a p99', () => {
    const power = powerOf(caseOf('p99 ttft < 10s'), facts(120))
    expect(power.caught?.twice).toBeCloseTo(tail(2, 120, 0.02), 9)
    expect(power.caught?.fiveTimes).toBeCloseTo(tail(2, 120, 0.05), 9)
    expect(power.falseAlarm).toBeCloseTo(tail(2, 120, 0.005), 9)
    // a strict rate fails at its limit: 3 of 300
    expect(powerOf(caseOf('error_rate < 1%'), facts(300)).caught?.twice).toBeCloseTo(tail(3, 300, 0.02), 9)
    expect(powerOf(caseOf('error_rate <= 1%'), facts(300)).caught?.twice).toBeCloseTo(tail(4, 300, 0.02), 9)
  })

  it('where only a proof decides: 4 of 120 prove more than 1 %', () => {
    // P(Bin(120, 1 %) ≥ 3) = 12 %, ≥ 4: 3.3 %
    expect(tail(3, 120, 0.01)).toBeGreaterThan(0.05)
    expect(tail(4, 120, 0.01)).toBeLessThan(0.05)
    const power = powerOf(caseOf('p99 ttft < 10s', { confidence: 0.95 }), facts(120))
    expect(power.caught?.twice).toBeCloseTo(tail(4, 120, 0.02), 9)
    // below min_samples a verdict is a proof or none
    expect(powerOf(caseOf('p99 ttft < 10s'), facts(40)).caught?.twice).toBeCloseTo(tail(3, 40, 0.02), 9)
  })

  it('says what a proof takes', () => {
    const pool = caseOf('p99 ttft < 10s', {
      prompt: 'all',
      cells: [CELL, { ...CELL, prompt: 'b' }, { ...CELL, prompt: 'c' }],
    })
    const { toProve } = powerOf(pool, facts(120))
    // 100 rounds of three prompts, one every ten minutes
    expect(toProve).toMatchObject({ rounds: 100, requests: 300, tokens: 390_000, currency: 'USD' })
    expect(toProve?.hours).toBeCloseTo(100 / 6, 9)
    expect(toProve?.cost).toBeCloseTo(1.2, 9)
    const unknown = { planned: 120, needs: () => ({ everyMs: null, tokens: null, cost: null, currency: null }) }
    expect(powerOf(pool, unknown).toProve).toMatchObject({ hours: null, tokens: null, cost: null })
  })

  it('has nothing to say of a mean, of nothing allowed, of a run that the clock ends', () => {
    expect(powerOf(caseOf('mean ttft < 10s'), facts(100))).toMatchObject({ proven: null, caught: null, toProve: null })
    expect(powerOf(caseOf('error_rate <= 0%', { minSamples: 10 }), facts(100)).caught).toBeNull()
    expect(powerOf(caseOf('p99 ttft < 10s'), facts(null))).toMatchObject({ planned: null, proven: 299, caught: null })
  })

  it('says how often an unchanged model passes: p95 in half of the nights, p50 in most', () => {
    const against = (limit: string) =>
      caseOf(limit, {
        baseline: { kind: 'target', target: 'current' },
        baselineCells: [{ ...CELL, target: 'current' }],
      })
    const p50 = powerOf(against('p50 ttft <= baseline + 10%'), facts(288))
    const p95 = powerOf(against('p95 ttft <= baseline + 10%'), facts(288))
    expect(p50.unchangedPasses).toBeGreaterThan(0.7)
    expect(p95.unchangedPasses).toBeGreaterThan(0.3)
    expect(p95.unchangedPasses).toBeLessThan(0.75)
    expect(p50.caught?.fiveTimes).toBeGreaterThan(0.95)
    expect(powerOf(against('p50 ttft <= baseline + 10%'), facts(5)).unchangedPasses).toBeNull()
    // an additive margin needs values to be added to
    expect(powerOf(against('p50 ttft <= baseline + 500ms'), facts(100)).unchangedPasses).toBeNull()
    expect(powerOf(against('p50 ttft <= baseline + 500ms'), facts(100)).unknown).toBe(
      'no earlier run tells whether baseline + 500ms is much',
    )
    const earlier = (target: string, ms: number) => times(50, (at) => ok({ target, ttft_ms: ms + 4 * at }))
    const known = powerOf(against('p50 ttft <= baseline + 500ms'), { ...facts(100), earlier: earlier('current', 1000) })
    expect(known).toMatchObject({ unchangedPasses: 1, unknown: null, caught: { twice: 1, fiveTimes: 1 } })
    // 20 ms are less than chance moves a median of 50 values between 1.0 and 1.2 s
    const narrow = powerOf(against('p50 ttft <= baseline + 20ms'), { ...facts(50), earlier: earlier('current', 1000) })
    expect(narrow.unchangedPasses).toBeLessThan(0.8)
    // a new baseline was not asked yet: the candidate's own values tell as much
    const own = powerOf(against('p50 ttft <= baseline + 500ms'), { ...facts(100), earlier: earlier(CELL.target, 1000) })
    expect(own.unchangedPasses).toBe(1)
    // slower speeds are the bad ones
    const speeds = times(50, (at) => ok({ target: 'current', decode_tps: 40 + at / 10 }))
    const slower = powerOf(against('p50 decode_tps >= baseline - 5tok/s'), { ...facts(100), earlier: speeds })
    expect(slower).toMatchObject({ unchangedPasses: 1, caught: { twice: 1 } })
  })

  it('says that nights decide where nights are compared', () => {
    const past = caseOf('p50 ttft <= baseline', { baseline: { kind: 'history', forMs: 1 }, baselineCells: [] })
    expect(powerOf(past, facts(100))).toMatchObject({ caught: null, unchangedPasses: null })
    expect(powerOf(past, facts(100)).unknown).toContain('nights decide')
  })
})
