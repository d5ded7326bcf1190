import betaCdf from '@stdlib/stats-base-dists-beta-cdf'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cumulativeWeights, harrellDavis, sortSamples } from './index.ts'
import { incompleteBeta } from './incomplete-beta.ts'

function sorted(values: readonly number[]) {
  const found = sortSamples(values)
  if (found === undefined) throw new Error('no values')
  return found
}

describe('the incomplete beta function', () => {
  it('is that of @stdlib', () => {
    const shape = fc.double({ min: 0.5, max: 3000, noNaN: true })
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), shape, shape, (x, a, b) => {
        expect(Math.abs(incompleteBeta(x, a, b) - betaCdf(x, a, b))).toBeLessThan(1e-9)
      }),
      { seed: 1 },
    )
  })
})

describe('Harrell–Davis', () => {
  // The example in SciPy's documentation of `mstats.hdquantiles`, with its printed results.
  it.each([
    [0.25, 3.1505820231763066],
    [0.5, 5.194344084883956],
    [0.75, 7.430626414674935],
  ])('q = %d of SciPy’s nine numbers is %d', (q, published) => {
    expect(harrellDavis(sorted([1.2, 2.5, 3.7, 4.0, 5.1, 6.3, 7.0, 8.2, 9.4]), q)).toBeCloseTo(published, 12)
  })

  it('has the weights of the definition, deciles too', () => {
    for (const n of [2, 9, 40, 288]) {
      for (let decile = 1; decile <= 9; decile += 1) {
        const q = decile / 10
        const weights = cumulativeWeights(n, q)
        for (let i = 0; i <= n; i += 1)
          expect(weights[i]).toBeCloseTo(betaCdf(i / n, (n + 1) * q, (n + 1) * (1 - q)), 10)
      }
    }
  })

  it('of a symmetric sample is symmetric, and moves with shift and scale', () => {
    const values = sorted([1, 2, 4, 7, 11])
    const moved = sorted([1, 2, 4, 7, 11].map((value) => 3 * value + 5))
    expect(harrellDavis(moved, 0.9)).toBeCloseTo(3 * harrellDavis(values, 0.9) + 5, 10)
    expect(harrellDavis(sorted([-2, -1, 0, 1, 2]), 0.5)).toBeCloseTo(0, 12)
  })
})
