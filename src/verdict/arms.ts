import type { BudgetCase, CellKey, StatisticLimit } from '../budget/types.ts'
import { isTimeMetric, isUpper } from '../budget/index.ts'
import type { Sample } from '../sample/types.ts'
import { observe } from './censoring.ts'
import type { Observation } from './censoring.ts'
import { favourableValue } from './client-delay.ts'
import { placeCut } from './cut-off.ts'
import type { Answers } from './cut-off.ts'
import type { CellIndex } from './pool.ts'
import { cellKey } from './pool.ts'
import type { Reading } from './readings.ts'

/** One round in which both arms were asked and have something to say. */
export interface ArmPair {
  readonly candidate: Reading
  readonly baseline: Reading
}

/** A count of each arm. */
export interface OfArms<Item> {
  readonly candidate: Item
  readonly baseline: Item
}

/** Both arms of a comparison in the same run, cut alike. */
export interface TwoArms {
  readonly pairs: readonly ArmPair[]
  /** Rounds of which one arm is missing or without the metric, and none failed. */
  readonly halfRounds: number
  /** Rounds that are left out since a request of them failed. */
  readonly failedRounds: number
  /** In how many of those each arm failed. */
  readonly failed: OfArms<number>
  /** What came of all requests of each arm, whole rounds or not. */
  readonly answers: OfArms<Answers>
  /** The baseline's own numbers, those of half rounds too, uncut. */
  readonly baselineValues: readonly number[]
  /** Time at which both arms were cut, the smaller timeout; `null` where no timeout cut anything. */
  readonly cutAt: number | null
  /** No number that counts is worse: where requests that were cut off stand in a percentile. */
  readonly worst: number
  /** Every request that was cut off stands at a bound of what it would have come to. */
  readonly isBounded: boolean
  /** Some arm is practice and the other is not. */
  readonly mixed: boolean
}

const FIXED_TIMEOUTS: ReadonlySet<string> = new Set(['first_token_timeout', 'total_timeout'])

/** The samples of cells by round, looked up once for all comparisons. */
export class Rounds {
  readonly #index: CellIndex
  readonly #known = new Map<string, ReadonlyMap<string, Sample>>()

  constructor(index: CellIndex) {
    this.#index = index
  }

  /** The first sample of each round of a cell. */
  of(cell: CellKey): ReadonlyMap<string, Sample> {
    const key = cellKey(cell)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const rounds = byRound(this.#index.get(key) ?? [])
    this.#known.set(key, rounds)
    return rounds
  }
}

function byRound(samples: readonly Sample[]): ReadonlyMap<string, Sample> {
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
  readonly observation: Observation
}

/** An arm's request in a round that counts. */
interface Counted {
  readonly sample: Sample
  readonly observation: Exclude<Observation, { readonly kind: 'absent' }>
}

function counts(seen: Seen | undefined, exceed: boolean): seen is Counted {
  const kind = seen?.observation.kind
  return kind === 'value' || kind === 'censored' || (kind === 'failed' && exceed)
}

/** What came of an arm's requests, added up one by one. */
class AnswerCount {
  asked = 0
  numbers = 0
  lost = 0

  add({ kind }: Observation): void {
    this.asked += 1
    if (kind === 'value') this.numbers += 1
    if (kind === 'censored' || kind === 'failed') this.lost += 1
  }
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

/** The worst number of all: where both arms are cut, or else of those that were measured and, for times, those of the cuts. */
function worstOf(all: readonly Counted[], { operator }: StatisticLimit, cutAt: number | null): number {
  if (cutAt !== null) return cutAt
  const upper = isUpper(operator)
  let worst: number | null = null
  for (const { observation } of all) {
    const number =
      observation.kind === 'value'
        ? observation.value
        : upper && observation.kind === 'censored'
          ? observation.cutAt
          : null
    if (number === null) continue
    if (worst === null || (upper ? number > worst : number < worst)) worst = number
  }
  return worst ?? 0
}

/**
 * The rounds of a case with those of its baseline, prompt by prompt. Half rounds are left out. If the arms had different timeouts, what
 * the patient one waited for and the other did not must not count against it: both are cut where the smaller timeout cut.
 */
export function twoArms(budgetCase: BudgetCase, limit: StatisticLimit, rounds: Rounds): TwoArms {
  const { cells, baselineCells = [], failures } = budgetCase
  const exceed = failures === 'exceed'
  const found: OfArms<Counted>[] = []
  const answers = { candidate: new AnswerCount(), baseline: new AnswerCount() }
  const failed = { candidate: 0, baseline: 0 }
  const baselineValues: number[] = []
  const practice = new Set<boolean>()
  let halfRounds = 0
  let failedRounds = 0
  const look = (sample: Sample | undefined, arm: AnswerCount): Seen | undefined => {
    if (sample === undefined) return undefined
    const observation = observe(sample, limit.metric)
    arm.add(observation)
    practice.add(sample.simulated !== undefined)
    return { sample, observation }
  }
  cells.forEach((cell, at) => {
    const other = baselineCells[at]
    const candidates = rounds.of(cell)
    const baselines = other === undefined ? new Map<string, Sample>() : rounds.of(other)
    const all = [...new Set([...candidates.keys(), ...baselines.keys()])].sort((a, b) => (a < b ? -1 : 1))
    for (const round of all) {
      const candidate = look(candidates.get(round), answers.candidate)
      const baseline = look(baselines.get(round), answers.baseline)
      if (baseline?.observation.kind === 'value') baselineValues.push(baseline.observation.value)
      if (counts(candidate, exceed) && counts(baseline, exceed)) {
        found.push({ candidate, baseline })
        continue
      }
      const lostCandidate = candidate?.observation.kind === 'failed'
      const lostBaseline = baseline?.observation.kind === 'failed'
      if (lostCandidate) failed.candidate += 1
      if (lostBaseline) failed.baseline += 1
      if (lostCandidate || lostBaseline) failedRounds += 1
      else halfRounds += 1
    }
  })
  const all = found.flatMap(({ candidate, baseline }) => [candidate, baseline])
  const cutAt = isUpper(limit.operator) && isTimeMetric(limit.metric) ? smallerTimeout(all) : null
  const worst = worstOf(all, limit, cutAt)
  const reading = ({ sample, observation }: Counted): Reading => {
    if (observation.kind !== 'value') {
      const bound = observation.kind === 'censored' ? observation.cutAt : null
      return { sample, kind: 'censored', value: placeCut(limit, bound, worst), beyond: true }
    }
    if (cutAt !== null && observation.value >= cutAt) return { sample, kind: 'censored', value: cutAt, beyond: true }
    return { sample, kind: 'value', value: observation.value, beyond: false }
  }
  return {
    pairs: found.map(({ candidate, baseline }) => ({ candidate: reading(candidate), baseline: reading(baseline) })),
    halfRounds,
    failedRounds,
    failed,
    answers,
    baselineValues,
    cutAt,
    worst,
    isBounded: !all.some(({ observation }) => observation.kind === 'censored' && observation.cutAt === null),
    mixed: practice.size > 1,
  }
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

/** How many requests of each arm were cut off, in whole rounds. */
export function cutsOf({ pairs }: TwoArms): OfArms<number> {
  let candidate = 0
  let baseline = 0
  for (const pair of pairs) {
    if (pair.candidate.kind === 'censored') candidate += 1
    if (pair.baseline.kind === 'censored') baseline += 1
  }
  return { candidate, baseline }
}
