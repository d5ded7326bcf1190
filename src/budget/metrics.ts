import type { CountMetric, RateMetric, TimeMetric, Timeouts, Unit, ValueMetric } from './types.ts'

/** Which way is good: `either` where a limit makes sense in both directions. */
type Goodness = 'low' | 'high' | 'either'

/** What the limits need to know of a metric. */
export interface MetricFacts {
  readonly unit: Unit
  readonly good: Goodness
  /** For the schema and the error messages. */
  readonly about: string
}

const TIMES: Readonly<Record<TimeMetric, string>> = {
  ttft: 'request sent to first token of any kind',
  first_answer: 'request sent to first token of the answer',
  headers: 'request sent to response headers',
  first_chunk: 'request sent to first event of any kind',
  last_token: 'request sent to last token',
  total: 'request sent to end of the stream',
  connect: 'opening the connection',
  gap_p50: 'median gap between token events of a request',
  gap_p99: '99th percentile of the gaps between token events of a request',
  gap_max: 'longest gap between token events of a request',
  tpot: 'time per output token after the first',
}

const COUNTS: Readonly<Record<CountMetric, string>> = {
  token_events: 'number of token events',
  tokens_per_event: 'completion tokens per token event',
  prompt_tokens: 'prompt tokens, as reported',
  completion_tokens: 'completion tokens, as reported, reasoning included',
  reasoning_tokens: 'reasoning tokens, as reported',
  cached_tokens: 'prompt tokens from the cache, as reported',
}

function entries<Name extends string>(
  abouts: Readonly<Record<Name, string>>,
  unit: Unit,
  good: Goodness,
): Record<Name, MetricFacts> {
  const facts = Object.entries<string>(abouts).map(([name, about]) => [name, { unit, good, about }])
  return Object.fromEntries(facts) as Record<Name, MetricFacts>
}

/** Metrics with one number a sample; a limit on them names a statistic. */
export const VALUE_METRICS: Readonly<Record<ValueMetric, MetricFacts>> = {
  ...entries(TIMES, 'ms', 'low'),
  decode_tps: { unit: 'tok/s', good: 'high', about: 'tokens per second between first and last token' },
  ...entries(COUNTS, 'count', 'either'),
  cost: { unit: 'currency', good: 'either', about: 'price of the request, in the currency of the target' },
}

/** Metrics that are a share of the samples. Fixed-length runs want a high `length_rate`, warm ones a high `cache_hit_rate`. */
export const RATE_METRICS: Readonly<Record<RateMetric, MetricFacts>> = {
  error_rate: { unit: 'ratio', good: 'low', about: 'failed requests of all' },
  answered_rate: { unit: 'ratio', good: 'high', about: 'good requests that gave an answer' },
  length_rate: { unit: 'ratio', good: 'either', about: 'good requests that ended at the token cap' },
  cache_hit_rate: { unit: 'ratio', good: 'either', about: 'good requests whose prompt came from the cache' },
  stall_rate: { unit: 'ratio', good: 'low', about: 'requests with a gap longer than stall_over' },
}

/** Narrows a word to a metric with one number a sample. */
export function isValueMetric(word: string): word is ValueMetric {
  return Object.hasOwn(VALUE_METRICS, word)
}

/** Narrows a word to a rate. */
export function isRateMetric(word: string): word is RateMetric {
  return Object.hasOwn(RATE_METRICS, word)
}

/** Narrows a metric to a time. */
export function isTimeMetric(metric: string): metric is TimeMetric {
  return Object.hasOwn(TIMES, metric)
}

/**
 * The timeouts that can cut a sample before the metric is complete. `first_answer` may be the first token, so `firstToken`
 * cuts it too; everything after the first token is cut by `total`, gaps by `stall` as well.
 */
export const CUT_BY: Readonly<Record<TimeMetric, readonly (keyof Timeouts)[]>> = {
  connect: ['connect'],
  headers: ['firstToken', 'total'],
  first_chunk: ['firstToken', 'total'],
  ttft: ['firstToken', 'total'],
  first_answer: ['firstToken', 'total'],
  last_token: ['total'],
  total: ['total'],
  gap_p50: ['stall', 'total'],
  gap_p99: ['stall', 'total'],
  gap_max: ['stall', 'total'],
  tpot: ['stall', 'total'],
}

/** What people write for our words. */
export const OTHER_WORDS: Readonly<Record<string, string>> = {
  time_to_first_token: 'ttft',
  ttfb: 'headers',
  ttfa: 'first_answer',
  latency: 'total',
  duration: 'total',
  e2e: 'total',
  itl: 'gap_p50',
  inter_token_latency: 'gap_p50',
  tps: 'decode_tps',
  tokens_per_second: 'decode_tps',
  speed: 'decode_tps',
  throughput: 'decode_tps',
  tokens: 'completion_tokens',
  output_tokens: 'completion_tokens',
  input_tokens: 'prompt_tokens',
  price: 'cost',
  errors: 'error_rate',
  failure_rate: 'error_rate',
  success_rate: 'error_rate',
  avg: 'mean',
  average: 'mean',
  median: 'p50',
  minimum: 'min',
  maximum: 'max',
}
