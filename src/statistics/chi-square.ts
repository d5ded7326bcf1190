/** Upper tail of the standard normal: Abramowitz and Stegun 26.2.17, absolute error below 7.5 · 10⁻⁸. */
function normalUpperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z)
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series
}

/**
 * P(χ² ≥ x) as the finite sum that whole degrees allow, in logarithms, so that large x do not underflow.
 *
 * Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.4.4 and 26.4.5.
 * @param degrees - whole, from 1 on
 */
export function chiSquareUpperTail(x: number, degrees: number): number {
  if (x <= 0) return 1
  const half = x / 2
  const odd = degrees % 2 === 1
  let sum = odd ? 2 * normalUpperTail(Math.sqrt(x)) : 0
  // ln of the first term: e^(−x/2) for even degrees, e^(−x/2) (x/2)^½ / Γ(3/2) for odd ones
  let log = odd ? -half + Math.log(half) / 2 - Math.log(Math.sqrt(Math.PI) / 2) : -half
  for (let j = odd ? 1.5 : 1; j <= degrees / 2; j += 1) {
    sum += Math.exp(log)
    log += Math.log(half) - Math.log(j)
  }
  return Math.min(1, sum)
}
