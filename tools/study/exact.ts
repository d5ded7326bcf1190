import { binomialCdf, binomialUpperTail } from '../../src/statistics/index.ts'

/** Half of what 99.9 % leaves out. */
const TAIL = 0.0005

/** The counts that 99.9 % of Bin(n, p) lie in: at most 0.05 % below, at most 0.05 % above. */
export function binomialBounds(n: number, p: number): { readonly low: number; readonly high: number } {
  let low = 0
  while (low < n && binomialCdf(low, n, p) <= TAIL) low += 1
  let high = n
  while (high > 0 && binomialUpperTail(high, n, p) <= TAIL) high -= 1
  return { low, high }
}

/** Pearson's correlation. */
export function correlation(pairs: readonly (readonly [number, number])[]): number {
  const n = pairs.length
  const mean = (i: 0 | 1): number => pairs.reduce((sum, pair) => sum + pair[i], 0) / n
  const [mx, my] = [mean(0), mean(1)]
  let [xy, xx, yy] = [0, 0, 0]
  for (const [x, y] of pairs) {
    xy += (x - mx) * (y - my)
    xx += (x - mx) ** 2
    yy += (y - my) ** 2
  }
  return xy / Math.sqrt(xx * yy)
}
