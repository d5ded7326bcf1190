import type { BudgetCase, Operator, RateMetric, ShareLimit, StatisticLimit, Unit } from '../budget/types.ts'
import { isUpper } from '../budget/index.ts'
import { endedAtTokenCap } from '../sample/index.ts'
import type { Sample } from '../sample/types.ts'
import { lastSilenceMs, observe } from './censoring.ts'
import { favourableValue } from './client-delay.ts'

/** A prompt of which more than one token in twenty (5 %) came from the cache is a hit. */
const CACHED_ONE_IN = 20

/** What one sample brings to one budget; samples that do not count bring none. */
export interface Reading {
  readonly sample: Sample
  /** `censored`: cut off by our timeout, `failed`: without a number and counted all the same. */
  readonly kind: 'value' | 'censored' | 'failed'
  /** The metric's number, or where it was cut off; `null` where there is none. */
  readonly value: number | null
  /** It is beyond the limit: the wrong side of it, censored, or counted as a failure. For a `>` rate: in the complement. */
  readonly beyond: boolean
}

/** `measured`: as stamped. `favourable`: every time moved to the end of its bound that helps the limit pass. */
export type Stamps = 'measured' | 'favourable'

/** Readings of a case, and the unit of their values. */
export interface Readings {
  readonly list: readonly Reading[]
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

/** Readings of a metric with one number a sample; `inside` says on which side of which value a sample must be to count as good. */
function valueReadings(
  { failures }: BudgetCase,
  samples: readonly Sample[],
  metric: StatisticLimit['metric'],
  inside: { readonly operator: Operator; readonly value: number },
  stamps: Stamps,
): Reading[] {
  const readings: Reading[] = []
  const moved = (sample: Sample, value: number): number =>
    stamps === 'measured' ? value : favourableValue(sample, metric, value, inside.operator)
  for (const sample of samples) {
    const seen = observe(sample, metric)
    if (seen.kind === 'value') {
      const value = moved(sample, seen.value)
      readings.push({ sample, kind: 'value', value, beyond: !holds(value, inside.operator, inside.value) })
    } else if (seen.kind === 'censored') {
      const value = seen.cutAt === null ? null : moved(sample, seen.cutAt)
      readings.push({ sample, kind: 'censored', value, beyond: true })
    } else if (seen.kind === 'failed' && failures === 'exceed') {
      readings.push({ sample, kind: 'failed', value: null, beyond: true })
    }
  }
  return readings
}

/** The longest gap of a sample, with the one that it died in; `undefined` where it has none. */
function longestGapMs(sample: Sample): number | undefined {
  const silence = lastSilenceMs(sample)
  if (silence === undefined) return sample.gap_max_ms
  return Math.max(silence, sample.gap_max_ms ?? 0)
}

interface RateCount {
  readonly counts: boolean
  readonly hit: boolean
  readonly value?: number | undefined
}

/** Whether a sample is in a rate's denominator, and in its numerator. */
function rateCount(sample: Sample, metric: RateMetric, stallOverMs: number, stamps: Stamps): RateCount {
  const ok = sample.outcome === 'ok'
  switch (metric) {
    case 'error_rate':
      return { counts: true, hit: !ok }
    case 'answered_rate':
      return { counts: ok, hit: sample.first_answer_ms !== undefined }
    case 'length_rate':
      return { counts: ok, hit: endedAtTokenCap(sample.finish_reason) }
    case 'cache_hit_rate':
      return {
        counts: ok && sample.cached_tokens !== undefined,
        hit: (sample.cached_tokens ?? 0) * CACHED_ONE_IN > (sample.prompt_tokens ?? Infinity),
      }
    case 'stall_rate': {
      const measured = longestGapMs(sample)
      const gap =
        measured === undefined || stamps === 'measured' ? measured : favourableValue(sample, 'gap_max', measured, '<=')
      const stalled = sample.outcome === 'error' && sample.error_kind === 'stall_timeout'
      return { counts: sample.ttft_ms !== undefined, hit: stalled || (gap ?? 0) > stallOverMs, value: gap }
    }
  }
}

function rateReadings(
  { stallOverMs }: BudgetCase,
  samples: readonly Sample[],
  limit: { readonly metric: RateMetric; readonly operator: Operator },
  stamps: Stamps,
): Reading[] {
  const hitIsBeyond = isUpper(limit.operator)
  const readings: Reading[] = []
  for (const sample of samples) {
    const { counts, hit, value } = rateCount(sample, limit.metric, stallOverMs, stamps)
    if (counts) readings.push({ sample, kind: 'value', value: value ?? null, beyond: hit === hitIsBeyond })
  }
  return readings
}

/** The inner comparison that a good sample satisfies: for `share(ttft > 60s) < 0.5%` that is `<= 60s`. */
function goodSide({ threshold, operator }: ShareLimit): { readonly operator: Operator; readonly value: number } {
  return isUpper(operator) ? { ...threshold, operator: OPPOSITE[threshold.operator] } : threshold
}

/** What each of `samples`, none of them aborted, brings to the case. */
export function readingsOf(budgetCase: BudgetCase, samples: readonly Sample[], stamps: Stamps): Readings {
  const { limit } = budgetCase
  switch (limit.kind) {
    case 'statistic':
      return { list: valueReadings(budgetCase, samples, limit.metric, limit, stamps), unit: limit.unit }
    case 'share':
      return {
        list: valueReadings(budgetCase, samples, limit.metric, goodSide(limit), stamps),
        unit: limit.threshold.unit,
      }
    case 'rate':
      return {
        list: rateReadings(budgetCase, samples, limit, stamps),
        unit: limit.metric === 'stall_rate' ? 'ms' : null,
      }
  }
}
