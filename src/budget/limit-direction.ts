import { printLimit, printValue } from './limit-print.ts'
import { decimalOfNumber, decimalText, shifted } from './decimal.ts'
import { RATE_METRICS, VALUE_METRICS } from './metrics.ts'
import type { Limit, Operator, RateLimit, ShareLimit, StatisticLimit, Unit } from './types.ts'

/** Why a limit is refused though it is well-formed. */
export interface DirectionFault {
  readonly code: 'hardly-fails' | 'never-fails' | 'never-passes'
  readonly message: string
  readonly hint: string
}

/** True of `<` and `<=`. */
export function isUpper(operator: Operator): boolean {
  return operator === '<' || operator === '<='
}

const FLIPPED: Readonly<Record<Operator, Operator>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

function hardlyFails(limit: Limit, because: string, instead: Limit): DirectionFault {
  return {
    code: 'hardly-fails',
    message: `can this ever fail? \`${printLimit(limit)}\` holds ${because}`,
    hint: `did you mean \`${printLimit(instead)}\`?`,
  }
}

function percentText(ratioTimes100: number): string {
  return `${decimalText(decimalOfNumber(ratioTimes100))} %`
}

/** 100 − q without binary dust: 99.9 → 0.1. */
function complementPercent(q: number): number {
  return Number((100 - q).toFixed(6))
}

function statisticFault(limit: StatisticLimit): DirectionFault | undefined {
  const { good } = VALUE_METRICS[limit.metric]
  if (good === 'either') return undefined
  const upper = isUpper(limit.operator)
  const at = limit.relative === undefined ? printValue(limit.value, limit.unit) : 'the baseline'
  const rightWay = upper === (good === 'low')
  const flipped = { ...limit, operator: FLIPPED[limit.operator] }
  const side = `${upper ? 'below' : 'above'} ${at}`
  const { statistic, percentile } = limit
  if (percentile !== null) {
    const held = upper ? percentile : complementPercent(percentile)
    // With the good direction a median is fine; against it even a median is a mistake in the operator.
    if (rightWay ? held >= 50 : held > 50) return undefined
    const mirrored = {
      ...limit,
      statistic: `p${complementPercent(percentile)}`,
      percentile: complementPercent(percentile),
    }
    const because = `as long as ${percentText(held)} of the requests are ${side}`
    return hardlyFails(limit, because, rightWay ? (mirrored as StatisticLimit) : flipped)
  }
  if (statistic === 'mean') return rightWay ? undefined : hardlyFails(limit, 'the worse the target is', flipped)
  const oneIsEnough = upper ? statistic === 'min' : statistic === 'max'
  if (!oneIsEnough) return undefined
  const worst = { ...limit, statistic: upper ? 'max' : 'min' } as const
  return hardlyFails(limit, `as soon as one request is ${side}`, rightWay ? worst : flipped)
}

function rateFault(limit: RateLimit): DirectionFault | undefined {
  const { good } = RATE_METRICS[limit.metric]
  if (good === 'either' || isUpper(limit.operator) === (good === 'low')) return undefined
  return hardlyFails(limit, 'the worse the target is', { ...limit, operator: FLIPPED[limit.operator] })
}

function shareFault(limit: ShareLimit): DirectionFault | undefined {
  const { good } = VALUE_METRICS[limit.metric]
  if (good === 'either' || limit.allowed === null) return undefined
  const countsBad = isUpper(limit.threshold.operator) !== (good === 'low')
  // The good way round may be as loose as one likes; the other way is a floor ("too fast to be true") if most samples keep it.
  if (countsBad === isUpper(limit.operator) || limit.allowed.numerator * 2 < limit.allowed.denominator) return undefined
  const { threshold } = limit
  const side = `${isUpper(threshold.operator) ? 'below' : 'above'} ${printValue(threshold.value, threshold.unit)}`
  const because = isUpper(limit.operator)
    ? `as long as no more than ${percentText(decimalPercent(limit.value))} of the requests are ${side}`
    : `as long as ${percentText(decimalPercent(limit.value))} of the requests are ${side}`
  return hardlyFails(limit, because, { ...limit, operator: FLIPPED[limit.operator] })
}

function decimalPercent(ratio: number): number {
  return Number(decimalText(shifted(decimalOfNumber(ratio), 2)))
}

/** A comparison that is true of every value, or of none: times and speeds are above zero, counts and costs may be zero. */
function boundaryFault(operator: Operator, value: number, unit: Unit): DirectionFault | undefined {
  const upper = isUpper(operator)
  const atTop = unit === 'ratio' && value === 1
  const strict = operator === '<' || operator === '>'
  const written = `${operator} ${printValue(value, unit)}`
  if (value === 0 && (unit === 'ms' || unit === 'tok/s'))
    return upper ? nothing(written, 'write a value above 0') : all(written)
  if (value === 0 && upper && strict) return nothing(written, `did you mean \`<= ${printValue(0, unit)}\`?`)
  if (value === 0 && !upper && !strict) return all(written)
  if (atTop && !upper && strict) return nothing(written, 'did you mean `>= 100%`?')
  if (atTop && upper && !strict) return all(written)
  return undefined
}

function nothing(written: string, hint: string): DirectionFault {
  return { code: 'never-passes', message: `nothing can be \`${written}\``, hint }
}

function all(written: string): DirectionFault {
  return {
    code: 'never-fails',
    message: `everything is \`${written}\`, so this can never fail`,
    hint: 'write the value that you want to hold',
  }
}

/**
 * Refuses what can hardly fail, and what can never pass. A gate that is always green is worse than none.
 *
 * With the good direction (`<` on a time, `>` on a speed) a statistic must speak for at least half of the requests:
 * `p95 ttft < 1s`, `p5 decode_tps > 5`. Against it, it is a floor or ceiling ("too fast to be true", `p1 ttft > 20ms`) and
 * must speak for more than half. `error_rate`, `stall_rate` and `answered_rate` have one direction; counts, cost,
 * `length_rate` and `cache_hit_rate` both.
 */
export function directionFault(limit: Limit): DirectionFault | undefined {
  if (limit.kind === 'statistic' && limit.relative !== undefined) return statisticFault(limit)
  const boundary =
    (limit.kind === 'share'
      ? boundaryFault(limit.threshold.operator, limit.threshold.value, limit.threshold.unit)
      : undefined) ?? boundaryFault(limit.operator, limit.value, limit.unit)
  if (boundary !== undefined) return boundary
  switch (limit.kind) {
    case 'statistic':
      return statisticFault(limit)
    case 'rate':
      return rateFault(limit)
    case 'share':
      return shareFault(limit)
  }
}
