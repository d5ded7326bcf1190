import { exactMinimum } from './decimal.ts'
import { fault } from './limit-slips.ts'
import type { LimitToken } from './limit-tokens.ts'
import type { Fraction, PercentileName, StatisticLimit } from './types.ts'

/** Fewer samples than this show nothing, whatever the limit. */
const LEAST_SAMPLES = 10
const PERCENTILE = /^p(\d+(?:\.\d+)?)$/
const MAX_PERCENTILE_PLACES = 6

/** The statistic of a limit, as it is kept. */
export type Statistic = Pick<StatisticLimit, 'statistic' | 'percentile'>

/** Whether `word` names a percentile, of whatever number. */
export function isPercentile(word: string): boolean {
  return PERCENTILE.test(word)
}

/**
 * The statistic that a token names; `undefined` where it names none.
 * @throws LimitFault for a percentile that does not exist
 */
export function readStatistic(token: LimitToken): Statistic | undefined {
  if (token.text === 'mean' || token.text === 'min' || token.text === 'max') {
    return { statistic: token.text, percentile: null }
  }
  const digits = PERCENTILE.exec(token.text)?.[1]
  if (digits === undefined) return undefined
  const percentile = Number(digits)
  if (percentile > 100) {
    const meant = `p${digits.slice(0, 2)}.${digits.slice(2).replace('.', '')}`
    const hint = /^9\d+$/.test(digits) ? `did you mean \`${meant}\`?` : 'percentiles go from p0 to p100'
    throw fault(token, 'out-of-range', `there is no percentile above 100`, hint)
  }
  if ((digits.split('.')[1] ?? '').length > MAX_PERCENTILE_PLACES) {
    throw fault(token, 'too-precise', 'too many decimals', `a percentile takes at most ${MAX_PERCENTILE_PLACES}`)
  }
  return { statistic: `p${percentile}` satisfies PercentileName, percentile }
}

/** ⌈1/e⌉, at least 10; mean, min and max (`null`): 10; e = 0: `null`. */
export function autoMinSamples(allowed: Fraction | null): number | null {
  if (allowed === null) return LEAST_SAMPLES
  const least = exactMinimum(allowed)
  return least === null ? null : Math.max(LEAST_SAMPLES, least)
}
