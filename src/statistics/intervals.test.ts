import betaQuantile from '@stdlib/stats-base-dists-beta-quantile'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { binomialCdf, binomialUpperTail, clopperPearson, quantileInterval, sortSamples } from './index.ts'

describe('clopperPearson', () => {
  // Published 95 % limits, as in Geigy's tables and R's binom.test.
  it.each([
    [0, 10, 0, 0.3085],
    [1, 10, 0.0025, 0.445],
    [5, 10, 0.1871, 0.8129],
    [10, 10, 0.6915, 1],
    [81, 263, 0.2527, 0.3676],
    [15, 148, 0.0578, 0.1617],
    [0, 20, 0, 0.1684],
    [1, 29, 0.0009, 0.1776],
  ])('%d of %d', (k, n, lower, upper) => {
    const interval = clopperPearson(k, n, 0.05)
    expect(interval.lower).toBeCloseTo(lower, 4)
    expect(interval.upper).toBeCloseTo(upper, 4)
  })

  it('has exactly alpha / 2 beyond each end', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 3000 }), fc.nat(3000), (n, draw) => {
        const k = 1 + (draw % (n - 1))
        const { lower, upper } = clopperPearson(k, n, 0.001)
        expect(binomialUpperTail(k, n, lower)).toBeCloseTo(0.0005, 9)
        expect(binomialCdf(k, n, upper)).toBeCloseTo(0.0005, 9)
      }),
    )
  })

  it('is made of beta quantiles, as @stdlib gives them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 2000 }), fc.nat(2000), (n, draw) => {
        const k = 1 + (draw % (n - 1))
        const { lower, upper } = clopperPearson(k, n, 0.05)
        expect(lower).toBeCloseTo(betaQuantile(0.025, k, n - k + 1), 8)
        expect(upper).toBeCloseTo(betaQuantile(0.975, k + 1, n - k), 8)
      }),
      { seed: 1 },
    )
  })

  it('holds at a million', () => {
    const { lower, upper } = clopperPearson(10_000, 1_000_000, 0.05)
    // 1 % ± 1.96 × 0.0099499 %
    expect(lower).toBeCloseTo(0.0098058, 6)
    expect(upper).toBeCloseTo(0.0101969, 6)
  })
})

describe('quantileInterval', () => {
  const upTo = (n: number) => sortSamples(Array.from({ length: n }, (_, at) => at + 1)) ?? expect.fail()

  // Ranks of the 95 % interval of a median, Conover's and Geigy's table: n = 10: 2 and 9, 20: 6 and 15, 50: 18 and 33, 100: 40 and 61.
  it.each([
    [6, 1, 6],
    [10, 2, 9],
    [20, 6, 15],
    [50, 18, 33],
    [100, 40, 61],
  ])('of the median of %d values is from rank %d to rank %d', (n, lower, upper) => {
    expect(quantileInterval(upTo(n), 0.5, 0.95)).toEqual({ lower, upper })
  })

  it('has no end where the data reach none', () => {
    expect(quantileInterval(upTo(5), 0.5, 0.95)).toEqual({ lower: null, upper: null })
    const p99 = quantileInterval(upTo(288), 0.99, 0.999)
    expect(p99.upper).toBeNull()
    expect(p99.lower).toBe(278)
  })

  it('covers the percentile with the confidence that it names', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 99 }), (n, percent) => {
        const q = percent / 100
        const { lower, upper } = quantileInterval(upTo(n), q, 0.95)
        // x₍l₎ lies above the percentile if fewer than l values lie below it, x₍u₎ below it if at least u do.
        const missedBelow = lower === null ? 0 : binomialCdf(lower - 1, n, q)
        const missedAbove = upper === null ? 0 : binomialUpperTail(upper, n, q)
        expect(missedBelow).toBeLessThanOrEqual(0.025)
        expect(missedAbove).toBeLessThanOrEqual(0.025)
        expect(binomialCdf(lower ?? 0, n, q)).toBeGreaterThan(0.025)
        expect(upper === null ? 1 : binomialUpperTail(upper - 1, n, q)).toBeGreaterThan(0.025)
      }),
    )
  })
})
