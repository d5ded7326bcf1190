import { quantileSorted } from 'simple-statistics'
import type { Fraction } from '../budget/types.ts'

declare const ascending: unique symbol

/** Finite numbers in ascending order, at least one; made by {@link sortSamples}. */
export type SortedSamples = readonly [number, ...number[]] & { readonly [ascending]: true }

/** Sorts a copy; `undefined` where there is nothing to sort, since no statistic of nothing exists. */
export function sortSamples(values: ArrayLike<number>): SortedSamples | undefined {
  const sorted = new Float64Array(values).sort()
  return sorted.length === 0 ? undefined : (Array.from(sorted) as unknown as SortedSamples)
}

/** Which order statistics a quantile is made of; indices count from 0, smallest first. */
export interface QuantileNeighbours {
  readonly lower: number
  /** Equal to `lower` where the quantile is one order statistic. */
  readonly upper: number
}

/**
 * The order statistics that get weight above 0 in a type 7 quantile of `n` values: those at ⌊h⌋ and ⌈h⌉ with h = (n − 1) q.
 * @param q - from 0 to 1; as a fraction the answer is exact, while (101 − 1) × 0.57 is 56.99999999999999 in floating point
 */
export function quantileNeighbours(n: number, q: Fraction | number): QuantileNeighbours {
  if (typeof q === 'number') {
    const position = (n - 1) * q
    return { lower: Math.floor(position), upper: Math.ceil(position) }
  }
  const scaled = BigInt(n - 1) * BigInt(q.numerator)
  const denominator = BigInt(q.denominator)
  const lower = Number(scaled / denominator)
  return { lower, upper: scaled % denominator === 0n ? lower : lower + 1 }
}

/**
 * Quantile by linear interpolation between order statistics, Hyndman–Fan type 7: with h = (n − 1) q,
 * x⌊h⌋ + (h − ⌊h⌋)(x⌈h⌉ − x⌊h⌋). numpy's and pandas' default, R's `type = 7`, and what k6 does.
 *
 * `quantileSorted` of simple-statistics is type 7 since 7.8.9; before, it was another definition. Where h is a whole number by the
 * exact fraction, the order statistic itself is returned, without floating-point dust.
 *
 * Source: Hyndman and Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50 (1996).
 * @param q - from 0 to 1
 */
export function quantile(sorted: SortedSamples, q: Fraction | number): number {
  if (typeof q === 'number') return quantileSorted(sorted, q)
  const { lower, upper } = quantileNeighbours(sorted.length, q)
  if (lower === upper) return sorted[lower] ?? sorted[0]
  return quantileSorted(sorted, q.numerator / q.denominator)
}

/** The middle: the type 7 quantile at one half. */
export function median(sorted: SortedSamples): number {
  return quantile(sorted, 0.5)
}
