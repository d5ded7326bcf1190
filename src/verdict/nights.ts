import type { BudgetCase, StatisticLimit } from '../budget/types.ts'
import { isUpper } from '../budget/index.ts'
import { harrellDavis, median, sortSamples } from '../statistics/index.ts'
import type { Sample } from '../sample/types.ts'
import { limitFrom, withoutMargin } from './comparison.ts'
import type { RelativeCase } from './comparison.ts'
import { areBounds, isCutTooMuch, placeCut, shareOf } from './cut-off.ts'
import type { Answers } from './cut-off.ts'
import { CENSORED, VALUE } from './observed.ts'
import type { Observed } from './observed.ts'
import { cellKey, indexSamples, poolKey } from './pool.ts'
import type { CellIndex } from './pool.ts'
import { PooledSamples } from './pooled-samples.ts'
import type { JudgeInput } from './types.ts'

/** One run in one number. */
export interface Night {
  /** By Harrell and Davis; `null` where there are too few samples, or none of them has a number. */
  readonly value: number | null
  /** Requests that were cut off carry too much of it: at best it is that good. */
  readonly isBound: boolean
  readonly n: number
  readonly censored: number
}

/** The numbers of a night, those of requests that were cut off put where they are no worse than the truth. */
function placed(observed: Observed, limit: StatisticLimit): number[] {
  const upper = isUpper(limit.operator)
  const { kinds, values } = observed
  let worst = NaN
  values.forEach((value, place) => {
    const counts = kinds[place] === VALUE || (upper && kinds[place] === CENSORED && !Number.isNaN(value))
    if (counts && !(upper ? value <= worst : value >= worst)) worst = value
  })
  return Array.from(values, (value, place) =>
    kinds[place] === VALUE ? value : placeCut(limit, Number.isNaN(value) ? null : value, worst),
  )
}

/** The statistic of some samples of one night. */
export function nightOf({ budgetCase, limit }: RelativeCase, pooled: PooledSamples): Night {
  const { metric } = limit
  const observed = pooled.observed({ kind: 'value', metric, failures: budgetCase.failures }, null)
  const n = observed.size
  const censored = n - observed.known
  const isBound = isCutTooMuch(n, censored, limit)
  const isEachKnown = observed.numbers(CENSORED).length === observed.censored
  const none: Night = { value: null, isBound, n, censored }
  if (n < (budgetCase.minSamples ?? Infinity) || (isBound && !areBounds(limit, isEachKnown))) return none
  const sorted = sortSamples(placed(observed, limit).filter((value) => !Number.isNaN(value)))
  return sorted === undefined ? none : { ...none, value: harrellDavis(sorted, shareOf(limit)) }
}

/** What came of a night's requests. */
export function answersOf({ limit: { metric } }: RelativeCase, pooled: PooledSamples): Answers {
  const { known, size } = pooled.observed({ kind: 'value', metric, failures: 'exceed' }, null)
  return { asked: pooled.samples.length, numbers: known, lost: size - known }
}

/** The runs of baselines, looked up once for all comparisons. */
export class BaselineRuns {
  readonly #input: JudgeInput
  readonly #cases: readonly BudgetCase[]
  readonly #indices = new Map<string | null, CellIndex>()
  readonly #runs = new Map<string, readonly PooledSamples[]>()

  constructor(cases: readonly BudgetCase[], input: JudgeInput) {
    this.#cases = cases
    this.#input = input
  }

  /** Whole runs on the cells of a case, in the order of their ids; practice only where tonight is practice. */
  of(budgetCase: BudgetCase, tonight: readonly Sample[]): readonly PooledSamples[] {
    const { baseline } = budgetCase
    if (baseline?.kind !== 'file' && baseline?.kind !== 'history') return []
    const key = JSON.stringify([baseline, poolKey(budgetCase)])
    const known = this.#runs.get(key)
    if (known !== undefined) return known
    const index = this.#indexOf(baseline.kind === 'file' ? baseline.file : null)
    const latest = tonight.reduce((last, { started_at }) => (started_at > last ? started_at : last), '')
    const since = baseline.kind === 'history' && latest !== '' ? Date.parse(latest) - baseline.forMs : -Infinity
    const runs = runsOf(budgetCase, index, tonight, since)
    this.#runs.set(key, runs)
    return runs
  }

  #indexOf(file: string | null): CellIndex {
    const known = this.#indices.get(file)
    if (known !== undefined) return known
    const samples = (this.#input.baselines ?? []).filter((each) => each.file === file).flatMap((each) => each.samples)
    const wanted = this.#cases.flatMap(({ baseline, cells }) => {
      if (baseline?.kind === 'file') return baseline.file === file ? cells : []
      return baseline?.kind === 'history' && file === null ? cells : []
    })
    const index = indexSamples(samples, wanted)
    this.#indices.set(file, index)
    return index
  }
}

function runsOf(
  { cells }: BudgetCase,
  index: CellIndex,
  tonight: readonly Sample[],
  since: number,
): readonly PooledSamples[] {
  const practice = tonight.some((sample) => sample.simulated !== undefined)
  const own = new Set(tonight.map((sample) => sample.run_id))
  const runs = new Map<string, Sample[]>()
  for (const cell of cells) {
    for (const sample of index.get(cellKey(cell)) ?? []) {
      if (own.has(sample.run_id) || (sample.simulated !== undefined) !== practice) continue
      if (since !== -Infinity && Date.parse(sample.started_at) < since) continue
      const run = runs.get(sample.run_id)
      if (run === undefined) runs.set(sample.run_id, [sample])
      else run.push(sample)
    }
  }
  return [...runs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, run]) => new PooledSamples(run))
}

/** Tonight against the nights of a baseline. */
export interface NightsTest {
  readonly nights: number
  /** Median of the nights; `null` where there is none. */
  readonly center: number | null
  readonly limit: number | null
  /** (1 + nights at least as bad as tonight less the margin) / (1 + nights); `null` without nights. */
  readonly pValue: number | null
}

/**
 * Where tonight stands among nights that were good: if it is one more of them, it is the worst of k + 1 in one case of k + 1. The nights
 * themselves are compared, not their samples, since samples of one night resemble each other. A night whose number is only a bound is no
 * part of the median, and taken for as bad as tonight.
 */
export function testNights(compared: RelativeCase, value: number | null, runs: readonly PooledSamples[]): NightsTest {
  const { limit, relative } = compared
  const nights = runs.map((run) => nightOf(compared, run))
  const values = nights.flatMap((night) => (night.isBound ? [] : (night.value ?? [])))
  const bounds = nights.filter(({ isBound, value: bound }) => isBound && bound !== null).length
  const sorted = sortSamples(values)
  if (sorted === undefined) return { nights: 0, center: null, limit: null, pValue: null }
  const edge = withoutMargin(value ?? 0, relative)
  const asBad = bounds + values.filter((night) => (isUpper(limit.operator) ? night >= edge : night <= edge)).length
  const center = median(sorted)
  return {
    nights: values.length,
    center,
    limit: limitFrom(center, relative),
    pValue: value === null ? null : (1 + asBad) / (1 + bounds + values.length),
  }
}
