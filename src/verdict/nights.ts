import type { CellKey } from '../budget/types.ts'
import { isUpper } from '../budget/index.ts'
import type { Sample } from '../sample/types.ts'
import { cumulativeWeights, median, sortSamples } from '../statistics/index.ts'
import { observe } from './censoring.ts'
import { limitFrom, shareOf, withoutMargin } from './comparison.ts'
import type { RelativeCase } from './comparison.ts'
import { cellKey, indexSamples } from './pool.ts'

/** More of an estimate than this must not rest on samples that were cut off. */
const MOST_CUT_WEIGHT = 0.01

/** One run in one number. */
export interface Night {
  /** By Harrell and Davis; `null` where there are too few samples, or cut-off ones carry too much of it. */
  readonly value: number | null
  readonly n: number
  readonly censored: number
}

/** The statistic of some samples of one night. */
export function nightOf({ budgetCase, limit }: RelativeCase, samples: readonly Sample[]): Night {
  const upper = isUpper(limit.operator)
  const values: number[] = []
  let censored = 0
  for (const sample of samples) {
    const seen = observe(sample, limit.metric)
    if (seen.kind === 'value') values.push(seen.value)
    else if (seen.kind === 'censored' || (seen.kind === 'failed' && budgetCase.failures === 'exceed')) censored += 1
  }
  const sorted = sortSamples(values)
  const n = values.length + censored
  if (sorted === undefined || n < (budgetCase.minSamples ?? Infinity)) return { value: null, n, censored }
  const weights = cumulativeWeights(n, shareOf(limit))
  const cutWeight = upper ? 1 - (weights[n - censored] ?? 1) : (weights[censored] ?? 0)
  if (cutWeight > MOST_CUT_WEIGHT) return { value: null, n, censored }
  const worst = upper ? (sorted[sorted.length - 1] ?? sorted[0]) : sorted[0]
  const all = upper
    ? [...sorted, ...Array<number>(censored).fill(worst)]
    : [...Array<number>(censored).fill(worst), ...sorted]
  const value = all.reduce((sum, each, i) => sum + ((weights[i + 1] ?? 1) - (weights[i] ?? 0)) * each, 0)
  return { value, n, censored }
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

/** The nights of `samples`, in the order of their run ids: whole runs on the same cells, practice only where tonight is practice. */
export function nightsOf(
  compared: RelativeCase,
  cells: readonly CellKey[],
  samples: readonly Sample[],
  tonight: readonly Sample[],
): number[] {
  const practice = tonight.some((sample) => sample.simulated !== undefined)
  const own = new Set(tonight.map((sample) => sample.run_id))
  const runs = new Map<string, Sample[]>()
  const wanted = indexSamples(samples, cells)
  for (const cell of cells) {
    for (const sample of wanted.get(cellKey(cell)) ?? []) {
      if (own.has(sample.run_id) || (sample.simulated !== undefined) !== practice) continue
      const run = runs.get(sample.run_id)
      if (run === undefined) runs.set(sample.run_id, [sample])
      else run.push(sample)
    }
  }
  return [...runs].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, run]) => nightOf(compared, run).value ?? [])
}

/**
 * Where tonight stands among nights that were good: if it is one more of them, it is the worst of k + 1 in one case of k + 1. The nights
 * themselves are compared, not their samples, since samples of one night resemble each other.
 */
export function testNights({ limit, relative }: RelativeCase, value: number, nights: readonly number[]): NightsTest {
  const sorted = sortSamples(nights)
  if (sorted === undefined) return { nights: 0, center: null, limit: null, pValue: null }
  const edge = withoutMargin(value, relative)
  const asBad = nights.filter((night) => (isUpper(limit.operator) ? night >= edge : night <= edge)).length
  const center = median(sorted)
  return {
    nights: nights.length,
    center,
    limit: limitFrom(center, relative),
    pValue: (1 + asBad) / (1 + nights.length),
  }
}
