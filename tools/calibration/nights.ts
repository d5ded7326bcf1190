import type { OkSample } from '../../src/sample/types.ts'
import { judge } from '../../src/verdict/index.ts'
import { caseOf, naiveQuantile } from './gates.ts'
import type { Rate } from './rates.ts'
import { DISTRIBUTION_NAMES, DISTRIBUTIONS, runOf, streamOf } from './worlds.ts'
import type { Distribution, DistributionName } from './worlds.ts'

const NIGHTS = 19
const SPREAD = 0.1
const PER_NIGHT = 48

function night(distribution: Distribution, at: number, worse: number, random: () => number): OkSample[] {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const factor = worse * Math.exp(SPREAD * normal)
  return runOf({ distribution, dependence: 'iid' }, PER_NIGHT, Number.MAX_SAFE_INTEGER, 0, random).map((sample) => ({
    ...sample,
    run_id: `night ${String(at).padStart(2, '0')}`,
    started_at: new Date(Date.parse(sample.started_at) + at * 86_400_000).toISOString(),
    ttft_ms: (sample.ttft_ms ?? 0) * factor,
  }))
}

/** One more night, like the others or worse. */
export interface NightCell {
  readonly table: 'nights'
  readonly distribution: DistributionName
}

export const nightCells: readonly NightCell[] = DISTRIBUTION_NAMES.map((distribution) => ({
  table: 'nights',
  distribution,
}))

/** Nights differ from each other; one more such night fails in at most 5 %, whatever its samples seem to say. */
export function nightRates({ distribution: name }: NightCell, runs: number): Rate[] {
  const budgetCase = caseOf('p50 ttft <= baseline', { baseline: { kind: 'history', forMs: 90 * 86_400_000 } })
  const distribution = DISTRIBUTIONS[name]
  const row = `${name}, ${PER_NIGHT} a night`
  return [1, 1.5].flatMap((worse): Rate[] => {
    let hits = 0
    let naive = 0
    for (let run = 0; run < runs; run += 1) {
      const random = streamOf('nights', name, worse, run)
      const before = Array.from({ length: NIGHTS }, (_, at) => night(distribution, at, 1, random))
      const tonight = night(distribution, NIGHTS, worse, random)
      const finding = judge(budgetCase, {
        samples: tonight,
        baselines: [{ file: null, samples: before.flat() }],
        incomplete: [],
        interrupted: false,
        currencies: [],
      })
      if (finding.verdict === 'fail') hits += 1
      if (naiveQuantile(valuesOf(tonight), 50) > naiveQuantile(valuesOf(before.at(-1) ?? []), 50)) naive += 1
    }
    const what = worse === 1 ? 'fail unchanged' : 'fail at 1.5 times'
    const rate = (column: string, count: number, claimed: boolean): Rate => {
      return { row, column, name: `${row} ${column}`, hits: count, runs, claimed }
    }
    return [rate(what, hits, worse === 1), rate(`${what}, against last night's number`, naive, false)]
  })
}

function valuesOf(samples: readonly OkSample[]): number[] {
  return samples.flatMap(({ ttft_ms }) => ttft_ms ?? [])
}
