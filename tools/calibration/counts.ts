import { caseOf, naiveVerdict, verdictOf } from './gates.ts'
import type { Rate } from './rates.ts'
import { DISTRIBUTION_NAMES, DISTRIBUTIONS, runOf, streamOf, thresholdFor } from './worlds.ts'
import type { Dependence, DistributionName } from './worlds.ts'

/** What is true, as a multiple of the allowed share. */
const TRUTHS = [
  { times: 0.5, wrong: 'fail' },
  { times: 1, wrong: 'fail' },
  { times: 1, wrong: 'pass' },
  { times: 2, wrong: 'pass' },
] as const

const SIZES = [48, 100, 300, 1000]
const DEPENDENCES: readonly Dependence[] = ['iid', 'slow hours']

/** A fixed limit on a percentile, in one world. */
export interface CountCell {
  readonly table: 'counts'
  readonly percentile: number
  readonly distribution: DistributionName
  readonly dependence: Dependence
  readonly n: number
}

/** The rows of one percentile. */
export function countCells(percentile: number): CountCell[] {
  return DISTRIBUTION_NAMES.flatMap((distribution) =>
    DEPENDENCES.flatMap((dependence) =>
      SIZES.map((n) => ({ table: 'counts' as const, percentile, distribution, dependence, n })),
    ),
  )
}

/** False fails and false passes: by value, by proof, and as k6 judges. */
export function countRates({ percentile, distribution: name, dependence, n }: CountCell, runs: number): Rate[] {
  const allowed = (100 - percentile) / 100
  const distribution = DISTRIBUTIONS[name]
  const counts = new Map<string, number>()
  const add = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1)
  for (const times of new Set(TRUTHS.map((truth) => truth.times))) {
    const limitMs = Math.round(thresholdFor(distribution, allowed * times))
    const limit = `p${percentile} ttft < ${limitMs}ms`
    const byValue = caseOf(limit)
    const byProof = caseOf(limit, { confidence: 0.95 })
    for (let run = 0; run < runs; run += 1) {
      const random = streamOf(percentile, name, dependence, n, times, run)
      const samples = runOf({ distribution, dependence }, n, limitMs, allowed * times, random)
      add(`value ${times} ${verdictOf(byValue, samples)}`)
      add(`proof ${times} ${verdictOf(byProof, samples)}`)
      const values = samples.flatMap(({ ttft_ms }) => ttft_ms ?? [])
      add(`k6 ${times} ${naiveVerdict(values, percentile, limitMs)}`)
    }
  }
  return TRUTHS.flatMap(({ times, wrong }) =>
    ['value', 'proof', 'k6'].map((gate): Rate => {
      const row = `${name}, ${dependence}, n ${n}`
      const column = `${wrong}@${times} ${gate}`
      const claimed = gate === 'proof' && dependence === 'iid' && times === 1
      const hits = counts.get(`${gate} ${times} ${wrong}`) ?? 0
      return { row, column, name: `p${percentile} ${row} ${column}`, hits, runs, claimed }
    }),
  )
}
