import { buildReport } from '../../src/report/index.ts'
import { chartData, renderHtml } from '../../src/report/html/index.ts'
import type { RunReport } from '../../src/report/types.ts'
import { cell, finding, HOSTILE, inconclusive, passing, run } from '../../src/report/testing/reports.ts'
import { failedSample, okSample } from '../../src/sample/testing/samples.ts'
import type { Sample } from '../../src/sample/types.ts'
import { seededRandom } from '../../src/schedule/index.ts'

const HOUR = 3_600_000
const ROUND_MS = 600_000
const START = Date.parse('2026-10-28T00:00:00.000Z')

/** 48 hours of two targets and three prompts, drawn with a seed; a stretch of rounds is missing, some requests fail. */
function study(): Sample[] {
  const random = seededRandom(7, 'page')
  const samples: Sample[] = []
  for (const [target, slow] of [
    ['glm-5.3', 1],
    ['deepseek-3.2', 1.4],
  ] as const) {
    for (const [prompt, tokens] of [
      ['short', 170],
      ['medium', 1080],
      ['long', 9900],
    ] as const) {
      for (let round = 0; round < 288; round += 1) {
        if (round > 100 && round < 112) continue
        const at = new Date(START + round * ROUND_MS).toISOString()
        const spread = Math.exp((random() + random() + random() - 1.5) * slow)
        const common = { seq: samples.length, round, target, prompt, due_at: at, started_at: at, prompt_tokens: tokens }
        if (random() < 0.008) samples.push(failedSample({ ...common, status: 529 }))
        else {
          const ttft = (900 + tokens * 0.055) * slow * spread
          samples.push(
            okSample({
              ...common,
              ttft_ms: ttft,
              first_answer_ms: target === 'glm-5.3' ? ttft + 15_000 + 20_000 * random() : ttft,
              first_token_kind: target === 'glm-5.3' ? 'reasoning' : 'answer',
              total_ms: ttft + 20_000,
              decode_tps: 30 + 30 * random(),
              tokens_per_event: 1,
              completion_tokens: 1900,
              finish_reason: random() < 0.4 ? 'length' : 'stop',
              cost: 0.01,
            }),
          )
        }
      }
    }
  }
  return samples
}

/** A budget over 24 runs, `apart` from each other, its level changed after fourteen. */
function runs(apart: number): NonNullable<RunReport['history']>[number] {
  const { budget, probe, target, prompt, text, unit, limit, currency } = finding()
  const startedAt = (at: number): string => new Date(START + at * apart).toISOString()
  return {
    budget,
    probe,
    target,
    prompt,
    text,
    unit,
    limit,
    currency,
    nights: Array.from({ length: 24 }, (_, at) => {
      const value = (at < 14 ? 7000 : 11_000) + ((at * 37) % 11) * 90
      return { run: `run-${at}`, startedAt: startedAt(at), value, verdict: value < limit ? 'pass' : 'fail', n: 857 }
    }),
    change: { run: 'run-14', startedAt: startedAt(14), before: 7450, after: 11_450, p: 0.0005 },
  }
}

const cellsOf = (samples: readonly Sample[]) =>
  [...new Map(samples.map((each) => [`${each.target}\0${each.prompt}`, each])).values()].map(
    ({ probe, target, prompt }) => ({
      probe,
      target,
      prompt,
    }),
  )

function page(samples: readonly Sample[], fields: Partial<RunReport>): string {
  const built = buildReport({ run: run(), findings: [], samples, cells: cellsOf(samples), currencies: [], notes: [] })
  const report = { ...built, ...fields }
  return renderHtml(report, chartData(report, samples))
}

/** Pages that show everything there is: by name, the text of a `report.html`. */
export function pages(): Readonly<Record<string, string>> {
  const samples = study()
  const strange = samples
    .slice(0, 40)
    .map((sample) => ({ ...sample, target: `${HOSTILE}-${'very-long-name'.repeat(9)}` }))
  const short = samples.slice(0, 12).map((sample, at) => {
    const time = new Date(START + at * 700).toISOString()
    return { ...sample, region: at % 2 === 0 ? 'blr1' : 'fra1', due_at: time, started_at: time }
  })
  const limits = ['p50 ttft < 1s', 'p95 ttft < 1200ms', 'p99 ttft < 2s', 'share(ttft > 60s) < 0.5%']
  return {
    short: page(short, {
      history: [runs(HOUR)],
      findings: limits.map((text, at) =>
        finding({ target: 'glm-5.3', budget: text, text, limit: [1000, 1200, 2000, 60_000][at] ?? 0 }),
      ),
    }),
    verdicts: page(samples, {
      findings: [
        finding(),
        finding({ severity: 'warn', budget: 'a warning' }),
        inconclusive(),
        inconclusive({ onInconclusive: 'warn', budget: 'unsure' }),
        passing(),
      ],
    }),
    passed: page(samples, {
      history: [runs(24 * HOUR)],
      findings: [passing()],
      run: run({ simulated: true, timeScale: 100 }),
    }),
    strange: page(strange, { findings: [finding({ budget: HOSTILE, message: HOSTILE.repeat(20) })] }),
    broken: page([], {
      cells: [cell({ n: 0 })],
      run: run({ complete: null, interrupted: null, planned: null, missedRounds: null }),
    }),
  }
}
