import type { StatisticLimit } from '../budget/types.ts'
import { isUpper } from '../budget/index.ts'
import { cumulativeWeights } from '../statistics/index.ts'

/** More of an estimate than this must not rest on requests that were cut off, or its number is only a bound. */
const MOST_CUT_WEIGHT = 0.01

/** What came of the requests of an arm or a night. */
export interface Answers {
  readonly asked: number
  /** They have the metric. */
  readonly numbers: number
  /** They failed, or were cut off before they had it. */
  readonly lost: number
}

/** Most requests were lost, so that too few numbers are left to judge: no bad luck, but an answer. */
export function isLost({ asked, numbers, lost }: Answers, minSamples: number | null): boolean {
  return minSamples !== null && numbers < Math.max(1, minSamples) && 2 * lost > asked
}

/** q of the statistic, from 0 to 1; `null` for the mean. */
export function shareOf({ percentile }: StatisticLimit): number | null {
  return percentile === null ? null : percentile / 100
}

/**
 * Where a request stands that was cut off, or failed and counts. It is worse than every limit: in a percentile, where the order decides, it
 * stands with the worst number there is. In a mean, where the size decides, it stands at its cut, and a longer time is not made up.
 */
export function placeCut(limit: StatisticLimit, cutAt: number | null, worst: number): number {
  if (shareOf(limit) !== null || !isUpper(limit.operator)) return worst
  return Math.min(cutAt ?? worst, worst)
}

/** Whether too much of an estimate of `n` requests rests on `cut` ones of them. */
export function isCutTooMuch(n: number, cut: number, limit: StatisticLimit): boolean {
  if (cut === 0) return false
  const weights = cumulativeWeights(n, shareOf(limit))
  const weight = isUpper(limit.operator) ? 1 - (weights[n - cut] ?? 1) : (weights[cut] ?? 0)
  return weight > MOST_CUT_WEIGHT
}

/**
 * Whether the numbers of requests that were cut off are bounds, none of them worse than the truth. In a percentile they are, since all that
 * is worse than the worst number may as well stand there. A mean has none from below, and none where the cut says nothing.
 */
export function areBounds(limit: StatisticLimit, isEachKnown: boolean): boolean {
  return shareOf(limit) !== null || (isUpper(limit.operator) && isEachKnown)
}
