import { incompleteBeta } from './incomplete-beta.ts'
import type { SortedSamples } from './quantiles.ts'

/**
 * Cumulative weights of order statistics: place i (from 0) has the weight w[i + 1] − w[i]; n + 1 numbers from 0 to 1.
 *
 * - of a percentile, by Harrell and Davis: w[i] = I_{i/n}((n + 1) q, (n + 1)(1 − q));
 * - of the mean (`null`): i / n.
 *
 * Unlike one or two order statistics, all of them move the estimate a little, so it varies less from sample to sample.
 *
 * Source: Harrell and Davis, "A New Distribution-Free Quantile Estimator", Biometrika 69 (1982).
 * @param q - strictly between 0 and 1
 */
export function cumulativeWeights(n: number, q: number | null): Float64Array {
  if (latest?.n === n && latest.q === q) return latest.weights
  const weights = weightsOf(n, q)
  latest = { n, q, weights }
  return weights
}

/** Imagined nights and resamples ask for the same weights again and again. Nobody writes to them. */
let latest: { readonly n: number; readonly q: number | null; readonly weights: Float64Array } | undefined

function weightsOf(n: number, q: number | null): Float64Array {
  const weights = new Float64Array(n + 1)
  for (let i = 1; i < n; i += 1) {
    weights[i] = q === null ? i / n : incompleteBeta(i / n, (n + 1) * q, (n + 1) * (1 - q))
  }
  weights[n] = 1
  return weights
}

/** Σ (w[i + 1] − w[i]) x₍ᵢ₎; the mean where q is `null`. */
export function harrellDavis(sorted: SortedSamples, q: number | null): number {
  const weights = cumulativeWeights(sorted.length, q)
  return sorted.reduce((sum, value, i) => sum + ((weights[i + 1] ?? 1) - (weights[i] ?? 0)) * value, 0)
}
