import type { BudgetCase, StatisticLimit } from '../budget/types.ts'
import { isUpper } from '../budget/index.ts'
import type { TwoArms } from './arms.ts'
import type { PooledSamples } from './pooled-samples.ts'
import { holds, readingsOf } from './readings.ts'
import type { Reading } from './readings.ts'
import { worstPlaces, worstReadings } from './worst.ts'

/** How many of a candidate's samples are beyond the limit that its baseline comes to, and the worst of all. */
export interface Beyond {
  readonly beyond: number
  readonly worst: readonly Reading[]
}

/** No number is beyond it, where there is no limit. */
function limitOr(value: number | null, { operator }: StatisticLimit): number {
  return value ?? (isUpper(operator) ? Infinity : -Infinity)
}

/** Of the candidate in whole rounds. */
export function beyondOfArms({ pairs }: TwoArms, limit: StatisticLimit, value: number | null): Beyond {
  const { operator } = limit
  const edge = limitOr(value, limit)
  let beyond = 0
  for (const { candidate } of pairs) {
    if (candidate.kind !== 'value' || !holds(candidate.value ?? NaN, operator, edge)) beyond += 1
  }
  const candidates = pairs.map(({ candidate }) => candidate)
  return { beyond, worst: worstReadings(candidates, isUpper(operator)) }
}

/** Of tonight. */
export function beyondOfNight(
  budgetCase: BudgetCase,
  pooled: PooledSamples,
  limit: StatisticLimit,
  value: number | null,
): Beyond {
  const relative = { ...budgetCase, limit: { ...limit, value: limitOr(value, limit) } }
  const readings = readingsOf(relative, pooled, 'measured')
  let beyond = 0
  for (const each of readings.beyond) beyond += each
  return { beyond, worst: worstPlaces(readings, () => true, isUpper(limit.operator)) }
}
