import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { deriveSample } from './metrics.ts'
import type { SampleFacts } from './metrics.ts'
import type { RequestRecord, Sample } from './types.ts'

const facts: SampleFacts = {
  slot: { seq: 1, round: 0, dueAt: 1000, probe: 'p', target: 't', prompt: 'q' },
  runId: 'r',
  plan: 'h',
  model: 'm',
  protocol: 'openai-chat',
  region: null,
  labels: {},
  timeScale: null,
  price: null,
  startedAt: 1500,
  promptBytes: 10,
  nonce: 'n',
}

const nothing: RequestRecord = {
  connection: { staleRetries: 0 },
  tokenTimes: [],
  firstEventBatched: false,
  tokenChunks: 0,
  malformedEvents: 0,
  clientLagMs: 1,
  failure: { kind: 'dns', message: 'no such host' },
}

const whole: RequestRecord = {
  connection: { reused: false, staleRetries: 0, httpVersion: '1.1', dnsMs: 1, tcpMs: 2.00049, tlsMs: 3, connectMs: 6 },
  sentAt: 1000,
  writtenAt: 1000.25,
  headersAt: 1010,
  status: 200,
  firstEventAt: 1020,
  tokenTimes: [1100, 1200, 1400, 1800],
  firstTokenKind: 'reasoning',
  firstAnswerAt: 1200,
  firstTokenErrorMs: 0.5,
  firstEventBatched: false,
  tokenChunks: 4,
  malformedEvents: 0,
  endedAt: 1900,
  clientLagMs: 2,
  usage: { promptTokens: 1000, completionTokens: 8, reasoningTokens: 2, cachedTokens: 40 },
  finishReason: 'stop',
  failure: null,
}

/** The columns that are the client's own: never scaled. */
const OWN = ['send_ms', 'ttft_error_ms', 'client_lag_ms', 'lateness_ms', 'retry_after_ms']

function derive(record: Partial<RequestRecord> = {}, more: Partial<SampleFacts> = {}): Sample {
  return deriveSample({ ...facts, ...more }, { ...whole, ...record })
}

test('every metric of the table', () => {
  expect(derive()).toMatchObject({
    outcome: 'ok',
    due_at: '1970-01-01T00:00:01.000Z',
    started_at: '1970-01-01T00:00:01.500Z',
    lateness_ms: 500,
    dns_ms: 1,
    tcp_ms: 2,
    tls_ms: 3,
    connect_ms: 6,
    send_ms: 0.25,
    headers_ms: 10,
    first_chunk_ms: 20,
    ttft_ms: 100,
    ttft_error_ms: 0.5,
    first_answer_ms: 200,
    last_token_ms: 800,
    total_ms: 900,
    decode_tps: 10,
    tpot_ms: 100,
    // gaps 100 200 400: by numpy.percentile([100, 200, 400], [50, 99])
    gap_p50_ms: 200,
    gap_p99_ms: 396,
    gap_max_ms: 400,
    token_events: 4,
    tokens_per_event: 2,
    client_lag_ms: 2,
    flags: [],
  })
})

test('what cannot be computed is absent', () => {
  const sample = deriveSample(facts, nothing)
  const numbers = Object.entries(sample).filter(([, value]) => typeof value === 'number')
  expect(Object.fromEntries(numbers)).toEqual({
    seq: 1,
    round: 0,
    lateness_ms: 500,
    stale_retries: 0,
    client_lag_ms: 1,
    prompt_bytes: 10,
  })
  expect(sample).toMatchObject({ outcome: 'error', error_kind: 'dns', error_message: 'no such host' })
  expect(Object.values(sample)).not.toContain(undefined)
})

test.each([
  ['without usage', { usage: {} }],
  ['with one token', { usage: { completionTokens: 1 } }],
  ['in a window of no length', { tokenTimes: [1100, 1100] }],
  ['without tokens', { tokenTimes: [] }],
] satisfies [string, Partial<RequestRecord>][])('no speed %s', (_name, record: Partial<RequestRecord>) => {
  const sample = derive(record)
  expect(sample).not.toHaveProperty('decode_tps')
  expect(sample).not.toHaveProperty('tpot_ms')
})

test('no gaps with one token event', () => {
  const sample = derive({ tokenTimes: [1100] })
  for (const name of ['gap_p50_ms', 'gap_p99_ms', 'gap_max_ms']) expect(sample).not.toHaveProperty(name)
})

test('cost: the cached part has its own price where one is given', () => {
  const price = { input: 1, output: 10, currency: 'USD' }
  expect(derive({}, { price }).cost).toBe(0.00108)
  expect(derive({}, { price: { ...price, cachedInput: 0.5 } }).cost).toBe(0.00106)
  expect(derive({ usage: { promptTokens: 7 } }, { price })).not.toHaveProperty('cost')
})

test.each([
  ['lag', { clientLagMs: 5.001 }],
  ['lag', { simulatorLateMs: 20.1 }],
  ['cached', { usage: { promptTokens: 100, cachedTokens: 6 } }],
  ['batched', { firstEventBatched: true }],
  ['buffered', { tokenChunks: 1 }],
  ['malformed', { malformedEvents: 1 }],
  ['usage_inconsistent', { usage: { inconsistent: true } }],
  ['usage_inconsistent', { usage: { completionTokens: 0 } }],
] as const)('flag %s', (flag, record) => {
  expect(derive(record).flags).toEqual([flag])
})

