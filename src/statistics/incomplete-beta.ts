const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const

/** ln Γ(x) for x > 0.5, by Lanczos' series with g = 7. Source: Lanczos, SIAM J. Numer. Anal. 1 (1964); coefficients of P. Godfrey. */
function logGamma(x: number): number {
  const z = x - 1
  const base = z + 7.5
  const sum = LANCZOS.reduce((total, term, at) => (at === 0 ? term : total + term / (z + at)), 0)
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(base) - base + Math.log(sum)
}

const TINY = 1e-300

/** The continued fraction of the incomplete beta function, by Lentz' method. */
function continuedFraction(a: number, b: number, x: number): number {
  const away = (value: number): number => (Math.abs(value) < TINY ? TINY : value)
  let c = 1
  let d = 1 / away(1 - ((a + b) * x) / (a + 1))
  let result = d
  // Converges in O(√max(a, b)) steps.
  for (let m = 1; m < 100_000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / away(1 + even * d)
    c = away(1 + even / c)
    result *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / away(1 + odd * d)
    c = away(1 + odd / c)
    const step = d * c
    result *= step
    if (Math.abs(step - 1) < 1e-15) break
  }
  return result
}

/**
 * Regularised incomplete beta function I_x(a, b): the distribution function of a beta variable, for a, b ≥ 0.5.
 *
 * Source: Abramowitz and Stegun 26.5.8; Lentz' evaluation as in "Numerical Recipes", 6.4.
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x))
  return x < (a + 1) / (a + b + 2)
    ? (front * continuedFraction(a, b, x)) / a
    : 1 - (front * continuedFraction(b, a, 1 - x)) / b
}
