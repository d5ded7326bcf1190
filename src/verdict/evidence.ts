import type { Fraction } from '../budget/types.ts'
import { binomialCdf, binomialUpperTail, samplesToProve } from '../statistics/index.ts'
import type { Clumps } from './clumps.ts'
import type { Evidence } from './types.ts'

/** How sure a proof is where no budget says otherwise. */
const CONFIDENCE = 0.95

/** What K of n may prove. */
export interface EvidenceFacts {
  readonly beyond: number
  readonly n: number
  readonly allowed: Fraction
  /** Only then missing samples are counted. */
  readonly passes: boolean
  /** `null`: 95 %. */
  readonly confidence: number | null
  /** `null`: exceedances are spread as independent ones would be. */
  readonly clumps: Clumps | null
}

/**
 * What `beyond` of `n` samples prove about a share `allowed` that may lie beyond the limit: P(Bin(n, e) ≤ K) ≤ α proves it kept,
 * P(Bin(n, e) ≥ K) ≤ α proves it breached, if requests are independent. Where exceedances clump, n and K are divided by the
 * design effect first, and rounded against the proof.
 */
export function evidenceOf(facts: EvidenceFacts): Evidence {
  const { beyond, n, allowed, passes, clumps } = facts
  const confidence = facts.confidence ?? CONFIDENCE
  const seen = clumps === null ? {} : { clumps }
  if (n === 0) return { proven: null, confidence, samplesMissing: null, ...seen }
  // (1 − 0.95) is 0.050000000000000044; and a tail of exactly α must not be lost to rounding.
  const alpha = Number((1 - confidence).toPrecision(12))
  const level = alpha * (1 + 1e-12)
  const e = allowed.numerator / allowed.denominator
  const effect = clumps?.designEffect ?? 1
  const many = Math.ceil(beyond / effect)
  if (binomialUpperTail(Math.floor(beyond / effect), Math.ceil(n / effect), e) <= level)
    return { proven: 'fail', confidence, samplesMissing: null, ...seen }
  if (binomialCdf(many, Math.floor(n / effect), e) <= level)
    return { proven: 'pass', confidence, samplesMissing: null, ...seen }
  const enough = passes ? samplesToProve(many, e, alpha) : null
  const samplesMissing = enough === null ? null : Math.max(1, Math.ceil(enough * effect) - n)
  return { proven: null, confidence, samplesMissing, ...seen }
}

/** −1, 0 or 1 as `beyond` is below, equal to or above n·e, compared as whole numbers. */
export function compareWithAllowed(beyond: number, n: number, allowed: Fraction): -1 | 0 | 1 {
  const have = BigInt(beyond) * BigInt(allowed.denominator)
  const may = BigInt(n) * BigInt(allowed.numerator)
  if (have === may) return 0
  return have < may ? -1 : 1
}
