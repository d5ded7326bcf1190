import betaCdf from '@stdlib/stats-base-dists-beta-cdf'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../schedule/index.ts'
import { harrellDavis, holm, PairedArms, sortSamples } from './index.ts'
import type { Arms, Pair } from './index.ts'

const slower = ({ candidate, baseline }: Arms): number => candidate - baseline

describe('Holm', () => {
  // R's documentation: p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm")
  it('is what R gives', () => {
    expect(holm([0.01, 0.02, 0.03, 0.04, 0.05])).toEqual([0.05, 0.08, 0.09, 0.09, 0.09])
    expect(holm([0.04, 0.01, 0.3])).toEqual([0.08, 0.03, 0.3])
    expect(holm([])).toEqual([])
  })
})

describe('paired arms', () => {
  // Darwin's plants: 15 pairs of cross- and self-fertilised Zea mays, heights in inches (Fisher, "The Design of Experiments", 1935).
  const cross = [23.5, 12, 21, 22, 19.125, 21.5, 22.125, 20.375, 18.25, 21.625, 23.25, 21, 22.125, 23, 12]
  const self = [17.375, 20.375, 20, 20, 18.375, 18.625, 18.625, 15.25, 16.5, 18, 16.25, 18, 12.75, 15.5, 18]
  const plants = new PairedArms(
    cross.map((candidate, at) => ({ candidate, baseline: self[at] ?? 0 })),
    { q: null },
  )

  it('have the statistic of each arm', () => {
    const { candidate, baseline } = plants.observed()
    expect(candidate).toBeCloseTo(cross.reduce((sum, each) => sum + each, 0) / 15, 10)
    expect(baseline).toBeCloseTo(self.reduce((sum, each) => sum + each, 0) / 15, 10)
  })

  it('give Fisher’s permutation test: 863 of 32,768 exchanges are as extreme', () => {
    const { worse, better } = plants.permutationPValues(slower, 20_000, seededRandom(1, 'Darwin'))
    // 3 standard errors of 20,000 draws
    expect(Math.abs(worse - 863 / 32_768)).toBeLessThan(3 * Math.sqrt((0.0263 * 0.9737) / 20_000))
    // exchanges that are exactly as good count on both sides
    expect(worse + better).toBeGreaterThanOrEqual(1)
    expect(worse + better).toBeLessThan(1.01)
  })

  it('are bounded by the bootstrap as the t interval bounds them', () => {
    const [upper] = plants.bootstrapUpperBounds([slower], 0.05, 20_000, seededRandom(1, 'bound'))
    // mean 2.617, standard error 1.218: the normal one-sided bound is 2.617 + 1.645 × 1.218 × √(14/15)
    expect(upper).toBeGreaterThan(4.2)
    expect(upper).toBeLessThan(4.8)
  })

  it('count a round as often as it is drawn, and exchange its arms', () => {
    const arms = new PairedArms(
      [
        { candidate: 1, baseline: 10 },
        { candidate: 2, baseline: 20 },
        { candidate: 3, baseline: 30 },
      ],
      { q: null },
    )
    expect(arms.resampled([2, 0, 1]).candidate).toBeCloseTo(5 / 3, 12)
    expect(arms.resampled([2, 0, 1]).baseline).toBeCloseTo(50 / 3, 12)
    expect(arms.exchanged((round) => round === 1).candidate).toBeCloseTo(8, 12)
    const median = new PairedArms(
      Array.from({ length: 101 }, (_, at) => ({ candidate: at, baseline: 100 - at })),
      { q: 0.5 },
    )
    expect(median.observed().candidate).toBeCloseTo(50, 10)
    expect(median.observed().baseline).toBeCloseTo(50, 10)
  })

  const permuted = (pairs: readonly Pair[], q: number | null) =>
    new PairedArms(pairs, { q }).permutationPValues(slower, 199, seededRandom(1, 'permuted'))

  it('cannot be told apart where all values are equal', () => {
    const equal = Array.from({ length: 40 }, () => ({ candidate: 0.1 + 0.2, baseline: 0.1 + 0.2 }))
    for (const q of [0.5, 0.95, null]) {
      const arms = new PairedArms(equal, { q })
      expect(arms.observed()).toMatchObject({ candidateVariance: 0, baselineVariance: 0 })
      expect(permuted(equal, q)).toEqual({ worse: 1, better: 1 })
    }
  })

  it('are as far apart as can be where every round is', () => {
    const apart = Array.from({ length: 40 }, () => ({ candidate: 3, baseline: 2 }))
    expect(permuted(apart, 0.95)).toEqual({ worse: 1 / 200, better: 1 })
  })

  // Self-awareness data of Wilcox, "Introduction to Robust Estimation and Hypothesis Testing"
  it('estimate variances by Maritz and Jarrett: Σ w x² − (Σ w x)²', () => {
    const data = [77, 87, 88, 114, 151, 210, 219, 246, 253, 262, 296, 299, 306, 376, 428, 515, 666, 1310, 2611]
    const weights = data.map((_, i) => betaCdf((i + 1) / 19, 10, 10) - betaCdf(i / 19, 10, 10))
    const moment = (power: number): number => data.reduce((sum, x, i) => sum + (weights[i] ?? 0) * x ** power, 0)
    const { candidate, candidateVariance } = new PairedArms(
      data.map((value) => ({ candidate: value, baseline: 1000 })),
      { q: 0.5 },
    ).observed()
    expect(candidate).toBeCloseTo(moment(1), 9)
    expect(candidateVariance).toBeCloseTo(moment(2) - moment(1) ** 2, 6)
  })

  it('give the same from above and from below', () => {
    const random = seededRandom(3, 'mirror')
    const pairs = Array.from({ length: 60 }, () => ({ candidate: random(), baseline: random() }))
    const mirrored = pairs.map(({ candidate, baseline }) => ({ candidate: -candidate, baseline: -baseline }))
    for (const q of [0.5, 0.9, 0.99]) {
      const above = new PairedArms(pairs, { q }).observed()
      const below = new PairedArms(mirrored, { q: 1 - q }).observed()
      expect(above.candidate).toBeCloseTo(-below.candidate, 12)
      expect(above.baselineVariance).toBeCloseTo(below.baselineVariance, 12)
      const sorted = sortSamples(pairs.map(({ candidate }) => candidate))
      expect(sorted === undefined ? 0 : harrellDavis(sorted, q)).toBeCloseTo(above.candidate, 12)
    }
  })
})
