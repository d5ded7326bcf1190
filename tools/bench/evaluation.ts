import { parseBudgets, budgetCases } from '../../src/budget/index.ts'
import type { CellKey } from '../../src/budget/types.ts'
import { seededRandom } from '../../src/schedule/index.ts'
import type { Sample } from '../../src/sample/types.ts'
import { judgeAll } from '../../src/verdict/index.ts'
import type { BenchResult } from './figures.ts'

/** The whole evaluation of a million samples by a hundred budgets, in this process. */

const SAMPLES = 1_000_000
const BUDGETS = 100
const PROMPTS = ['short', 'medium', 'long']
const TARGETS = ['glm-5.3', 'gemma-4-31B-it', 'llama-4-maverick', 'deepseek-3.2']
const HOURS = 24 * 30

const cells: readonly CellKey[] = TARGETS.flatMap((target) =>
  PROMPTS.map((prompt) => ({ probe: 'bench', target, prompt })),
)

function samples(): Sample[] {
  const random = seededRandom(1, 'evaluation')
  const hours = Array.from({ length: HOURS }, (_, hour) => new Date(Date.UTC(2026, 10, 1, hour)).toISOString())
  return Array.from({ length: SAMPLES }, (_, seq): Sample => {
    const cell = cells[seq % cells.length] ?? { probe: 'bench', target: '', prompt: '' }
    const ttft_ms = 1000 * Math.exp(0.4 * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()))
    const started_at = hours[Math.floor((seq / SAMPLES) * HOURS)] ?? ''
    const common = {
      ...cell,
      run_id: 'bench',
      plan: '',
      seq,
      round: Math.floor(seq / cells.length),
      model: cell.target,
      protocol: 'openai-chat',
      labels: {},
      due_at: started_at,
      started_at,
      lateness_ms: 0,
      stale_retries: 0,
      client_lag_ms: random() < 0.1 ? 5 * random() : 0,
      flags: [],
      prompt_bytes: 1000,
      nonce: '',
    }
    if (random() < 0.003)
      return { ...common, outcome: 'error', error_kind: 'http_status', error_message: 'overloaded', status: 529 }
    const total_ms = ttft_ms + 8000 * random()
    return {
      ...common,
      outcome: 'ok',
      ttft_ms,
      total_ms,
      last_token_ms: total_ms,
      decode_tps: 20 + 40 * random(),
    }
  })
}

/** Twenty budgets of each of five kinds; every fourth pools a target. */
function budgets(): string {
  const limits = (at: number): string[] => [
    `p99 ttft < ${2000 + 100 * at}ms`,
    `p95 total < ${6000 + 200 * at}ms`,
    `p5 decode_tps > ${15 + at}`,
    `error_rate < ${(0.1 * (at + 1)).toFixed(1)}%`,
    `share(ttft > ${2000 + 100 * at}ms) < 1%`,
  ]
  const entries = Array.from({ length: BUDGETS / 5 }, (_, at) => limits(at)).flat()
  const lines = entries.map((limit, at) => `  - { id: b${at}, limit: ${limit}${at % 4 === 0 ? ', per: target' : ''} }`)
  return `version: 1\nbudgets:\n${lines.join('\n')}\n`
}

/** The most memory that this process has held so far, MB; the end of a phase says little, since what it held may be gone by then. */
function peakMb(): number {
  return process.resourceUsage().maxRSS / 1024
}

export function benchEvaluation(): Promise<BenchResult> {
  const { file, problems } = parseBudgets(budgets(), 'bench.yaml')
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'))
  const all = samples()
  const cases = budgetCases(file, cells)
  const before = peakMb()
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  const findings = judgeAll(cases, { samples: all, incomplete: [], interrupted: false, currencies: [] })
  const seconds = (performance.now() - startedAt) / 1000
  const spent = process.cpuUsage(cpu)
  const grown = peakMb() - before
  if (findings.length !== cases.length) throw new Error('a case was lost')
  const about = `${SAMPLES.toLocaleString('en-US')} samples × ${BUDGETS} budgets (${cases.length} verdicts)`
  return Promise.resolve({
    figures: [],
    notes: [
      { key: 'evaluation_s', about: `${about}, seconds`, value: seconds },
      {
        key: 'evaluation_cpu_s',
        about: `${about}, CPU seconds, which a busy machine does not stretch`,
        value: (spent.user + spent.system) / 1e6,
      },
      { key: 'evaluation_mb', about: `${about}, what it added to the peak of memory, MB`, value: grown },
      { key: 'evaluation_peak_mb', about: `${about}, peak of memory with the samples, MB`, value: before + grown },
    ],
  })
}
