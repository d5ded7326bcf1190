import { isoTime } from '../units.ts'
import type { Price } from '../spec/types.ts'
import type { Flag, RequestRecord, Sample, Slot, Usage } from './types.ts'

/** What is known of a sample without looking at the provider's answer. Plain JSON. */
export interface SampleFacts {
  readonly slot: Slot
  readonly runId: string
  readonly plan: string
  readonly model: string
  readonly protocol: string
  readonly region: string | null
  readonly labels: Readonly<Record<string, string>>
  /** `null` for a real target. */
  readonly timeScale: number | null
  readonly price: Price | null
  /** Wall-clock milliseconds at which work on the slot began, before connecting. */
  readonly startedAt: number
  readonly promptBytes: number
  readonly nonce: string
}

/** A request stamped later than this, real milliseconds, is flagged `lag`. */
const LAG_FLAG_MS = 5
/** A simulator that woke or wrote later than this, real milliseconds, flags the sample as well. */
const SIMULATOR_LATE_FLAG_MS = 20
/** Share of the prompt from the cache above which a sample is flagged `cached`. */
const CACHED_FLAG_SHARE = 0.05

/** Milliseconds, rounded to 0.001. */
function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

function significant(value: number, digits: number): number {
  return Number(value.toPrecision(digits))
}

/**
 * Quantile by linear interpolation between order statistics, h = (n − 1)·p (Hyndman and Fan 1996, type 7).
 * @param sorted - ascending, not empty
 * @param p - from 0 to 1
 */
function quantile7(sorted: readonly number[], p: number): number {
  const h = (sorted.length - 1) * p
  const low = Math.floor(h)
  const below = sorted[low] ?? 0
  const above = sorted[Math.min(low + 1, sorted.length - 1)] ?? below
  return below + (h - low) * (above - below)
}

/** Only the fields that have a value: what cannot be computed is absent, never 0. */
function present<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}

/** Cost by `usage`: ((prompt − cached) × input + cached × cachedInput + completion × output) / 10⁶, in the price's currency. */
function costOf(usage: Usage | undefined, price: Price | null): number | undefined {
  if (price === null || usage?.promptTokens === undefined || usage.completionTokens === undefined) return undefined
  const cached = Math.min(usage.cachedTokens ?? 0, usage.promptTokens)
  const input = (usage.promptTokens - cached) * price.input + cached * (price.cachedInput ?? price.input)
  return significant((input + usage.completionTokens * price.output) / 1e6, 12)
}

interface Gaps {
  readonly gap_p50_ms?: number
  readonly gap_p99_ms?: number
  readonly gap_max_ms?: number
}

function gapsOf(times: readonly number[], scale: number): Gaps {
  if (times.length < 2) return {}
  const gaps = new Float64Array(times.length - 1)
  for (let i = 0; i < gaps.length; i += 1) gaps[i] = (times[i + 1] ?? 0) - (times[i] ?? 0)
  const sorted = Array.from(gaps.sort())
  return {
    gap_p50_ms: roundMs(quantile7(sorted, 0.5) * scale),
    gap_p99_ms: roundMs(quantile7(sorted, 0.99) * scale),
    gap_max_ms: roundMs((sorted.at(-1) ?? 0) * scale),
  }
}

/** Tokens a second that no model has: whoever shows them has held the stream back. */
const IMPOSSIBLE_TPS = 10_000

/** Tokens of the window from first to last token event: those that were counted, but for reasoning that was never streamed. */
function windowTokens({ usage, hiddenReasoning }: RequestRecord): number | undefined {
  if (usage?.completionTokens === undefined) return undefined
  return usage.completionTokens - (hiddenReasoning === true ? (usage.reasoningTokens ?? 0) : 0)
}

/** The token events came in one burst, or faster than any model writes: their times say when somebody let go of them. */
function isBuffered(record: RequestRecord, scale: number): boolean {
  const { tokenTimes, tokenChunks } = record
  const [first] = tokenTimes
  const last = tokenTimes.at(-1)
  if (first === undefined || last === undefined || tokenTimes.length < 2) return false
  if (tokenChunks === 1) return true
  const tokens = Math.max(tokenTimes.length, windowTokens(record) ?? 0)
  return tokens - 1 > (((last - first) * scale) / 1000) * IMPOSSIBLE_TPS
}

/** Tokens per second and its inverse, from `usage` only: (completion − 1) over the time from first to last token. */
function speedOf(record: RequestRecord, scale: number) {
  const { tokenTimes } = record
  const [first] = tokenTimes
  const last = tokenTimes.at(-1)
  const tokens = windowTokens(record)
  if (first === undefined || last === undefined || tokens === undefined || tokens < 2) return {}
  const window = (last - first) * scale
  if (!(window > 0) || isBuffered(record, scale)) return {}
  return {
    decode_tps: significant((tokens - 1) / (window / 1000), 6),
    tpot_ms: roundMs(window / (tokens - 1)),
  }
}

