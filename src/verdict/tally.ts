import type { BudgetCase, Fraction, Limit, StatisticLimit } from '../budget/types.ts'
import { isUpper } from '../budget/index.ts'
import { mean, quantile, quantileNeighbours, sortSamples } from '../statistics/index.ts'
import { clumpsOf } from './clumps.ts'
import type { Clumps } from './clumps.ts'
import { compareWithAllowed } from './evidence.ts'
import { CENSORED, VALUE } from './observed.ts'
import type { Observed } from './observed.ts'
import { holds } from './readings.ts'
import type { Readings } from './readings.ts'

/** The readings of a case in numbers. */
export interface Tally {
  readonly n: number
  /** K. */
  readonly beyond: number
  readonly censored: number
  readonly value: number | null
  readonly valueIsBound: boolean
  /** `null`: no sample, or a mean, min or max that depends on how long a cut-off sample would have gone on. */
  readonly passes: boolean | null
  /** `null`: exceedances are spread over the hours as independent ones would be, or there are too few to tell. */
  readonly clumps: Clumps | null
}

type Measured = Pick<Tally, 'value' | 'valueIsBound' | 'passes'>

const NOTHING: Measured = { value: null, valueIsBound: false, passes: null }

function quantileOf({ allowed, operator }: { allowed: Fraction; operator: Limit['operator'] }): Fraction {
  if (!isUpper(operator)) return allowed
  return { numerator: allowed.denominator - allowed.numerator, denominator: allowed.denominator }
}

/**
 * A lower bound of a percentile that touches censored samples, from the times at which they were cut off; `null` where the order
 * statistic below it has no such time either.
 */
function percentileBound(observed: Observed, n: number, q: Fraction): number | null {
  const sorted = sortSamples([...observed.numbers(VALUE), ...observed.numbers(CENSORED)])
  const { lower, upper } = quantileNeighbours(n, q)
  const low = sorted?.[lower]
  if (sorted === undefined || low === undefined) return null
  const high = sorted[upper]
  if (high === undefined) return low
  const share = ((n - 1) * q.numerator) / q.denominator - lower
  return low + share * (high - low)
}

function percentile(limit: StatisticLimit, allowed: Fraction, observed: Observed, beyond: number): Measured {
  const upper = isUpper(limit.operator)
  const n = observed.size
  const q = quantileOf({ allowed, operator: limit.operator })
  const neighbours = quantileNeighbours(n, q)
  const touched = upper ? neighbours.upper >= observed.known : neighbours.lower < n - observed.known
  if (touched) {
    const bound = upper ? percentileBound(observed, n, q) : null
    return { value: bound, valueIsBound: bound !== null, passes: compareWithAllowed(beyond, n, allowed) <= 0 }
  }
  const ranked = observed.ranked(upper)
  if (ranked === undefined) return NOTHING
  const value = quantile(ranked, q)
  return { value, valueIsBound: false, passes: holds(value, limit.operator, limit.value) }
}

function wholeOf(statistic: StatisticLimit['statistic'], values: readonly number[]): number | null {
  const sorted = sortSamples(values)
  if (sorted === undefined) return null
  const [first] = sorted
  const last = sorted[sorted.length - 1] ?? first
  if (statistic === 'min') return first
  if (statistic === 'max') return last
  // A mean with a sample beyond every limit is beyond every limit.
  if (first === -Infinity) return first
  return last === Infinity ? last : mean(sorted)
}

/**
 * Mean, min or max. A censored sample may lie anywhere from its cut to infinity; failures that count lie beyond every limit. Where
 * both ends of that range give one verdict it stands, and else there is none.
 */
function whole(limit: StatisticLimit, observed: Observed): Measured {
  const upper = isUpper(limit.operator)
  const worst = upper ? Infinity : -Infinity
  const { censored } = observed
  const known = observed.numbers(VALUE)
  const cuts = observed.numbers(CENSORED)
  const uncut = censored - cuts.length
  const beyondAll = Array<number>(observed.failed).fill(worst)
  // No time is below 0; a lower limit has no such bound, since a cut-off sample may have been fast.
  const atBest = upper ? [...cuts, ...Array<number>(uncut).fill(0)] : Array<number>(censored).fill(Infinity)
  const best = wholeOf(limit.statistic, [...known, ...atBest, ...beyondAll])
  const worstCase = wholeOf(limit.statistic, [...known, ...beyondAll, ...Array<number>(censored).fill(worst)])
  if (best === null || worstCase === null) return NOTHING
  const passes = holds(best, limit.operator, limit.value)
  const exact = best === worstCase
  const shown = Number.isFinite(best) && (exact || (upper && best > 0)) ? best : null
  return {
    value: shown,
    valueIsBound: shown !== null && !exact,
    passes: passes === holds(worstCase, limit.operator, limit.value) ? passes : null,
  }
}

function rate(limit: Limit, allowed: Fraction, n: number, beyond: number): Measured {
  const hits = isUpper(limit.operator) ? beyond : n - beyond
  const side = compareWithAllowed(beyond, n, allowed)
  const strict = limit.operator === '<' || limit.operator === '>'
  return { value: hits / n, valueIsBound: false, passes: strict ? side < 0 : side <= 0 }
}

function measure(limit: Limit, observed: Observed, beyond: number): Measured {
  const n = observed.size
  if (n === 0) return NOTHING
  if (limit.kind !== 'statistic') return limit.allowed === null ? NOTHING : rate(limit, limit.allowed, n, beyond)
  return limit.allowed === null ? whole(limit, observed) : percentile(limit, limit.allowed, observed, beyond)
}

/** Counts and measures what `readings` say of the limit. */
export function tallyOf({ limit }: BudgetCase, readings: Readings): Tally {
  const { observed } = readings
  let beyond = 0
  for (const each of readings.beyond) beyond += each
  const clumps = limit.allowed === null ? null : clumpsOf(readings, beyond)
  return { n: observed.size, beyond, censored: observed.censored, clumps, ...measure(limit, observed, beyond) }
}
