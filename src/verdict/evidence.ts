import type { Fraction } from '../budget/types.ts'
import { binomialCdf, binomialUpperTail, samplesToProve } from '../statistics/index.ts'
import type { Evidence } from './types.ts'

/** Level of every proof: 5 %. */
const ALPHA = 0.05
/** So that a tail of exactly 5 % is not lost to rounding. */
const ALPHA_ROUNDED = ALPHA * (1 + 1e-12)

/**
 * What `beyond` of `n` samples prove about a share `allowed` that may lie beyond the limit: P(Bin(n, e) ≤ K) ≤ 5 % proves it kept,
 * P(Bin(n, e) ≥ K) ≤ 5 % proves it breached, if requests are independent.
 * @param passes - whether the value passes; only then missing samples are counted
 */
export function evidenceOf(beyond: number, n: number, allowed: Fraction, passes: boolean): Evidence {
  const confidence = 1 - ALPHA
  if (n === 0) return { proven: null, confidence, samplesMissing: null }
  const e = allowed.numerator / allowed.denominator
  if (binomialUpperTail(beyond, n, e) <= ALPHA_ROUNDED) return { proven: 'fail', confidence, samplesMissing: null }
  if (binomialCdf(beyond, n, e) <= ALPHA_ROUNDED) return { proven: 'pass', confidence, samplesMissing: null }
  const enough = passes ? samplesToProve(beyond, e, ALPHA) : null
  return { proven: null, confidence, samplesMissing: enough === null ? null : Math.max(1, enough - n) }
}

/** −1, 0 or 1 as `beyond` is below, equal to or above n·e, compared as whole numbers. */
export function compareWithAllowed(beyond: number, n: number, allowed: Fraction): -1 | 0 | 1 {
  const have = BigInt(beyond) * BigInt(allowed.denominator)
  const may = BigInt(n) * BigInt(allowed.numerator)
  if (have === may) return 0
  return have < may ? -1 : 1
}
