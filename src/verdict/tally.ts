import type { BudgetCase, Fraction, Limit, StatisticLimit } from '../budget/types.ts'
import { isUpper } from '../budget/index.ts'
import { mean, quantile, quantileNeighbours, sortSamples } from '../statistics/index.ts'
import { clumpsOf } from './clumps.ts'
import type { Clumps } from './clumps.ts'
import { compareWithAllowed } from './evidence.ts'
import { holds } from './readings.ts'
import type { Reading } from './readings.ts'

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

interface Sorts {
  readonly known: readonly number[]
  /** Where they were cut off, as far as that is known. */
  readonly cuts: readonly number[]
  /** Censored ones without such a time. */
  readonly uncut: number
  /** Failures that count as beyond every limit. */
  readonly failed: number
}

function sortsOf(readings: readonly Reading[]): Sorts {
  const known: number[] = []
  const cuts: number[] = []
  let uncut = 0
  let failed = 0
  for (const { kind, value } of readings) {
    if (kind === 'failed') failed += 1
    else if (value === null) uncut += 1
    else if (kind === 'value') known.push(value)
    else cuts.push(value)
  }
  return { known, cuts, uncut, failed }
}

function quantileOf({ allowed, operator }: { allowed: Fraction; operator: Limit['operator'] }): Fraction {
  if (!isUpper(operator)) return allowed
  return { numerator: allowed.denominator - allowed.numerator, denominator: allowed.denominator }
}

/**
 * A lower bound of a percentile that touches censored samples, from the times at which they were cut off; `null` where the order
 * statistic below it has no such time either.
 */
function percentileBound({ known, cuts }: Sorts, n: number, q: Fraction): number | null {
  const sorted = sortSamples([...known, ...cuts])
  const { lower, upper } = quantileNeighbours(n, q)
  const low = sorted?.[lower]
  if (sorted === undefined || low === undefined) return null
  const high = sorted[upper]
  if (high === undefined) return low
  const share = ((n - 1) * q.numerator) / q.denominator - lower
  return low + share * (high - low)
}

function percentile(limit: StatisticLimit, allowed: Fraction, sorts: Sorts, n: number, beyond: number): Measured {
  const upper = isUpper(limit.operator)
  const q = quantileOf({ allowed, operator: limit.operator })
  const worse = n - sorts.known.length
  const neighbours = quantileNeighbours(n, q)
  const touched = upper ? neighbours.upper >= sorts.known.length : neighbours.lower < worse
  if (touched) {
    const bound = upper ? percentileBound(sorts, n, q) : null
    return { value: bound, valueIsBound: bound !== null, passes: compareWithAllowed(beyond, n, allowed) <= 0 }
  }
  // The places of the others keep the ranks right and get no weight.
  const sorted = sortSamples([...sorts.known, ...Array<number>(worse).fill(upper ? Infinity : -Infinity)])
  if (sorted === undefined) return NOTHING
  const value = quantile(sorted, q)
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
function whole(limit: StatisticLimit, { known, cuts, uncut, failed }: Sorts): Measured {
  const upper = isUpper(limit.operator)
  const worst = upper ? Infinity : -Infinity
  const beyondAll = Array<number>(failed).fill(worst)
  const censored = cuts.length + uncut
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

function measure(limit: Limit, readings: readonly Reading[], beyond: number): Measured {
  const n = readings.length
  if (n === 0) return NOTHING
  if (limit.kind !== 'statistic') return limit.allowed === null ? NOTHING : rate(limit, limit.allowed, n, beyond)
  const sorts = sortsOf(readings)
  return limit.allowed === null ? whole(limit, sorts) : percentile(limit, limit.allowed, sorts, n, beyond)
}

/** Counts and measures what `readings` say of the limit. */
export function tallyOf({ limit }: BudgetCase, readings: readonly Reading[]): Tally {
  let beyond = 0
  let censored = 0
  for (const reading of readings) {
    if (reading.beyond) beyond += 1
    if (reading.kind === 'censored') censored += 1
  }
  const clumps = limit.allowed === null ? null : clumpsOf(readings, beyond)
  return { n: readings.length, beyond, censored, clumps, ...measure(limit, readings, beyond) }
}