test.each([
  { clientLagMs: 5 },
  { simulatorLateMs: 20 },
  { usage: { promptTokens: 100, cachedTokens: 5 } },
  { tokenTimes: [1100], tokenChunks: 1 },
])('no flag at the limit: %j', (record) => {
  expect(derive(record).flags).toEqual([])
})

test('the simulator’s lateness is the bound where it is flagged', () => {
  expect(derive({ simulatorLateMs: 31.5 })).toMatchObject({ client_lag_ms: 31.5, ttft_error_ms: 31.5 })
  expect(derive({ simulatorLateMs: 3 })).toMatchObject({ client_lag_ms: 2, ttft_error_ms: 0.5 })
})

const times = fc
  .array(fc.double({ min: 0, max: 1e5, noNaN: true }), { maxLength: 30 })
  .map((offsets) => offsets.map((offset) => 1000 + offset).sort((a, b) => a - b))

test('scaling multiplies the provider’s times, divides its speeds and leaves our own alone', () => {
  fc.assert(
    fc.property(times, fc.integer({ min: 2, max: 1000 }), (tokenTimes, timeScale) => {
      const real = derive({ tokenTimes })
      const simulated = derive({ tokenTimes }, { timeScale })
      for (const [name, value] of Object.entries(real)) {
        const other = simulated[name as keyof Sample]
        if (typeof value !== 'number' || typeof other !== 'number') continue
        // each of the two was rounded to six digits: by 5 millionths at most
        if (name === 'decode_tps')
          expect(Math.abs(other - value / timeScale)).toBeLessThanOrEqual((value / timeScale) * 1.0001e-5)
        else if (name.endsWith('_ms') && !OWN.includes(name))
          expect(Math.abs(other - value * timeScale)).toBeLessThanOrEqual(0.0005 * (timeScale + 1) + 1e-6)
        else expect(other, name).toBe(value)
      }
      expect(simulated.simulated).toBe(timeScale)
      expect(real).not.toHaveProperty('simulated')
    }),
  )
})

test('a burst has no speed, and is flagged: no model writes 10000 tokens a second', () => {
  const usage = { promptTokens: 10, completionTokens: 300 }
  // 300 tokens in 20 ms, in two reads
  const burst = derive({ tokenTimes: [1100, 1120], tokenChunks: 2, usage })
  expect(burst.flags).toContain('buffered')
  expect(burst).not.toHaveProperty('decode_tps')
  expect(burst).not.toHaveProperty('tpot_ms')
  const fast = derive({ tokenTimes: [1100, 1140], tokenChunks: 2, usage })
  expect(fast).toMatchObject({ decode_tps: 7475 })
  expect(fast.flags).not.toContain('buffered')
})

test('without usage, a burst of more events than any model writes is flagged too', () => {
  const times = Array.from({ length: 50 }, (_none, i) => 1100 + i / 20)
  expect(derive({ tokenTimes: times, tokenChunks: 3 }).flags).toContain('buffered')
})

test('reasoning that was counted but never streamed is no part of the speed', () => {
  const usage = { promptTokens: 10, completionTokens: 1100, reasoningTokens: 1000 }
  expect(derive({ tokenTimes: [1000, 2000], tokenChunks: 2, usage, hiddenReasoning: true }).decode_tps).toBe(99)
  expect(derive({ tokenTimes: [1000, 2000], tokenChunks: 2, usage }).decode_tps).toBe(1099)
})

test('the provider’s own counts are kept beside the comparable ones', () => {
  const usage = { promptTokens: 15, completionTokens: 9, rawPromptTokens: 10, rawCompletionTokens: 5 }
  expect(derive({ usage })).toMatchObject({
    prompt_tokens: 15,
    completion_tokens: 9,
    prompt_tokens_raw: 10,
    completion_tokens_raw: 5,
  })
})

test('gap percentiles are ordered and lie among the gaps', () => {
  fc.assert(
    fc.property(
      times.filter((all) => all.length > 1),
      (tokenTimes) => {
        const { gap_p50_ms: p50 = NaN, gap_p99_ms: p99 = NaN, gap_max_ms: max = NaN } = derive({ tokenTimes })
        expect(p50).toBeGreaterThanOrEqual(0)
        expect(p99).toBeGreaterThanOrEqual(p50)
        expect(max).toBeGreaterThanOrEqual(p99)
      },
    ),
  )
})

test('numbers are rounded once: 0.001 ms, speeds to six digits', () => {
  fc.assert(
    fc.property(times, (tokenTimes) => {
      const sample = derive({ tokenTimes })
      for (const [name, value] of Object.entries(sample)) {
        if (typeof value !== 'number') continue
        if (name.endsWith('_ms')) expect(Number(value.toFixed(3)), name).toBe(value)
        if (name === 'decode_tps') expect(Number(value.toPrecision(6))).toBe(value)
      }
    }),
  )
})
