import { execFile } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { failedSample, okSample } from '../sample/testing/samples.ts'
import type { Sample } from '../sample/types.ts'
import { csvOf, desk } from './testing/command-line.ts'

const ROWS = 50_000
/** Megabytes: too few for an object with its fields for each row. */
const HEAP_MB = 96
const PROMPTS = ['short', 'medium', 'long']
const CLI = fileURLToPath(new URL('../cli.ts', import.meta.url))

const BUDGETS = `version: 1
defaults: { per: target }
budgets:
  - limit: p99 ttft < 60s
  - limit: error_rate < 5%
  - limit: p50 ttft <= baseline + 50%
    baseline: { file: before.csv }
    on_inconclusive: warn
`

/** One in a hundred fails; each has a nonce and an id of its own. */
function sampleOf(seq: number): Sample {
  const at = new Date(Date.UTC(2026, 11, 1) + seq * 1000).toISOString()
  const ms = (name: number): number => 500 + ((seq * (name + 7919)) % 100_003) / 1000
  const common = {
    seq,
    round: Math.floor(seq / PROMPTS.length),
    prompt: PROMPTS[seq % PROMPTS.length] ?? '',
    labels: { team: 'search', night: String(seq % 7) },
    due_at: at,
    started_at: at,
    nonce: `nonce-${seq}-of-this-request`,
    request_id: `request-${seq}-of-this-provider`,
    send_ms: ms(1),
    headers_ms: ms(2),
  }
  if (seq % 100 === 0) return failedSample({ ...common, status: 529, error_message: `overloaded, ask again: ${seq}` })
  const numbers = { first_chunk_ms: ms(3), first_answer_ms: ms(4), last_token_ms: ms(5), gap_p50_ms: ms(6) }
  return okSample({ ...common, ...numbers, gap_p99_ms: ms(7), gap_max_ms: ms(8), tpot_ms: ms(9), decode_tps: 40.5 })
}

test(
  'many rows and a baseline as long are reported in a heap that could not hold them as objects',
  { timeout: 180_000 },
  async () => {
    const folder = desk()
    onTestFinished(() => folder.remove())
    folder.write({ 'samples.csv': csvOf(Array.from({ length: ROWS }, (_, seq) => sampleOf(seq))), 'slo.yaml': BUDGETS })
    copyFileSync(join(folder.dir, 'samples.csv'), join(folder.dir, 'before.csv'))
    const args = [`--max-old-space-size=${HEAP_MB}`, CLI, 'report', 'samples.csv', '--out', 'out']
    // exit 0, or this throws
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder.dir })
    expect(stdout).toContain(`${ROWS} (planned: unknown) samples`)
    const report = JSON.parse(folder.read('out/report.json')) as {
      readonly cells: readonly { readonly prompt: string; readonly n: number; readonly failed: number }[]
    }
    const counts = Object.fromEntries(report.cells.map(({ prompt, n, failed }) => [prompt, { n, failed }]))
    expect(counts).toEqual({
      short: { n: 16_667, failed: 167 },
      medium: { n: 16_667, failed: 167 },
      long: { n: 16_666, failed: 166 },
    })
  },
)
