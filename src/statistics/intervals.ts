import { binomialCdf, binomialUpperTail } from './binomial.ts'
import type { SortedSamples } from './quantiles.ts'

/** An interval of a share or a percentile; `null`: the data give no bound on that side. */
export interface Interval {
  readonly lower: number | null
  readonly upper: number | null
}

/** The p in [0, 1] at which a function that grows with p reaches `level`. */
function solve(growing: (p: number) => number, level: number): number {
  let low = 0
  let high = 1
  for (;;) {
    const middle = (low + high) / 2
    if (middle <= low || middle >= high || high - low <= high * 1e-15) return middle
    if (growing(middle) < level) low = middle
    else high = middle
  }
}

/**
 * Exact two-sided interval of a share, `k` hits of `n`, each side missed with probability of at most alpha / 2.
 * @returns ratios from 0 to 1
 *
 * Source: Clopper and Pearson, Biometrika 26 (1934).
 */
export function clopperPearson(
  k: number,
  n: number,
  alpha: number,
): { readonly lower: number; readonly upper: number } {
  const lower = k === 0 ? 0 : solve((p) => binomialUpperTail(k, n, p), alpha / 2)
  const upper = k === n ? 1 : solve((p) => 1 - binomialCdf(k, n, p), 1 - alpha / 2)
  return { lower, upper }
}

/** The least whole number in [low, high] for which `holds`, which stays true once it is; `high + 1` where it never is. */
function least(low: number, high: number, holds: (value: number) => boolean): number {
  let from = low
  let to = high + 1
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (holds(middle)) to = middle
    else from = middle + 1
  }
  return from
}

/**
 * Exact, distribution-free two-sided interval of a percentile from order statistics, each side missed with probability of at most
 * (1 − confidence) / 2: x₍l₎ with the largest l for which P(Bin(n, q) < l) ≤ α/2, x₍u₎ with the least u for which P(Bin(n, q) ≥ u) ≤ α/2.
 * p99 of 288 samples has no upper end at any usual confidence: 0.99²⁸⁸ = 5.5 %.
 *
 * Source: David and Nagaraja, "Order Statistics" (2003), 7.1.
 * @param q - strictly between 0 and 1
 * @param confidence - as 0.999
 */
export function quantileInterval(sorted: SortedSamples, q: number, confidence: number): Interval {
  const n = sorted.length
  const side = (1 - confidence) / 2
  // ranks count from 1
  const lowerRank = least(0, n, (rank) => binomialCdf(rank, n, q) > side)
  const upperRank = least(1, n, (rank) => binomialUpperTail(rank, n, q) <= side)
  return { lower: sorted[lowerRank - 1] ?? null, upper: sorted[upperRank - 1] ?? null }
}
