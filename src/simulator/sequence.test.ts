import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { point, quantities } from './sequence.ts'

const key = fc.record({ seed: fc.nat(), cell: fc.string({ minLength: 1, maxLength: 40 }) })

test('a point depends on seed, cell, quantity and round alone, and lies in [0, 1)', () => {
  fc.assert(
    fc.property(key, fc.nat(100_000), fc.constantFrom(...quantities), (cell, k, quantity) => {
      const drawn = point({ ...cell, k }, quantity)
      expect(drawn).toBeGreaterThanOrEqual(0)
      expect(drawn).toBeLessThan(1)
      expect(point({ ...cell, k }, quantity)).toBe(drawn)
    }),
  )
})

test('the rounds of a cell are spread evenly: no share of them is far from its probability', () => {
  fc.assert(
    fc.property(key, fc.constantFrom('ttft', 'speed', 'error', 'reasoning', 'answer'), (cell, quantity) => {
      for (const n of [36, 40, 120, 288]) {
        const sorted = Array.from({ length: n }, (_, k) => point({ ...cell, k }, quantity)).sort((a, b) => a - b)
        // independent draws would be off by more than 1/√n about as often as not; these are off by a few points of n
        for (const [i, u] of sorted.entries()) expect(Math.abs(u - (i + 0.5) / n) * n).toBeLessThan(5)
      }
    }),
    { numRuns: 50 },
  )
})

function correlation(x: readonly number[], y: readonly number[]): number {
  const n = x.length
  const [mx, my] = [x, y].map((values) => values.reduce((sum, value) => sum + value, 0) / n) as [number, number]
  let [xy, xx, yy] = [0, 0, 0]
  for (const [i, a] of x.entries()) {
    const b = y[i] ?? Number.NaN
    xy += (a - mx) * (b - my)
    xx += (a - mx) ** 2
    yy += (b - my) ** 2
  }
  return xy / Math.sqrt(xx * yy)
}

test('no two quantities of a cell move together', () => {
  for (let seed = 0; seed < 40; seed += 1) {
    const drawn = quantities.map((quantity) =>
      Array.from({ length: 288 }, (_, k) => point({ seed, cell: 'serverless/glm-5.3/long', k }, quantity)),
    )
    for (const [i, x] of drawn.entries()) {
      // 0.19 is the 99.9 % bound of independent draws
      for (const y of drawn.slice(i + 1)) expect(Math.abs(correlation(x, y))).toBeLessThan(0.19)
    }
  }
})

test('seeds and cells give other points', () => {
  const base = { seed: 1, cell: 'serverless/glm-5.3/long', k: 0 }
  const others = [
    { ...base, seed: 2 },
    { ...base, cell: 'serverless/glm-5.3/short' },
    { ...base, k: 1 },
  ]
  for (const other of others) expect(point(other, 'ttft')).not.toBe(point(base, 'ttft'))
})
