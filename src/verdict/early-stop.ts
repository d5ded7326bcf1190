import type { BudgetCase, CellKey } from '../budget/types.ts'
import type { FailedSample, OkSample, Sample } from '../sample/types.ts'
import { relativeCase } from './comparison.ts'
import { judgeAll } from './judge.ts'
import { cellKey } from './pool.ts'
import type { Finding, JudgeInput } from './types.ts'

/** Nothing is below it, or above it. */
const LARGE = 1e12

/** Every number of a sample. */
function numbers(value: number, answered: boolean): Omit<Partial<OkSample>, 'outcome'> {
  return {
    connect_ms: value,
    headers_ms: value,
    first_chunk_ms: value,
    ttft_ms: value,
    ...(answered ? { first_answer_ms: value } : {}),
    last_token_ms: value,
    total_ms: value,
    gap_p50_ms: value,
    gap_p99_ms: value,
    gap_max_ms: value,
    tpot_ms: value,
    decode_tps: value,
    token_events: value,
    tokens_per_event: value,
    prompt_tokens: value,
    completion_tokens: value,
    reasoning_tokens: value,
    cached_tokens: value,
    cost: value,
    finish_reason: answered ? 'stop' : 'length',
  }
}

type Imagine = (like: Sample) => Sample

function bare(like: Sample): OkSample {
  const { run_id, plan, probe, target, prompt, model, protocol, labels, simulated, due_at, started_at } = like
  return {
    run_id,
    plan,
    seq: like.seq,
    round: like.round,
    probe,
    target,
    prompt,
    model,
    protocol,
    labels,
    ...(simulated === undefined ? {} : { simulated }),
    due_at,
    started_at,
    lateness_ms: 0,
    outcome: 'ok',
    stale_retries: 0,
    client_lag_ms: 0,
    flags: [],
    prompt_bytes: 0,
    nonce: '',
  }
}

function failing(
  like: Sample,
  error_kind: FailedSample['error_kind'],
  fields: Omit<Partial<FailedSample>, 'outcome'>,
): Sample {
  return { ...bare(like), outcome: 'error', error_kind, error_message: '', ...fields }
}

/** The ways in which all missing requests could come out. For a limit from below the large ones are the best. */
const IMAGINED: readonly Imagine[] = [
  (like) => ({ ...bare(like), ...numbers(0, true) }),
  (like) => ({ ...bare(like), ...numbers(LARGE, true) }),
  (like) => ({ ...bare(like), ...numbers(LARGE, false) }),
  (like) => failing(like, 'http_status', { status: 500 }),
  (like) => failing(like, 'first_token_timeout', { total_ms: LARGE, connect_ms: LARGE }),
  (like) => failing(like, 'stall_timeout', { ...numbers(LARGE, false), ttft_ms: 0 }),
]

/** Requests that are still to come, by cell. */
export interface Missing extends CellKey {
  readonly count: number
}

const HOUR_MS = 3_600_000

function hourLater(iso: string, hours: number): string {
  return new Date(Date.parse(iso) + hours * HOUR_MS).toISOString()
}

/** The missing samples, all alike; in one hour or in an hour each, since a proof depends on how exceedances are spread. */
function imagined(
  samples: readonly Sample[],
  missing: readonly Missing[],
  imagine: Imagine,
  spread: boolean,
): Sample[] {
  const last = new Map(samples.map((sample) => [cellKey(sample), sample]))
  return missing.flatMap((cell) => {
    const like = last.get(cellKey(cell))
    if (like === undefined) return []
    return Array.from({ length: cell.count }, (_, at) => ({
      ...imagine(like),
      started_at: spread ? hourLater(like.started_at, at + 1) : like.started_at,
    }))
  })
}

function verdicts(findings: readonly Finding[]): string {
  return findings.map(({ verdict, severity, reason }) => `${verdict} ${severity} ${reason ?? ''}`).join('\n')
}

/**
 * Whether nothing that is still missing can change a verdict: every budget has the same one now, and if all missing requests came out
 * best, worst, cut off, or failed. A budget that compares with a baseline is open to the end; so is one with a window, which moves on with
 * each request and leaves earlier ones behind.
 * @param missing - requests to come; a cell without any sample so far decides nothing
 */
export function isDecided(cases: readonly BudgetCase[], input: JudgeInput, missing: readonly Missing[]): boolean {
  const isOpen = (each: BudgetCase): boolean => relativeCase(each) !== null || (each.window ?? null) !== null
  if (cases.length === 0 || cases.some(isOpen)) return false
  const have = new Set(input.samples.map(cellKey))
  if (missing.some((cell) => !have.has(cellKey(cell)))) return false
  const now = verdicts(judgeAll(cases, input))
  const spreads = cases.some(({ confidence }) => (confidence ?? null) !== null) ? [false, true] : [false]
  return IMAGINED.every((imagine) =>
    spreads.every((spread) => {
      const samples = [...input.samples, ...imagined(input.samples, missing, imagine, spread)]
      return verdicts(judgeAll(cases, { ...input, samples })) === now
    }),
  )
}