/** A prompt was counted, but no token of the answer. Where nothing was counted at all, there is nothing to contradict. */
function countsNoToken(usage: Usage | undefined): boolean {
  return usage?.completionTokens === 0 && usage.promptTokens !== 0
}

function flagsOf(record: RequestRecord, scale: number): readonly Flag[] {
  const { usage, tokenTimes } = record
  const simulatorLate = (record.simulatorLateMs ?? 0) > SIMULATOR_LATE_FLAG_MS
  const cachedOver =
    usage?.cachedTokens !== undefined &&
    usage.promptTokens !== undefined &&
    usage.cachedTokens > CACHED_FLAG_SHARE * usage.promptTokens
  const raised: readonly (readonly [Flag, boolean])[] = [
    ['lag', record.clientLagMs > LAG_FLAG_MS || simulatorLate],
    ['cached', cachedOver],
    ['batched', record.firstEventBatched],
    ['buffered', isBuffered(record, scale)],
    ['malformed', record.malformedEvents > 0],
    ['usage_inconsistent', usage?.inconsistent === true || (countsNoToken(usage) && tokenTimes.length > 0)],
  ]
  return raised.filter(([, up]) => up).map(([flag]) => flag)
}

/**
 * The row of one request: every metric derived from its raw times, rounded once (0.001 ms; speeds and ratios to 6 significant
 * digits), practice samples multiplied back to the provider's time. Pure: what the CSV holds is what is judged.
 */
export function deriveSample(facts: SampleFacts, record: RequestRecord): Sample {
  const { slot } = facts
  const { connection, sentAt, tokenTimes, usage } = record
  const scale = facts.timeScale ?? 1
  const provider = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : roundMs(ms * scale))
  const own = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : roundMs(ms))
  const since = (at: number | undefined): number | undefined =>
    at === undefined || sentAt === undefined ? undefined : roundMs((at - sentAt) * scale)
  const simulatorLate = record.simulatorLateMs ?? 0
  // The simulator's own delay bounds how far each of these times may be off, as ours does.
  const ownBound = simulatorLate > SIMULATOR_LATE_FLAG_MS ? simulatorLate : 0
  const firstTokenErrorMs =
    record.firstTokenErrorMs === undefined ? undefined : Math.max(record.firstTokenErrorMs, ownBound)

  const base = {
    run_id: facts.runId,
    plan: facts.plan,
    seq: slot.seq,
    round: slot.round,
    probe: slot.probe,
    target: slot.target,
    prompt: slot.prompt,
    model: facts.model,
    protocol: facts.protocol,
    labels: facts.labels,
    due_at: isoTime(slot.dueAt),
    started_at: isoTime(facts.startedAt),
    lateness_ms: roundMs(facts.startedAt - slot.dueAt),
    stale_retries: connection.staleRetries,
    client_lag_ms: roundMs(Math.max(record.clientLagMs, ownBound)),
    flags: flagsOf(record, scale),
    prompt_bytes: facts.promptBytes,
    nonce: facts.nonce,
    ...present({
      served_model: record.servedModel,
      region: facts.region ?? undefined,
      simulated: facts.timeScale ?? undefined,
      status: record.status,
      retry_after_ms: own(record.retryAfterMs),
      reused: connection.reused,
      http_version: connection.httpVersion,
      dns_ms: provider(connection.dnsMs),
      tcp_ms: provider(connection.tcpMs),
      tls_ms: provider(connection.tlsMs),
      connect_ms: provider(connection.connectMs),
      send_ms: record.writtenAt === undefined || sentAt === undefined ? undefined : own(record.writtenAt - sentAt),
      headers_ms: since(record.headersAt),
      first_chunk_ms: since(record.firstEventAt),
      ttft_ms: since(tokenTimes[0]),
      ttft_error_ms: own(firstTokenErrorMs),
      first_token_kind: record.firstTokenKind,
      first_answer_ms: since(record.firstAnswerAt),
      last_token_ms: since(tokenTimes.at(-1)),
      total_ms: since(record.endedAt),
      ...speedOf(record, scale),
      ...gapsOf(tokenTimes, scale),
      token_events: tokenTimes.length === 0 ? undefined : tokenTimes.length,
      tokens_per_event:
        tokenTimes.length === 0 || usage?.completionTokens === undefined
          ? undefined
          : significant(usage.completionTokens / tokenTimes.length, 6),
      prompt_tokens: usage?.promptTokens,
      completion_tokens: usage?.completionTokens,
      reasoning_tokens: usage?.reasoningTokens,
      cached_tokens: usage?.cachedTokens,
      finish_reason: record.finishReason,
      cost: costOf(usage, facts.price),
      request_id: record.requestId,
      prompt_tokens_raw: usage?.rawPromptTokens,
      completion_tokens_raw: usage?.rawCompletionTokens,
    }),
  }
  const { failure } = record
  return failure === null
    ? { ...base, outcome: 'ok' }
    : {
        ...base,
        outcome: 'error',
        error_kind: failure.kind,
        error_message: failure.message,
        ...(failure.class === undefined ? {} : { error_class: failure.class }),
      }
}
