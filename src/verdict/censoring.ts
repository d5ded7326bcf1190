import type { ValueMetric } from '../budget/types.ts'
import type { ErrorKind, Sample } from '../sample/types.ts'

/**
 * What a sample says about one metric.
 *
 * - `value`: it has the metric.
 * - `censored`: one of our own timeouts cut it off before the metric was complete; `cutAt` is the time at which it was, where the metric is
 *   a time that was running by then: its true value is no smaller. `null`: nothing is known but that it is worse than every limit.
 * - `failed`: it failed otherwise, so it has no latency.
 * - `absent`: it succeeded without having the metric (no answer, no usage, a reused connection), or was cut off and the metric does not
 *   depend on what was cut.
 */
export type Observation =
  | { readonly kind: 'value'; readonly value: number }
  | { readonly kind: 'censored'; readonly cutAt: number | null }
  | { readonly kind: 'failed' }
  | { readonly kind: 'absent' }

const ABSENT: Observation = { kind: 'absent' }
const FAILED: Observation = { kind: 'failed' }

/** The column that holds a metric. */
const COLUMNS = {
  ttft: 'ttft_ms',
  first_answer: 'first_answer_ms',
  headers: 'headers_ms',
  first_chunk: 'first_chunk_ms',
  last_token: 'last_token_ms',
  total: 'total_ms',
  connect: 'connect_ms',
  gap_p50: 'gap_p50_ms',
  gap_p99: 'gap_p99_ms',
  gap_max: 'gap_max_ms',
  tpot: 'tpot_ms',
  decode_tps: 'decode_tps',
  token_events: 'token_events',
  tokens_per_event: 'tokens_per_event',
  prompt_tokens: 'prompt_tokens',
  completion_tokens: 'completion_tokens',
  reasoning_tokens: 'reasoning_tokens',
  cached_tokens: 'cached_tokens',
  cost: 'cost',
} as const satisfies Readonly<Record<ValueMetric, keyof Sample>>

/**
 * When a sample that a timeout cut off has completed a metric after all:
 *
 * - `moment`: as soon as it came; a later cut does not take it back.
 * - `generation`: only once the model had said that it is finished (`finish_reason`); until then more tokens could come, so what
 *   the columns hold is a part of the answer. The gap that it died in is one of the gaps.
 * - `end`: never; a timeout is no end of the stream.
 * - `connection`: where a connection was opened; a connect timeout did not.
 * - `prompt`: it is about what was sent; a cut says nothing of it, so without a number the sample is left out.
 */
type Completion = 'moment' | 'generation' | 'end' | 'connection' | 'prompt'

/**
 * What each timeout leaves incomplete (`c`: censored, `v`: has its value if the column has, `–`: not counted).
 *
 * | metric | connect_timeout | first_token_timeout | stall_timeout, total_timeout |
 * |---|---|---|---|
 * | `connect` | c | v | v |
 * | `headers` `first_chunk` `ttft` `first_answer` | c | v if it came, else c | v if it came, else c |
 * | `last_token` `gap_*` `tpot` `decode_tps` `token_events` `tokens_per_event` `completion_tokens` `reasoning_tokens` `cost` | c | c | v if finished and there, else c |
 * | `total` | c | c | c |
 * | `prompt_tokens` `cached_tokens` | – | v or – | v or – |
 */
const COMPLETION: Readonly<Record<ValueMetric, Completion>> = {
  connect: 'connection',
  headers: 'moment',
  first_chunk: 'moment',
  ttft: 'moment',
  first_answer: 'moment',
  last_token: 'generation',
  gap_p50: 'generation',
  gap_p99: 'generation',
  gap_max: 'generation',
  tpot: 'generation',
  decode_tps: 'generation',
  token_events: 'generation',
  tokens_per_event: 'generation',
  completion_tokens: 'generation',
  reasoning_tokens: 'generation',
  cost: 'generation',
  total: 'end',
  prompt_tokens: 'prompt',
  cached_tokens: 'prompt',
}

const TIMEOUTS: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'connect_timeout',
  'first_token_timeout',
  'stall_timeout',
  'total_timeout',
])

/** We stopped it: it counts nowhere. */
export function isAborted(sample: Sample): boolean {
  return sample.outcome === 'error' && sample.error_kind === 'aborted'
}

/** One of our own timeouts cut it off. */
function isCutOff(sample: Sample): boolean {
  return sample.outcome === 'error' && TIMEOUTS.has(sample.error_kind)
}

/**
 * Milliseconds of silence in which a cut-off sample died: from its last token to the cut. `undefined` where no token had come, or the
 * model had already finished.
 */
export function lastSilenceMs(sample: Sample): number | undefined {
  if (!isCutOff(sample) || sample.finish_reason !== undefined) return undefined
  if (sample.total_ms === undefined || sample.last_token_ms === undefined) return undefined
  return Math.max(0, sample.total_ms - sample.last_token_ms)
}

/** The time that had passed on a metric's own clock when the sample was cut off; `null` where that bounds nothing. */
function cutTime(sample: Sample, metric: ValueMetric): number | null {
  switch (metric) {
    case 'connect':
      return sample.connect_ms ?? null
    case 'headers':
    case 'first_chunk':
    case 'ttft':
    case 'first_answer':
    case 'last_token':
    case 'total':
      return sample.total_ms ?? null
    case 'gap_max': {
      const silence = lastSilenceMs(sample)
      return silence === undefined ? (sample.gap_max_ms ?? null) : Math.max(silence, sample.gap_max_ms ?? 0)
    }
    default:
      return null
  }
}

function isComplete(sample: Sample, metric: ValueMetric): boolean {
  switch (COMPLETION[metric]) {
    case 'moment':
    case 'prompt':
      return true
    case 'connection':
      return sample.outcome === 'ok' || sample.error_kind !== 'connect_timeout'
    case 'generation':
      return sample.finish_reason !== undefined
    case 'end':
      return false
  }
}

function cutOffObservation(sample: Sample, metric: ValueMetric, value: number | undefined): Observation {
  const completion = COMPLETION[metric]
  if (value !== undefined && isComplete(sample, metric)) return { kind: 'value', value }
  if (completion === 'prompt') return ABSENT
  // A reused connection has no time of opening, whatever came later.
  if (completion === 'connection' && isComplete(sample, metric)) return ABSENT
  return { kind: 'censored', cutAt: cutTime(sample, metric) }
}

/** What `sample`, which is not aborted, says about `metric`. */
export function observe(sample: Sample, metric: ValueMetric): Observation {
  const value = sample[COLUMNS[metric]]
  if (sample.outcome === 'ok') return value === undefined ? ABSENT : { kind: 'value', value }
  if (!isCutOff(sample)) return FAILED
  return cutOffObservation(sample, metric, value)
}
