import type { OkSample } from '../../src/sample/types.ts'
import { caseOf, CELL, CURRENT, verdictOf } from './gates.ts'
import type { Rate } from './rates.ts'
import { HEAVY, LOGNORMAL, runOf, streamOf } from './worlds.ts'
import type { Distribution } from './worlds.ts'

const SIZES = [48, 100, 300, 1000]
const MARGIN = 0.1

/** Nothing lies beyond it: the runs are plain draws. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER

function arm(distribution: Distribution, n: number, factor: number, target: string, random: () => number): OkSample[] {
  return runOf({ distribution, dependence: 'iid' }, n, NO_LIMIT, 0, random).map((sample) => ({
    ...sample,
    target,
    ttft_ms: (sample.ttft_ms ?? 0) * factor,
  }))
}

/** At the margin neither verdict may come in more than 5 %; how often an unchanged candidate passes; the plain comparison of two numbers. */
export function comparisonRates(most: number): Rate[] {
  return ['p50', 'p95'].flatMap((statistic) =>
    [LOGNORMAL, HEAVY].flatMap((distribution) =>
      SIZES.flatMap((n) => {
        const runs = n >= 1000 ? Math.ceil(most / 2) : most
        const budgetCase = caseOf(`${statistic} ttft <= baseline + 10%`, {
          baseline: { kind: 'target', target: 'current' },
          baselineCells: [CURRENT],
        })
        const count = { failAtMargin: 0, passAtMargin: 0, passUnchanged: 0, failUnchanged: 0, naive: 0 }
        for (let run = 0; run < runs; run += 1) {
          const of = (factor: number): OkSample[] => [
            ...arm(distribution, n, factor, CELL.target, streamOf('candidate', statistic, distribution.name, n, run)),
            ...arm(distribution, n, 1, CURRENT.target, streamOf('current', statistic, distribution.name, n, run)),
          ]
          const atMargin = verdictOf(budgetCase, of(1 + MARGIN))
          if (atMargin === 'fail') count.failAtMargin += 1
          if (atMargin === 'pass') count.passAtMargin += 1
          const samples = of(1)
          const unchanged = verdictOf(budgetCase, samples)
          if (unchanged === 'pass') count.passUnchanged += 1
          if (unchanged === 'fail') count.failUnchanged += 1
          if (
            quantileOf(samples, CELL.target, statistic) >
            (1 + MARGIN) * quantileOf(samples, CURRENT.target, statistic)
          )
            count.naive += 1
        }
        const row = `${statistic}, ${distribution.name}, n ${n}`
        const rate = (column: string, hits: number, claimed: boolean): Rate => ({
          row,
          column,
          name: `${row} ${column}`,
          hits,
          runs,
          claimed,
        })
        return [
          rate('fail at the margin', count.failAtMargin, true),
          rate('pass at the margin', count.passAtMargin, true),
          rate('fail unchanged', count.failUnchanged, true),
          rate('pass unchanged', count.passUnchanged, false),
          rate('two numbers compared: fail unchanged', count.naive, false),
        ]
      }),
    ),
  )
}

function quantileOf(samples: readonly OkSample[], target: string, statistic: string): number {
  const values = Float64Array.from(
    samples.filter((sample) => sample.target === target).flatMap(({ ttft_ms }) => ttft_ms ?? []),
  ).sort()
  return values[Math.floor((Number(statistic.slice(1)) / 100) * (values.length - 1))] ?? 0
}
