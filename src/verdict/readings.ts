import type { BudgetCase, Operator, ShareLimit, Unit } from '../budget/types.ts'
import { isUpper } from '../budget/index.ts'
import type { Sample } from '../sample/types.ts'
import { CENSORED, VALUE } from './observed.ts'
import type { Observed, Question } from './observed.ts'
import type { PooledSamples } from './pooled-samples.ts'

/** What one sample brings to one budget; samples that do not count bring none. */
export interface Reading {
  readonly sample: Sample
  /** `censored`: cut off by our timeout, `failed`: without a number and counted all the same. */
  readonly kind: 'value' | 'censored' | 'failed'
  /** The metric's number, or where it was cut off; `null` where there is none. */
  readonly value: number | null
  /** It is beyond the limit. */
  readonly beyond: boolean
}

/** `measured`: as stamped. `favourable`: every time moved to the end of its bound that helps the limit pass. */
export type Stamps = 'measured' | 'favourable'

/** Readings of a case, and the unit of their values. */
export interface Readings {
  readonly pooled: PooledSamples
  readonly observed: Observed
  /**
   * Of each place of `observed`, 1 where it is beyond the limit: the wrong side of it, censored, or counted as a failure. For a `>` rate: in the
   * complement.
   */
  readonly beyond: Uint8Array
  /** `null`: values are no measurement. */
  readonly unit: Unit | null
}

/** `value operator limit`, unrounded. */
export function holds(value: number, operator: Operator, limit: number): boolean {
  switch (operator) {
    case '<':
      return value < limit
    case '<=':
      return value <= limit
    case '>':
      return value > limit
    case '>=':
      return value >= limit
  }
}

const OPPOSITE: Readonly<Record<Operator, Operator>> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' }

/** The inner comparison that a good sample satisfies: for `share(ttft > 60s) < 0.5%` that is `<= 60s`. */
function goodSide({ threshold, operator }: ShareLimit): { readonly operator: Operator; readonly value: number } {
  return isUpper(operator) ? { ...threshold, operator: OPPOSITE[threshold.operator] } : threshold
}

/** Marks the places that are not `inside`. */
function beyondValues(
  { kinds, values }: Observed,
  { operator, value: limit }: { readonly operator: Operator; readonly value: number },
): Uint8Array {
  const beyond = new Uint8Array(kinds.length)
  // A plain loop, since it runs over every sample of every budget.
  for (let place = 0; place < kinds.length; place += 1) {
    if (kinds[place] !== VALUE || !holds(values[place] ?? NaN, operator, limit)) beyond[place] = 1
  }
  return beyond
}

function questionOf({ limit, failures, stallOverMs }: BudgetCase): Question {
  if (limit.kind !== 'rate') return { kind: 'value', metric: limit.metric, failures }
  // budgets on other rates share their answer, whatever gap they call a stall
  return { kind: 'rate', metric: limit.metric, stallOverMs: limit.metric === 'stall_rate' ? stallOverMs : 0 }
}

/** What the samples of a pool bring to the case. */
export function readingsOf(budgetCase: BudgetCase, pooled: PooledSamples, stamps: Stamps): Readings {
  const { limit } = budgetCase
  const question = questionOf(budgetCase)
  const inside = limit.kind === 'share' ? goodSide(limit) : limit
  const favoured = isUpper(inside.operator) ? '<' : '>'
  const observed = pooled.observed(question, stamps === 'measured' ? null : favoured)
  if (limit.kind === 'rate') {
    const hitIsBeyond = isUpper(limit.operator)
    const beyond = hitIsBeyond ? observed.hits : observed.hits.map((hit) => 1 - hit)
    return { pooled, observed, beyond, unit: limit.metric === 'stall_rate' ? 'ms' : null }
  }
  const unit = limit.kind === 'share' ? limit.threshold.unit : limit.unit
  return { pooled, observed, beyond: beyondValues(observed, inside), unit }
}

/** The reading at a place; `undefined` where there is none. */
export function readingAt(
  { pooled: { samples }, observed: { at, kinds, values }, beyond }: Readings,
  place: number,
): Reading | undefined {
  const sample = samples[at[place] ?? -1]
  if (sample === undefined) return undefined
  const value = values[place] ?? NaN
  const kind = kinds[place] === VALUE ? 'value' : kinds[place] === CENSORED ? 'censored' : 'failed'
  return { sample, kind, value: Number.isNaN(value) ? null : value, beyond: beyond[place] === 1 }
}

/** The readings at some places, all of them by default. */
export function* readingsAt(
  readings: Readings,
  isWanted: (place: number) => boolean = () => true,
): Generator<Reading, void> {
  for (let place = 0; place < readings.observed.size; place += 1) {
    const reading = isWanted(place) ? readingAt(readings, place) : undefined
    if (reading !== undefined) yield reading
  }
}
