import { describe, expect, it } from 'vitest'
import type { ValueMetric } from '../budget/types.ts'
import { VALUE_METRICS } from '../budget/metrics.ts'
import type { Sample } from '../sample/types.ts'
import { observe } from './censoring.ts'
import { failed, ok } from './testing/cases.ts'

const started = { connect_ms: 30, headers_ms: 90, first_chunk_ms: 95, ttft_ms: 100 } as const
const talking = {
  ...started,
  first_token_kind: 'reasoning',
  last_token_ms: 40_000,
  gap_p50_ms: 20,
  gap_p99_ms: 50,
  gap_max_ms: 900,
  token_events: 500,
  prompt_tokens: 700,
  completion_tokens: 480,
  reasoning_tokens: 480,
  cached_tokens: 0,
  decode_tps: 12,
  tpot_ms: 83,
  tokens_per_event: 0.96,
  cost: 0.01,
} as const

const connectTimeout = failed('connect_timeout', { connect_ms: 10_000 })
const beforeHeaders = failed('first_token_timeout', { connect_ms: 30, total_ms: 240_000 })
const afterHeaders = failed('first_token_timeout', { headers_ms: 90, first_chunk_ms: 95, total_ms: 240_000 })
const stalled = failed('stall_timeout', { ...talking, total_ms: 100_000 })
const tooLong = failed('total_timeout', { ...talking, total_ms: 300_000, first_answer_ms: 20_000 })
const finishedButOpen = failed('stall_timeout', { ...talking, total_ms: 100_000, finish_reason: 'stop' })

const c = (cutAt: number | null) => ({ kind: 'censored', cutAt })
const v = (value: number) => ({ kind: 'value', value })
const absent = { kind: 'absent' }

/** Columns: connect timeout; first-token timeout before and after the headers; stall after tokens; total; stall after the finish. */
const table: readonly (readonly [ValueMetric, readonly object[]])[] = [
  ['connect', [c(10_000), v(30), absent, v(30), v(30), v(30)]],
  ['headers', [c(null), c(240_000), v(90), v(90), v(90), v(90)]],
  ['first_chunk', [c(null), c(240_000), v(95), v(95), v(95), v(95)]],
  ['ttft', [c(null), c(240_000), c(240_000), v(100), v(100), v(100)]],
  ['first_answer', [c(null), c(240_000), c(240_000), c(100_000), v(20_000), c(100_000)]],
  ['last_token', [c(null), c(240_000), c(240_000), c(100_000), c(300_000), v(40_000)]],
  ['total', [c(null), c(240_000), c(240_000), c(100_000), c(300_000), c(100_000)]],
  ['gap_p50', [c(null), c(null), c(null), c(null), c(null), v(20)]],
  ['gap_p99', [c(null), c(null), c(null), c(null), c(null), v(50)]],
  // The gap that it died in: from the last token to the cut.
  ['gap_max', [c(null), c(null), c(null), c(60_000), c(260_000), v(900)]],
  ['tpot', [c(null), c(null), c(null), c(null), c(null), v(83)]],
  ['decode_tps', [c(null), c(null), c(null), c(null), c(null), v(12)]],
  ['token_events', [c(null), c(null), c(null), c(null), c(null), v(500)]],
  ['tokens_per_event', [c(null), c(null), c(null), c(null), c(null), v(0.96)]],
  ['completion_tokens', [c(null), c(null), c(null), c(null), c(null), v(480)]],
  ['reasoning_tokens', [c(null), c(null), c(null), c(null), c(null), v(480)]],
  ['cost', [c(null), c(null), c(null), c(null), c(null), v(0.01)]],
  ['prompt_tokens', [absent, absent, absent, v(700), v(700), v(700)]],
  ['cached_tokens', [absent, absent, absent, v(0), v(0), v(0)]],
]

describe('what a timeout leaves incomplete', () => {
  it('has a row for every metric', () => {
    expect(table.map(([metric]) => metric).toSorted()).toEqual(Object.keys(VALUE_METRICS).toSorted())
  })

  it.each(table)('%s', (metric, expected) => {
    const samples: readonly Sample[] = [connectTimeout, beforeHeaders, afterHeaders, stalled, tooLong, finishedButOpen]
    expect(samples.map((sample) => observe(sample, metric))).toEqual(expected)
  })
})

describe('other samples', () => {
  it('have what they have', () => {
    expect(observe(ok({ ttft_ms: 12 }), 'ttft')).toEqual(v(12))
    expect(observe(ok(), 'first_answer')).toEqual(absent)
  })

  it('have no latency once they failed, whatever came before', () => {
    for (const kind of ['http_status', 'reset', 'truncated', 'error_event', 'empty', 'dns'] as const) {
      expect(observe(failed(kind, { ...talking, total_ms: 41_000 }), 'ttft')).toEqual({ kind: 'failed' })
    }
  })
})
