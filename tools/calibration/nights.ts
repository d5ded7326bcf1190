import type { OkSample } from '../../src/sample/types.ts'
import { judge } from '../../src/verdict/index.ts'
import { caseOf } from './gates.ts'
import type { Rate } from './rates.ts'
import { HEAVY, LOGNORMAL, runOf, streamOf } from './worlds.ts'
import type { Distribution } from './worlds.ts'

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

/** Nights differ from each other; one more such night fails in at most 5 %, whatever its samples seem to say. */
export function nightRates(runs: number): Rate[] {
  const budgetCase = caseOf('p50 ttft <= baseline', { baseline: { kind: 'history', forMs: 90 * 86_400_000 } })
  return [LOGNORMAL, HEAVY].flatMap((distribution) => {
    const row = `${distribution.name}, ${PER_NIGHT} a night`
    return [1, 1.5].map((worse): Rate => {
      let hits = 0
      for (let run = 0; run < runs; run += 1) {
        const random = streamOf('nights', distribution.name, worse, run)
        const samples = Array.from({ length: NIGHTS }, (_, at) => night(distribution, at, 1, random)).flat()
        const finding = judge(budgetCase, {
          samples: night(distribution, NIGHTS, worse, random),
          baselines: [{ file: null, samples }],
          incomplete: [],
          interrupted: false,
          currencies: [],
        })
        if (finding.verdict === 'fail') hits += 1
      }
      const column = worse === 1 ? 'fail unchanged' : 'fail at 1.5 times'
      return { row, column, name: `${row} ${column}`, hits, runs, claimed: worse === 1 }
    })
  })
}
