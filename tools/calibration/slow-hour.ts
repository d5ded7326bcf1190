import { binomialCdf, binomialUpperTail } from '../../src/statistics/index.ts'
import { caseOf, verdictOf } from './gates.ts'
import type { Rate } from './rates.ts'
import { LOGNORMAL, runOf, streamOf, thresholdFor } from './worlds.ts'

/** How often a true 1 % in slow hours is "proven" within or beyond 1 %, with and without the test of independence. */
export function slowHourExample(runs: number): Rate[] {
  const limitMs = Math.round(thresholdFor(LOGNORMAL, 0.01))
  const byProof = caseOf(`p99 ttft < ${limitMs}ms`, { confidence: 0.95 })
  return [1200, 2880].flatMap((n) => {
    let proven = 0
    let naively = 0
    let broken = 0
    let brokenNaively = 0
    for (let run = 0; run < runs; run += 1) {
      const world = { distribution: LOGNORMAL, dependence: 'slow hours' as const }
      const samples = runOf(world, n, limitMs, 0.01, streamOf('slow hour', n, run))
      const beyond = samples.filter(({ ttft_ms }) => (ttft_ms ?? 0) >= limitMs).length
      const verdict = verdictOf(byProof, samples)
      if (verdict === 'pass') proven += 1
      if (verdict === 'fail') broken += 1
      if (binomialUpperTail(beyond, n, 0.01) <= 0.05) brokenNaively += 1
      if (binomialCdf(beyond, n, 0.01) <= 0.05) naively += 1
    }
    const row = `n ${n}`
    const rate = (column: string, hits: number): Rate => ({
      row,
      column,
      name: `slow hour ${row} ${column}`,
      hits,
      runs,
      claimed: false,
    })
    return [
      rate('proven within, independence assumed', naively),
      rate('proven within, tested', proven),
      rate('proven beyond, independence assumed', brokenNaively),
      rate('proven beyond, tested', broken),
    ]
  })
}
