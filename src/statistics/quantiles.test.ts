import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mean, median, quantile, quantileNeighbours, sortSamples } from './index.ts'
import type { SortedSamples } from './index.ts'

function sorted(values: ArrayLike<number>): SortedSamples {
  const made = sortSamples(values)
  if (made === undefined) throw new Error('no values')
  return made
}

const values = fc.array(fc.double({ noNaN: true, min: 0, max: 1e6 }), { minLength: 1, maxLength: 60 })

describe('sortSamples', () => {
  it('sorts numbers as numbers, on a copy', () => {
    const given = [10, 9, 100, -1]
    expect(sorted(given)).toEqual([-1, 9, 10, 100])
    expect(given).toEqual([10, 9, 100, -1])
  })

  it('makes nothing of nothing', () => {
    expect(sortSamples([])).toBeUndefined()
  })
})

describe('quantile', () => {
  // The example of R's and numpy's documentation of the types: 1 … 10, where type 7 gives 1 + 9 q.
  it.each([
    [0, 1],
    [0.05, 1.45],
    [0.25, 3.25],
    [0.5, 5.5],
    [0.75, 7.75],
    [0.95, 9.55],
    [0.99, 9.91],
    [1, 10],
  ])('of 1 … 10 at %d is numpy.quantile(…) = %d', (q, expected) => {
    expect(quantile(sorted([3, 1, 2, 10, 9, 8, 4, 5, 7, 6]), q)).toBeCloseTo(expected, 12)
  })

  it.each([
    // numpy.percentile([15, 20, 35, 40, 50], [5, 30, 40, 50, 100]), the table of "Percentile", Wikipedia, second variant (C = 1)
    [0.05, 16],
    [0.3, 23],
    [0.4, 29],
    [0.5, 35],
    [1, 50],
  ])('of 15, 20, 35, 40, 50 at %d is %d', (q, expected) => {
    expect(quantile(sorted([15, 20, 35, 40, 50]), q)).toBeCloseTo(expected, 12)
  })

  it('of one value is that value', () => {
    for (const q of [0, 0.3, 0.99, 1]) expect(quantile(sorted([7]), q)).toBe(7)
  })

  it('is the order statistic itself where the exact position is whole', () => {
    const many = sorted(Array.from({ length: 101 }, (_, at) => at * at))
    // 100 × 0.57 is 56.99999999999999 in floating point
    expect(quantile(many, { numerator: 57, denominator: 100 })).toBe(57 * 57)
  })

  it('is x⌊h⌋ + (h − ⌊h⌋)(x⌈h⌉ − x⌊h⌋)', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 0, max: 1000 }), (list, numerator) => {
        const many = sorted(list)
        const at = (many.length - 1) * numerator
        const low = many[Math.floor(at / 1000)] ?? NaN
        const high = many[Math.ceil(at / 1000)] ?? NaN
        const expected = low + ((at % 1000) / 1000) * (high - low)
        expect(Math.abs(quantile(many, { numerator, denominator: 1000 }) - expected)).toBeLessThanOrEqual(1e-7)
      }),
    )
  })

  it('never falls as q grows', () => {
    fc.assert(
      fc.property(
        values,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (list, a, b) => {
          const many = sorted(list)
          // Interpolation rounds in the last digit.
          expect(quantile(many, Math.min(a, b))).toBeLessThanOrEqual(quantile(many, Math.max(a, b)) + 1e-9)
        },
      ),
    )
  })

  it('stays between the least and the greatest value', () => {
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (list, q) => {
        const many = sorted(list)
        expect(quantile(many, q)).toBeGreaterThanOrEqual(Math.min(...list))
        expect(quantile(many, q)).toBeLessThanOrEqual(Math.max(...list) + 1e-9)
      }),
    )
  })
})

describe('quantileNeighbours', () => {
  it.each([
    [120, { numerator: 99, denominator: 100 }, 117, 118],
    [101, { numerator: 99, denominator: 100 }, 99, 99],
    [101, { numerator: 57, denominator: 100 }, 57, 57],
    [1, { numerator: 99, denominator: 100 }, 0, 0],
    [100, { numerator: 1, denominator: 1 }, 99, 99],
    [100, { numerator: 0, denominator: 1 }, 0, 0],
  ])('of %d at %o', (n, q, lower, upper) => {
    expect(quantileNeighbours(n, q)).toEqual({ lower, upper })
  })
})

describe('mean and median', () => {
  it('keep small parts beside large ones', () => {
    expect(mean(sorted([1e16, 1, 1, 1, 1]))).toBe(2e15 + 0.8)
  })

  it('median of an even number is the middle of two', () => {
    expect(median(sorted([4, 1, 3, 2]))).toBe(2.5)
  })
})
