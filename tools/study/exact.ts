/** Exact statistics of the study's tolerances; none of them assumes a distribution of the values. */

/** Half of what 99.9 % leaves out. */
const TAIL = 0.0005

/** P(Bin(n, p) = k) for k = 0 … n, by logarithms of factorials. */
function probabilities(n: number, p: number): number[] {
  const logFactorial = [0]
  for (let i = 1; i <= n; i += 1) logFactorial.push((logFactorial[i - 1] ?? 0) + Math.log(i))
  const choose = (k: number): number => (logFactorial[n] ?? 0) - (logFactorial[k] ?? 0) - (logFactorial[n - k] ?? 0)
  return Array.from({ length: n + 1 }, (_, k) => {
    if (p <= 0 || p >= 1) return k === (p <= 0 ? 0 : n) ? 1 : 0
    return Math.exp(choose(k) + k * Math.log(p) + (n - k) * Math.log1p(-p))
  })
}

/** The counts that 99.9 % of Bin(n, p) lie in: less than 0.05 % below, less than 0.05 % above. */
export function binomialBounds(n: number, p: number): { readonly low: number; readonly high: number } {
  const probability = probabilities(n, p)
  let low = 0
  for (let below = probability[0] ?? 0; below < TAIL && low < n; below += probability[low] ?? 0) low += 1
  let high = n
  for (let above = probability[n] ?? 0; above < TAIL && high > 0; above += probability[high] ?? 0) high -= 1
  return { low, high }
}

/**
 * 99.9 % interval of a quantile by order statistics: [x₍ₗ₎, x₍ᵤ₎] with P(Bin(n, q) < l) ≤ 0.05 % and P(Bin(n, q) ≥ u) ≤
 * 0.05 %. An end that no order statistic gives is `null`.
 * @param sorted - ascending
 */
export function quantileInterval(
  sorted: readonly number[],
  q: number,
): { readonly low: number | null; readonly high: number | null } {
  const probability = probabilities(sorted.length, q)
  let l = 0
  for (let below = probability[0] ?? 0; below <= TAIL && l < sorted.length; below += probability[l] ?? 0) l += 1
  let u = sorted.length + 1
  for (let above = probability[u - 1] ?? 0; above <= TAIL && u > 1; above += probability[u - 1] ?? 0) u -= 1
  return { low: sorted[l - 1] ?? null, high: sorted[u - 1] ?? null }
}

/** Type 7 of Hyndman and Fan: linear between order statistics. `NaN` of nothing. */
export function quantile(sorted: readonly number[], q: number): number {
  if (sorted.length === 0) return Number.NaN
  const position = q * (sorted.length - 1)
  const below = Math.floor(position)
  const low = sorted[below] ?? Number.NaN
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? low
  return low + (position - below) * (high - low)
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
