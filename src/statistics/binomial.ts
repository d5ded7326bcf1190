import { logBinomialMass } from './log-mass.ts'

/** P(X ≤ k) by summing masses downwards from k; converges fast where k is below the mean. */
function sumDownFrom(k: number, n: number, p: number): number {
  const odds = (1 - p) / p
  let term = 1
  let sum = 1
  for (let i = k; i > 0; i -= 1) {
    term *= (i / (n - i + 1)) * odds
    sum += term
    if (term < sum * Number.EPSILON * 1e-3) break
  }
  return sum * Math.exp(logBinomialMass(k, n, p))
}

/** P(X ≥ k) by summing masses upwards from k; converges fast where k is above the mean. */
function sumUpFrom(k: number, n: number, p: number): number {
  const odds = p / (1 - p)
  let term = 1
  let sum = 1
  for (let i = k; i < n; i += 1) {
    term *= ((n - i) / (i + 1)) * odds
    sum += term
    if (term < sum * Number.EPSILON * 1e-3) break
  }
  return sum * Math.exp(logBinomialMass(k, n, p))
}

/**
 * P(Bin(n, p) ≤ k), exact up to rounding: the smaller tail is summed from its largest mass, never 1 minus it.
 * @param k - whole; anything below 0 gives 0, from n on 1
 * @param n - whole, tried up to 10⁶
 * @param p - from 0 to 1
 */
export function binomialCdf(k: number, n: number, p: number): number {
  if (k < 0) return 0
  if (k >= n || p <= 0) return 1
  if (p >= 1) return 0
  return Math.min(1, k <= n * p ? sumDownFrom(k, n, p) : 1 - sumUpFrom(k + 1, n, p))
}

/** P(Bin(n, p) ≥ k); see {@link binomialCdf}. */
export function binomialUpperTail(k: number, n: number, p: number): number {
  if (k <= 0) return 1
  if (k > n || p <= 0) return 0
  if (p >= 1) return 1
  return Math.min(1, k > n * p ? sumUpFrom(k, n, p) : 1 - sumDownFrom(k - 1, n, p))
}

/**
 * The least n for which `beyond` samples beyond a limit prove, at level `alpha`, that no more than a share `e` lies beyond it:
 * P(Bin(n, e) ≤ beyond) ≤ alpha. For p99 at 5 %: 299, 473, 628 … (Wilks). `null` where no n is enough (e = 0).
 */
export function samplesToProve(beyond: number, e: number, alpha: number): number | null {
  if (e <= 0) return null
  const proves = (n: number): boolean => binomialCdf(beyond, n, e) <= alpha
  let enough = beyond + 1
  while (!proves(enough)) enough *= 2
  let tooFew = Math.max(beyond, Math.floor(enough / 2))
  while (enough - tooFew > 1) {
    const middle = Math.floor((tooFew + enough) / 2)
    if (proves(middle)) enough = middle
    else tooFew = middle
  }
  return enough
}
