import type { OkSample } from '../../src/sample/types.ts'
import { caseOf, CELL, CURRENT, naiveQuantile, verdictOf } from './gates.ts'
import type { Rate } from './rates.ts'
import { DISTRIBUTION_NAMES, DISTRIBUTIONS, runOf, SLOW_HOUR, streamOf, thresholdFor } from './worlds.ts'
import type { Dependence, Distribution, DistributionName } from './worlds.ts'

const SIZES = [48, 100, 300, 1000]
const PERCENTILES = [50, 95, 99]
const MARGIN = 0.1
/** How much longer both arms take in a slow hour. */
const SLOWER = 3
/** Share of the runs at the margin where no claim hangs on them, and of those in which the candidate is not there. */
const UNCLAIMED = 0.4
const ELSEWHERE = 0.2

/** Nothing lies beyond it: the runs are plain draws. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER

/** A candidate against the current model, in one world. */
export interface ComparisonCell {
  readonly table: 'comparisons'
  readonly percentile: number
  readonly candidate: DistributionName
  readonly baseline: DistributionName
  readonly dependence: Dependence
  readonly n: number
}

/** First the candidates that are like the current model but for a factor, then those whose values are spread differently. */
export const comparisonCells: readonly ComparisonCell[] = PERCENTILES.flatMap((percentile) => {
  const of = (candidate: DistributionName, baseline: DistributionName, dependence: Dependence): ComparisonCell[] =>
    SIZES.map((n) => ({ table: 'comparisons', percentile, candidate, baseline, dependence, n }))
  return [
    ...DISTRIBUTION_NAMES.flatMap((name) => [...of(name, name, 'iid'), ...of(name, name, 'slow hours')]),
    ...of('heavy tail', 'lognormal', 'iid'),
    ...of('lognormal', 'heavy tail', 'iid'),
  ]
})

/** Both arms of a run; the candidate's true percentile is `factor` times the baseline's. */
function armsOf({ percentile, candidate, baseline, dependence, n }: ComparisonCell, factor: number, run: number) {
  const hours = streamOf('hours', percentile, candidate, baseline, n, run)
  const slow = Array.from({ length: 24 }, () => dependence === 'slow hours' && hours() < SLOW_HOUR)
  const arm = (name: DistributionName, target: string, scale: number): OkSample[] => {
    const distribution: Distribution = DISTRIBUTIONS[name]
    const unit = 1000 / thresholdFor(distribution, 1 - percentile / 100)
    const random = streamOf(target, percentile, candidate, baseline, n, run)
    return runOf({ distribution, dependence: 'iid' }, n, NO_LIMIT, 0, random).map((sample, at) => ({
      ...sample,
      target,
      ttft_ms: (sample.ttft_ms ?? 0) * unit * scale * (slow[Math.floor((24 * at) / n)] === true ? SLOWER : 1),
    }))
  }
  return { candidate: arm(candidate, CELL.target, factor), current: arm(baseline, CURRENT.target, 1) }
}

function valuesOf(samples: readonly OkSample[]): number[] {
  return samples.flatMap(({ ttft_ms }) => ttft_ms ?? [])
}

/** At the margin neither verdict may come in more than 5 %; an unchanged candidate, one that is far beyond, and two numbers compared. */
export function comparisonRates(cell: ComparisonCell, runs: number): Rate[] {
  const { percentile, candidate, baseline, dependence, n } = cell
  const budgetCase = caseOf(`p${percentile} ttft <= baseline + 10%`, {
    baseline: { kind: 'target', target: CURRENT.target },
    baselineCells: [CURRENT],
  })
  const count = (factor: number, most: number) => {
    const counts = { pass: 0, fail: 0, inconclusive: 0, naive: 0, runs: most }
    for (let run = 0; run < most; run += 1) {
      const arms = armsOf(cell, factor, run)
      counts[verdictOf(budgetCase, [...arms.candidate, ...arms.current])] += 1
      const current = naiveQuantile(valuesOf(arms.current), percentile)
      if (naiveQuantile(valuesOf(arms.candidate), percentile) > (1 + MARGIN) * current) counts.naive += 1
    }
    return counts
  }
  const claimed = candidate === baseline && dependence === 'iid'
  const many = claimed ? runs : Math.ceil(runs * UNCLAIMED)
  const few = Math.ceil(runs * ELSEWHERE)
  const atMargin = count(1 + MARGIN, many)
  const unchanged = count(1, few)
  const worse = count(1 + 3 * MARGIN, few)
  const arms = candidate === baseline ? candidate : `${candidate} against ${baseline}`
  const row = `p${percentile}, ${arms}, ${dependence}, n ${n}`
  const rate = (column: string, hits: number, of: number, isClaimed = false): Rate => {
    return { row, column, name: `${row} ${column}`, hits, runs: of, claimed: isClaimed }
  }
  return [
    rate('fail at the margin', atMargin.fail, many, claimed),
    rate('pass at the margin', atMargin.pass, many, claimed),
    rate('fail unchanged', unchanged.fail, few, claimed),
    rate('two numbers: fail unchanged', unchanged.naive, few),
    rate('pass unchanged', unchanged.pass, few),
    rate('pass at + 30 %', worse.pass, few, claimed),
    rate('two numbers: pass at + 30 %', few - worse.naive, few),
    rate('fail at + 30 %', worse.fail, few),
  ]
}
