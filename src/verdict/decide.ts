import type { BudgetCase } from '../budget/types.ts'
import { evidenceOf } from './evidence.ts'
import type { Tally } from './tally.ts'
import type { Evidence, Finding, Verdict } from './types.ts'

/** How much of the pool there is. */
export interface Coverage {
  /** Cells of the case that a filter, a shard or an interruption left out, wholly or partly. */
  readonly leftOut: number
  /** Cells of the case without any sample, for whatever reason. */
  readonly empty: number
  /** The run ended before its schedule did, so nobody selected what is left out. */
  readonly interrupted?: boolean
}

export interface Decision {
  readonly verdict: Verdict
  readonly reason: NonNullable<Finding['reason']> | null
  readonly evidence: Evidence | null
}

/** Why cells are left out. */
export function leftOutReason({ interrupted }: Coverage): 'ended-early' | 'partial-selection' {
  return interrupted === true ? 'ended-early' : 'partial-selection'
}

/**
 * Points 2 to 4 of a verdict, once the samples are counted.
 *
 * - Zero samples never pass.
 * - A pool that misses a whole cell is another pool than the budget speaks of: inconclusive, whatever the rest proves.
 * - A breach that is proven fails in every other case: below `min_samples`, in a selection of which every cell has samples, and where
 *   interpolation alone would have let a value pass (possible with a tiny explicit `min_samples` only).
 * - Then cells that were left out, too few samples, and a statistic that cut-off samples leave open are inconclusive, in this order.
 * - With `confidence` only a proof passes; without either proof it is inconclusive, wherever the value lies.
 */
export function decide(budgetCase: BudgetCase, tally: Tally, coverage: Coverage): Decision {
  const { leftOut, empty } = coverage
  const { limit, minSamples } = budgetCase
  const { n, beyond, passes, clumps } = tally
  const { allowed } = limit
  const confidence = budgetCase.confidence ?? null
  const evidence =
    allowed === null
      ? null
      : evidenceOf({ beyond, n, allowed, confidence, clumps, passes: passes === true || confidence !== null })
  const inconclusive = (reason: NonNullable<Finding['reason']>): Decision => ({
    verdict: 'inconclusive',
    reason,
    evidence,
  })
  if (n === 0 || empty > 0) return inconclusive(leftOut > 0 ? leftOutReason(coverage) : 'no-samples')
  if (evidence?.proven === 'fail') return { verdict: 'fail', reason: null, evidence }
  if (leftOut > 0) return inconclusive(leftOutReason(coverage))
  if (minSamples === null || n < minSamples) return inconclusive('too-few-samples')
  if (evidence !== null && confidence !== null) {
    return evidence.proven === 'pass' ? { verdict: 'pass', reason: null, evidence } : inconclusive('not-proven')
  }
  if (passes === null) return inconclusive('censored')
  return { verdict: passes ? 'pass' : 'fail', reason: null, evidence }
}
