import type { BudgetCase, StatisticLimit } from '../budget/types.ts'
import { isTimeMetric, isUpper } from '../budget/index.ts'
import type { Sample } from '../sample/types.ts'
import { cumulativeWeights } from '../statistics/index.ts'
import { observe } from './censoring.ts'
import type { Observation } from './censoring.ts'
import { favourableValue } from './client-delay.ts'
import type { CellIndex } from './pool.ts'
import { cellKey } from './pool.ts'
import type { Reading } from './readings.ts'

/** One round in which both arms were asked and have something to say. */
export interface ArmPair {
  readonly candidate: Reading
  readonly baseline: Reading
}

/** Both arms of a comparison in the same run, cut alike. */
export interface TwoArms {
  readonly pairs: readonly ArmPair[]
  /** Rounds of which one arm is missing, failed or without the metric. */
  readonly halfRounds: number
  /** Time at which both arms were cut, the smaller timeout; `null` where no timeout cut anything. */
  readonly cutAt: number | null
  /** Some arm is practice and the other is not. */
  readonly mixed: boolean
}

const FIXED_TIMEOUTS: ReadonlySet<string> = new Set(['first_token_timeout', 'total_timeout'])

function byRound(samples: readonly Sample[]): Map<string, Sample> {
  const rounds = new Map<string, Sample>()
  for (const sample of samples) {
    const key = JSON.stringify([sample.run_id, sample.round])
    const known = rounds.get(key)
    if (known === undefined || sample.seq < known.seq) rounds.set(key, sample)
  }
  return rounds
}

interface Seen {
  readonly sample: Sample
  readonly observation: Extract<Observation, { kind: 'value' | 'censored' }>
}

function seen(sample: Sample | undefined, metric: StatisticLimit['metric'], exceed: boolean): Seen | undefined {
  if (sample === undefined) return undefined
  const observation = observe(sample, metric)
  if (observation.kind === 'value' || observation.kind === 'censored') return { sample, observation }
  if (observation.kind === 'failed' && exceed) return { sample, observation: { kind: 'censored', cutAt: null } }
  return undefined
}

/** Where the smaller of both timeouts shows: the earliest cut. */
function smallerTimeout(all: readonly Seen[]): number | null {
  let least: number | null = null
  for (const { sample, observation } of all) {
    if (observation.kind !== 'censored' || observation.cutAt === null || sample.outcome === 'ok') continue
    if (FIXED_TIMEOUTS.has(sample.error_kind)) least = Math.min(least ?? Infinity, observation.cutAt)
  }
  return least
}

/** A reading of an arm; what is cut is put at the cut, or at the worst value there is where nobody knows it. */
function reading({ sample, observation }: Seen, cutAt: number | null, worst: number): Reading {
  if (observation.kind === 'censored') {
    return { sample, kind: 'censored', value: cutAt ?? observation.cutAt ?? worst, beyond: true }
  }
  if (cutAt !== null && observation.value >= cutAt) return { sample, kind: 'censored', value: cutAt, beyond: true }
  return { sample, kind: 'value', value: observation.value, beyond: false }
}

/**
 * The rounds of a case with those of its baseline, prompt by prompt. Half rounds are left out. If the arms had different timeouts, what
 * the patient one waited for and the other did not must not count against it: both are cut where the smaller timeout cut.
 */
export function twoArms(budgetCase: BudgetCase, limit: StatisticLimit, index: CellIndex): TwoArms {
  const { cells, baselineCells = [], failures } = budgetCase
  const exceed = failures === 'exceed'
  const found: { candidate: Seen; baseline: Seen }[] = []
  let halfRounds = 0
  cells.forEach((cell, at) => {
    const other = baselineCells[at]
    const candidates = byRound(index.get(cellKey(cell)) ?? [])
    const baselines = byRound(other === undefined ? [] : (index.get(cellKey(other)) ?? []))
    const rounds = [...new Set([...candidates.keys(), ...baselines.keys()])].sort((a, b) => (a < b ? -1 : 1))
    for (const round of rounds) {
      const candidate = seen(candidates.get(round), limit.metric, exceed)
      const baseline = seen(baselines.get(round), limit.metric, exceed)
      if (candidate !== undefined && baseline !== undefined) found.push({ candidate, baseline })
      else halfRounds += 1
    }
  })
  const all = found.flatMap(({ candidate, baseline }) => [candidate, baseline])
  const cutAt = isUpper(limit.operator) && isTimeMetric(limit.metric) ? smallerTimeout(all) : null
  const values = all.flatMap(({ observation }) => (observation.kind === 'value' ? [observation.value] : []))
  const worst = values.reduce(
    (most, value) => (isUpper(limit.operator) ? Math.max(most, value) : Math.min(most, value)),
    values[0] ?? 0,
  )
  const pairs = found.map(({ candidate, baseline }) => ({
    candidate: reading(candidate, cutAt, worst),
    baseline: reading(baseline, cutAt, worst),
  }))
  const practice = new Set(all.map(({ sample }) => sample.simulated !== undefined))
  return { pairs, halfRounds, cutAt, mixed: practice.size > 1 }
}

/** Values of the candidate with every time at the favourable end of its own bound. */
export function favourableArms({ pairs }: TwoArms, limit: StatisticLimit): readonly ArmPair[] {
  return pairs.map(({ candidate, baseline }) => ({
    candidate: {
      ...candidate,
      value: favourableValue(candidate.sample, limit.metric, candidate.value ?? 0, limit.operator),
    },
    baseline,
  }))
}

/** The larger share of an arm's estimate that rests on samples which were cut off. */
export function weightOfCut({ pairs }: TwoArms, limit: StatisticLimit, q: number | null): number {
  const weights = cumulativeWeights(pairs.length, q)
  const weight = (arm: 'candidate' | 'baseline'): number => {
    const cut = pairs.filter((pair) => pair[arm].kind === 'censored').length
    return isUpper(limit.operator) ? 1 - (weights[pairs.length - cut] ?? 1) : (weights[cut] ?? 0)
  }
  return pairs.length === 0 ? 0 : Math.max(weight('candidate'), weight('baseline'))
}
