import chiSquareCdf from '@stdlib/stats-base-dists-chisquare-cdf'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../schedule/index.ts'
import { chiSquareUpperTail } from './chi-square.ts'
import { clumpingOf } from './clumping.ts'

describe('the upper tail of χ²', () => {
  // Fisher and Yates, "Statistical Tables", table IV, 5 % and 1 %.
  it.each([
    [3.841, 1, 0.05],
    [5.991, 2, 0.05],
    [7.815, 3, 0.05],
    [18.307, 10, 0.05],
    [31.41, 20, 0.05],
    [6.635, 1, 0.01],
    [23.209, 10, 0.01],
  ])('of %d at %d degrees is %d', (x, degrees, tail) => {
    expect(Math.abs(chiSquareUpperTail(x, degrees) - tail)).toBeLessThan(0.0001)
  })

  it('is that of an independent implementation', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.double({ min: 0.01, max: 3, noNaN: true }), (degrees, times) => {
        const x = degrees * times
        expect(Math.abs(chiSquareUpperTail(x, degrees) - (1 - chiSquareCdf(x, degrees)))).toBeLessThan(1e-6)
      }),
      { seed: 1 },
    )
  })
})

describe('clumping', () => {
  it('is Pearson’s X² over its degrees: a table worked by hand', () => {
    // p = 30/300 = 0.1; X² = ((20 − 10)² + (5 − 10)² + (5 − 10)²) / 9 = 150/9 = 16.67 at 2 degrees
    const found = clumpingOf([
      { n: 100, beyond: 20 },
      { n: 100, beyond: 5 },
      { n: 100, beyond: 5 },
    ])
    expect(found?.designEffect).toBeCloseTo(150 / 9 / 2, 12)
    expect(found?.pValue).toBeCloseTo(1 - chiSquareCdf(150 / 9, 2), 3)
  })

  it('where little is expected, is that of all placings: two of two in one of ten hours', () => {
    // exactly: the second lands in the hour of the first with (10 − 1)/(100 − 1)
    const strata = Array.from({ length: 10 }, (_, hour) => ({ n: 10, beyond: hour === 3 ? 2 : 0 }))
    expect(clumpingOf(strata)?.pValue).toBeCloseTo(9 / 99, 1)
    // three of three: (9 · 8)/(99 · 98) = 0.7 %
    const three = strata.map(({ n, beyond }) => ({ n, beyond: beyond === 0 ? 0 : 3 }))
    expect(clumpingOf(three)?.pValue).toBeLessThan(0.02)
  })

  it('has nothing to say of one hour, of one exceedance, of nothing but exceedances', () => {
    expect(clumpingOf([{ n: 100, beyond: 10 }])).toBeNull()
    expect(
      clumpingOf([
        { n: 100, beyond: 1 },
        { n: 100, beyond: 0 },
      ]),
    ).toBeNull()
    expect(
      clumpingOf([
        { n: 5, beyond: 5 },
        { n: 5, beyond: 5 },
      ]),
    ).toBeNull()
    expect(
      clumpingOf([
        { n: 5, beyond: 2 },
        { n: 0, beyond: 0 },
      ]),
    ).toBeNull()
  })

  it('is found in 5 % of independent samples, and not in more', () => {
    const random = seededRandom(7, 'clumping test')
    let found = 0
    const runs = 400
    for (let run = 0; run < runs; run += 1) {
      const strata = Array.from({ length: 12 }, () => {
        let beyond = 0
        for (let at = 0; at < 25; at += 1) if (random() < 0.03) beyond += 1
        return { n: 25, beyond }
      })
      if ((clumpingOf(strata)?.pValue ?? 1) <= 0.05) found += 1
    }
    // 5 % and three standard errors of 400 runs
    expect(found / runs).toBeLessThan(0.05 + 3 * Math.sqrt((0.05 * 0.95) / runs))
  })
})
