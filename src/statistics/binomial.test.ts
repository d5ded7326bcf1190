import stdlibBinomialCdf from '@stdlib/stats-base-dists-binomial-cdf'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { binomialCdf, binomialUpperTail, samplesToProve } from './index.ts'

/** P(Bin(n, a/b) ≤ k) by whole numbers alone. */
function exactCdf(k: number, n: number, a: number, b: number): number {
  let choose = 1n
  let sum = 0n
  for (let i = 0; i <= k; i += 1) {
    sum += choose * BigInt(a) ** BigInt(i) * BigInt(b - a) ** BigInt(n - i)
    choose = (choose * BigInt(n - i)) / BigInt(i + 1)
  }
  return ratio(sum, BigInt(b) ** BigInt(n))
}

/** A quotient of whole numbers with 17 significant digits. */
function ratio(numerator: bigint, denominator: bigint): number {
  if (numerator === 0n) return 0
  const shift = 60n + BigInt(Math.max(0, denominator.toString(2).length - numerator.toString(2).length))
  return Number((numerator << shift) / denominator) / 2 ** Number(shift)
}

function relativeError(actual: number, expected: number): number {
  return expected === 0 ? Math.abs(actual) : Math.abs(actual - expected) / expected
}

describe('binomialCdf', () => {
  // Cumulative binomial table, four decimals, as printed in textbooks.
  it.each([
    [0, 5, 0.1, 0.5905],
    [1, 5, 0.1, 0.9185],
    [2, 10, 0.25, 0.5256],
    [1, 10, 0.1, 0.7361],
    [3, 10, 0.5, 0.1719],
    [5, 10, 0.4, 0.8338],
    [5, 20, 0.5, 0.0207],
    [8, 20, 0.3, 0.8867],
    [2, 25, 0.05, 0.8729],
    [12, 25, 0.5, 0.5],
  ])('P(X ≤ %d) for n = %d, p = %d is %d', (k, n, p, published) => {
    expect(binomialCdf(k, n, p)).toBeCloseTo(published, 4)
  })

  // Summed term by term with 60 decimal digits.
  it.each([
    [1, 120, 1 / 100, 6.62265714115157889e-1],
    [50, 10_000, 1 / 100, 2.1122399326323814e-8],
    [10_000, 1_000_000, 1 / 100, 5.02659614799515819e-1],
    [9500, 1_000_000, 1 / 100, 2.08787416943608602e-7],
    [9000, 1_000_000, 1 / 100, 8.35041591692375978e-25],
    [499_000, 1_000_000, 1 / 2, 2.28041499326910417e-2],
    [0, 1_000_000, 1e-5, 4.53976598076130252e-5],
  ])('P(X ≤ %d) for n = %d, p = %d is %d to ten digits', (k, n, p, expected) => {
    expect(relativeError(binomialCdf(k, n, p), expected)).toBeLessThan(1e-10)
  })

  it('is what whole numbers give', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(200), fc.integer({ min: 1, max: 999 }), (n, draw, a) => {
        const k = draw % (n + 1)
        expect(relativeError(binomialCdf(k, n, a / 1000), exactCdf(k, n, a, 1000))).toBeLessThan(1e-11)
      }),
    )
  })

  it('knows the ends', () => {
    expect(binomialCdf(-1, 10, 0.5)).toBe(0)
    expect(binomialCdf(10, 10, 0.5)).toBe(1)
    expect(binomialCdf(0, 10, 0)).toBe(1)
    expect(binomialCdf(9, 10, 1)).toBe(0)
  })
})

describe('binomialUpperTail', () => {
  it.each([
    [4, 120, 3.29849122389969246e-2],
    [150, 10_000, 1.65706019623803554e-6],
    [10_500, 1_000_000, 3.1585658792472284e-7],
    [11_000, 1_000_000, 2.34952979623049476e-23],
  ])('P(X ≥ %d) for n = %d, p = 1 % is %d to ten digits', (k, n, expected) => {
    expect(relativeError(binomialUpperTail(k, n, 0.01), expected)).toBeLessThan(1e-10)
  })

  it('is the other side of the distribution', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.nat(5000),
        fc.double({ min: 0.001, max: 0.999, noNaN: true }),
        (n, draw, p) => {
          const k = draw % (n + 1)
          expect(binomialCdf(k - 1, n, p) + binomialUpperTail(k, n, p)).toBeCloseTo(1, 10)
          expect(relativeError(binomialUpperTail(k, n, p), binomialCdf(n - k, n, 1 - p))).toBeLessThan(1e-9)
        },
      ),
    )
  })

  it('knows the ends', () => {
    expect(binomialUpperTail(0, 10, 0)).toBe(1)
    expect(binomialUpperTail(1, 10, 0)).toBe(0)
    expect(binomialUpperTail(10, 10, 1)).toBe(1)
    expect(binomialUpperTail(11, 10, 0.5)).toBe(0)
  })
})

describe('samplesToProve', () => {
  // Wilks' table for 95 % confidence: NUREG-1475, Conover's "Practical Nonparametric Statistics".
  it.each([
    [0.01, [299, 473, 628, 773, 913, 1049]],
    [0.05, [59, 93, 124, 153, 181, 208]],
  ])('with 0, 1, 2 … beyond a share of %d', (e, published) => {
    expect(published.map((_, beyond) => samplesToProve(beyond, e, 0.05))).toEqual(published)
  })

  it('is the least that proves', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.double({ min: 0.001, max: 0.6, noNaN: true }), (beyond, e) => {
        const n = samplesToProve(beyond, e, 0.05) ?? NaN
        expect(binomialCdf(beyond, n, e)).toBeLessThanOrEqual(0.05)
        expect(binomialCdf(beyond, n - 1, e)).toBeGreaterThan(0.05)
      }),
    )
  })

  it('does not exist for a share of nothing', () => {
    expect(samplesToProve(0, 0, 0.05)).toBeNull()
  })
})

describe('against @stdlib', () => {
  it('P(Bin(n, p) ≤ k) is the same', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.double({ min: 0.0005, max: 0.9995, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, p, at) => {
          const k = Math.floor(at * n)
          expect(Math.abs(binomialCdf(k, n, p) - stdlibBinomialCdf(k, n, p))).toBeLessThan(1e-9)
        },
      ),
      { seed: 1 },
    )
  })
})

describe('samples for a proof', () => {
  // Wilks' numbers for one-sided tolerance limits, 95/99 and 95/95, orders 1 to 6.
  it.each([
    [0.01, [299, 473, 628, 773, 913, 1049]],
    [0.05, [59, 93, 124, 153, 181, 208]],
  ])('for a share of %d', (e, published) => {
    expect(published.map((_, beyond) => samplesToProve(beyond, e, 0.05))).toEqual(published)
  })
})
