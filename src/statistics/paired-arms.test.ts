import { describe, expect, it } from 'vitest'
import { seededRandom } from '../schedule/index.ts'
import { holm, PairedArms } from './index.ts'
import type { Arms } from './index.ts'

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
    const { candidate, baseline } = plants.of()
    expect(candidate).toBeCloseTo(cross.reduce((sum, each) => sum + each, 0) / 15, 10)
    expect(baseline).toBeCloseTo(self.reduce((sum, each) => sum + each, 0) / 15, 10)
  })

  it('give Fisher’s permutation test: 863 of 32,768 exchanges are as extreme', () => {
    const p = plants.permutationPValue(slower, 20_000, seededRandom(1, 'Darwin'))
    // 3 standard errors of 20,000 draws
    expect(Math.abs(p - 863 / 32_768)).toBeLessThan(3 * Math.sqrt((0.0263 * 0.9737) / 20_000))
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
    expect(arms.of([2, 0, 1]).candidate).toBeCloseTo(5 / 3, 12)
    expect(arms.of([2, 0, 1]).baseline).toBeCloseTo(50 / 3, 12)
    expect(arms.of(null, [0, 1, 0]).candidate).toBeCloseTo(8, 12)
    const median = new PairedArms(
      Array.from({ length: 101 }, (_, at) => ({ candidate: at, baseline: 100 - at })),
      { q: 0.5 },
    )
    expect(median.of().candidate).toBeCloseTo(50, 10)
    expect(median.of().baseline).toBeCloseTo(50, 10)
  })
})
