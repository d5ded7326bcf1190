import { binomialCdf, binomialUpperTail } from '../../src/statistics/index.ts'
import { caseOf, verdictOf } from './gates.ts'
import type { Rate } from './rates.ts'
import { LOGNORMAL, runOf, streamOf, thresholdFor } from './worlds.ts'

/** A limit that is exactly kept, and breached in slow hours only. */
export interface SlowHourCell {
  readonly table: 'slow hour'
  readonly n: number
}

export const slowHourCells: readonly SlowHourCell[] = [1200, 2880].map((n) => ({ table: 'slow hour', n }))

/** How often a true 1 % in slow hours is "proven" within or beyond 1 %, with and without the test of independence. */
export function slowHourRates({ n }: SlowHourCell, runs: number): Rate[] {
  const limitMs = Math.round(thresholdFor(LOGNORMAL, 0.01))
  const byProof = caseOf(`p99 ttft < ${limitMs}ms`, { confidence: 0.95 })
  const hits = { within: 0, withinTested: 0, beyond: 0, beyondTested: 0 }
  for (let run = 0; run < runs; run += 1) {
    const world = { distribution: LOGNORMAL, dependence: 'slow hours' as const }
    const samples = runOf(world, n, limitMs, 0.01, streamOf('slow hour', n, run))
    const beyond = samples.filter(({ ttft_ms }) => (ttft_ms ?? 0) >= limitMs).length
    const verdict = verdictOf(byProof, samples)
    if (verdict === 'pass') hits.withinTested += 1
    if (verdict === 'fail') hits.beyondTested += 1
    if (binomialCdf(beyond, n, 0.01) <= 0.05) hits.within += 1
    if (binomialUpperTail(beyond, n, 0.01) <= 0.05) hits.beyond += 1
  }
  const row = `n ${n}`
  const rate = (column: string, count: number): Rate => {
    return { row, column, name: `slow hour ${row} ${column}`, hits: count, runs, claimed: false }
  }
  return [
    rate('proven within, independence assumed', hits.within),
    rate('proven within, tested', hits.withinTested),
    rate('proven beyond, independence assumed', hits.beyond),
    rate('proven beyond, tested', hits.beyondTested),
  ]
}
