/** ln(n!) − ln(√(2πn) (n/e)ⁿ) for n = 0 … 15, where the series below is not good enough. From Loader's `stirlerr`. */
const SMALL_ERRORS: readonly number[] = [
  0, 0.08106146679532726, 0.0413406959554093, 0.02767792568499834, 0.02079067210376509, 0.01664469118982119,
  0.01387612882307075, 0.01189670994589177, 0.01041126526197209, 0.009255462182712733, 0.00833056343336287,
  0.00757367548795184, 0.00694284010720953, 0.006408994188004207, 0.0059513701127588475, 0.005554733551962801,
]

/** Error of Stirling's formula for ln(n!). */
function stirlingError(n: number): number {
  const small = SMALL_ERRORS[n]
  if (small !== undefined) return small
  const square = n * n
  return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / n
}

/** Deviance x ln(x/m) + m − x without cancellation where x is near m. */
function deviance(x: number, m: number): number {
  if (Math.abs(x - m) >= 0.1 * (x + m)) return x * Math.log(x / m) + m - x
  const v = (x - m) / (x + m)
  let sum = (x - m) * v
  let term = 2 * x * v
  for (let j = 1; ; j += 1) {
    term *= v * v
    const next = sum + term / (2 * j + 1)
    if (next === sum) return sum
    sum = next
  }
}

/**
 * ln P(Bin(n, p) = k) by saddle-point expansion, for whole 0 ≤ k ≤ n and 0 < p < 1. Relative error of the mass near 10⁻¹⁴
 * at any n that we meet; factorials by `gammaln` lose five digits at n = 10⁶.
 *
 * Source: Loader, "Fast and Accurate Computation of Binomial Probabilities" (2000); R's `dbinom` is made of it.
 */
export function logBinomialMass(k: number, n: number, p: number): number {
  if (k === 0) return n * Math.log1p(-p)
  if (k === n) return n * Math.log(p)
  const errors = stirlingError(n) - stirlingError(k) - stirlingError(n - k)
  const deviances = deviance(k, n * p) + deviance(n - k, n * (1 - p))
  return errors - deviances + 0.5 * Math.log(n / (2 * Math.PI * k * (n - k)))
}
