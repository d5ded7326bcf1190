import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { encodeHeader, encodeRow } from '../../src/sample/encode-row.ts'
import type { Sample } from '../../src/sample/types.ts'
import { seededRandom } from '../../src/schedule/index.ts'
import type { BenchResult } from './figures.ts'

/** `vitest-slo report` of a million rows in twelve cells, in a process of its own. */

const ROWS = 1_000_000
const HEAP_MB = 512
const PROMPTS = ['short', 'medium', 'long']
const TARGETS = ['glm-5.3', 'gemma-4-31B-it', 'llama-4-maverick', 'deepseek-3.2']
const CELLS = TARGETS.flatMap((target) => PROMPTS.map((prompt) => ({ target, prompt })))

const BUDGETS = `version: 1
defaults: { per: target }
budgets:
  - limit: p99 ttft < 60s
  - limit: p5 decode_tps > 1
  - limit: error_rate < 5%
  - limit: share(ttft > 30s) < 1%
`

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url))
/** Runs the command and says, last of all, the most memory that it had (KiB). */
const SCRIPT = `
process.on('exit', () => process.stdout.write(JSON.stringify(process.resourceUsage().maxRSS)))
await import(${JSON.stringify(join(SOURCE, 'cli.ts'))})
`

function sampleOf(seq: number, random: () => number): Sample {
  const { target, prompt } = CELLS[seq % CELLS.length] ?? { target: '', prompt: '' }
  const at = new Date(Date.UTC(2026, 10, 1) + seq * 2500).toISOString()
  const ms = (most: number): number => Math.round(most * random() * 1000) / 1000
  const id = (): string => Math.floor(random() * 2 ** 48).toString(16)
  const base = {
    run_id: '20261101T000000000Z-00000000',
    plan: '0123456789abcdef',
    seq,
    round: Math.floor(seq / CELLS.length),
    probe: 'bench',
    target,
    prompt,
    model: target,
    protocol: 'openai-chat',
    labels: { team: 'bench', night: String(seq % 7) },
    due_at: at,
    started_at: at,
    lateness_ms: ms(20),
    reused: true,
    stale_retries: 0,
    send_ms: ms(1),
    headers_ms: ms(900),
    client_lag_ms: ms(1),
    flags: [],
    prompt_bytes: 4096,
    nonce: `${id()}-${id()}`,
    request_id: `req_${id()}${id()}`,
  }
  if (random() < 0.003)
    return { ...base, outcome: 'error', error_kind: 'http_status', status: 529, error_message: `overloaded: ${id()}` }
  const ttft_ms = 500 + ms(2000)
  const total_ms = ttft_ms + ms(8000)
  return {
    ...base,
    outcome: 'ok',
    status: 200,
    first_chunk_ms: ttft_ms,
    ttft_ms,
    ttft_error_ms: ms(0.3),
    first_token_kind: 'answer',
    first_answer_ms: ttft_ms,
    last_token_ms: total_ms,
    total_ms,
    decode_tps: Number((20 + 40 * random()).toPrecision(6)),
    tpot_ms: ms(50),
    gap_p50_ms: ms(20),
    gap_p99_ms: ms(80),
    gap_max_ms: ms(200),
    token_events: 300,
    prompt_tokens: 1000,
    completion_tokens: 300,
    cached_tokens: 0,
    finish_reason: 'stop',
    cost: Number((random() / 1000).toPrecision(12)),
  }
}

function* csv(): Generator<string> {
  const random = seededRandom(1, 'report')
  yield encodeHeader()
  for (let seq = 0; seq < ROWS; seq += 1) yield encodeRow(sampleOf(seq, random))
}

export async function benchReport(): Promise<BenchResult> {
  const dir = await mkdtemp(join(tmpdir(), 'slo bench '))
  try {
    const file = join(dir, 'samples.csv')
    await pipeline(Readable.from(csv()), createWriteStream(file))
    await writeFile(join(dir, 'slo.yaml'), BUDGETS)
    const args = [`--max-old-space-size=${HEAP_MB}`, '--input-type=module', '--eval', SCRIPT, 'cli', 'report', file]
    const startedAt = performance.now()
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: dir })
    const seconds = (performance.now() - startedAt) / 1000
    const megabytes = Number(/(\d+)\s*$/.exec(stdout)?.[1]) / 1000
    const about = `report of ${ROWS.toLocaleString('en-US')} rows (${Math.round((await stat(file)).size / 1e6)} MB)`
    return {
      figures: [{ key: 'report_s', about: `${about}, seconds`, bar: 90, sense: '<=', blocks: [seconds] }],
      notes: [{ key: 'report_peak_mb', about: `${about}, most memory of its process, MB`, value: megabytes }],
    }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
