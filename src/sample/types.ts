import type { CellKey } from '../budget/types.ts'

/** One request, one {@link Sample}. Names are the columns of `samples.csv`; units are in the names; what does not exist is absent. */

export type ErrorKind =
  | 'dns'
  | 'connect'
  | 'tls'
  | 'connect_timeout'
  | 'http_status'
  | 'not_a_stream'
  | 'first_token_timeout'
  | 'stall_timeout'
  | 'total_timeout'
  | 'reset'
  | 'truncated'
  | 'error_event'
  | 'malformed'
  | 'empty'
  | 'oversize'
  | 'aborted'

/** What an error that somebody sent means, whatever its status: providers use one status for several things. */
export type ErrorClass =
  | 'auth'
  | 'bad_request'
  | 'content_filter'
  | 'context_length'
  | 'gateway'
  | 'not_found'
  | 'overloaded'
  | 'quota'
  | 'rate_limit'
  | 'server_error'

export type TokenKind = 'reasoning' | 'answer' | 'tool'

export type Flag = 'lag' | 'cached' | 'batched' | 'buffered' | 'malformed' | 'usage_inconsistent'

/** What the schedule asks for: one request. Plain JSON. */
export interface Slot extends CellKey {
  /** Counts from 0 in a run. */
  readonly seq: number
  /** Counts from 0 in a probe. */
  readonly round: number
  /** Wall-clock milliseconds: the grid point for the first request of a round, else the end of the request before. */
  readonly dueAt: number
}

/** What every sample has, whatever came of it. */
interface SampleBase {
  readonly run_id: string
  /** Hash of the plan. */
  readonly plan: string
  readonly seq: number
  readonly round: number
  readonly probe: string
  readonly target: string
  readonly prompt: string
  readonly model: string
  readonly served_model?: string
  readonly protocol: string
  readonly region?: string
  readonly labels: Readonly<Record<string, string>>
  /** Time scale of a practice sample; absent for a real one. */
  readonly simulated?: number
  /** UTC, ISO 8601, milliseconds. */
  readonly due_at: string
  readonly started_at: string
  readonly lateness_ms: number
  readonly status?: number
  readonly retry_after_ms?: number
  readonly reused?: boolean
  readonly stale_retries: number
  readonly http_version?: '1.1' | '2'
  readonly dns_ms?: number
  readonly tcp_ms?: number
  readonly tls_ms?: number
  readonly connect_ms?: number
  readonly send_ms?: number
  readonly headers_ms?: number
  readonly first_chunk_ms?: number
  readonly ttft_ms?: number
  readonly ttft_error_ms?: number
  readonly first_token_kind?: TokenKind
  readonly first_answer_ms?: number
  readonly last_token_ms?: number
  readonly total_ms?: number
  readonly decode_tps?: number
  readonly tpot_ms?: number
  readonly gap_p50_ms?: number
  readonly gap_p99_ms?: number
  readonly gap_max_ms?: number
  readonly token_events?: number
  readonly tokens_per_event?: number
  readonly prompt_tokens?: number
  readonly completion_tokens?: number
  readonly reasoning_tokens?: number
  readonly cached_tokens?: number
  readonly finish_reason?: string
  readonly cost?: number
  readonly client_lag_ms: number
  readonly flags: readonly Flag[]
  readonly prompt_bytes: number
  readonly nonce: string
  readonly request_id?: string
  /** As the provider wrote it, where `prompt_tokens` may hold more (its cached part). */
  readonly prompt_tokens_raw?: number
  /** As the provider wrote it, where `completion_tokens` may hold more (its reasoning). */
  readonly completion_tokens_raw?: number
}

export interface OkSample extends SampleBase {
  readonly outcome: 'ok'
}

export interface FailedSample extends SampleBase {
  readonly outcome: 'error'
  readonly error_kind: ErrorKind
  readonly error_message: string
  /** Of an error that somebody sent; absent where nobody spoke, or nothing is known of it. */
  readonly error_class?: ErrorClass
}

export type Sample = OkSample | FailedSample

/** Token counts as the provider reports them, made comparable: `completionTokens` includes reasoning. */
export interface Usage {
  readonly promptTokens?: number
  readonly completionTokens?: number
  readonly reasoningTokens?: number
  readonly cachedTokens?: number
  /** As the provider wrote them. */
  readonly rawPromptTokens?: number
  readonly rawCompletionTokens?: number
  /** The provider's own numbers contradict each other. */
  readonly inconsistent?: boolean
}

/**
 * The raw times of one request: monotonic milliseconds of the prober's thread, unscaled, unrounded. Metrics are derived
 * from it by `sample/metrics.ts`. A moment that did not come is absent.
 */
export interface RequestRecord {
  readonly connection: {
    /** The socket was open before this slot. `undefined`: there was no connection. */
    readonly reused?: boolean
    readonly staleRetries: number
    readonly httpVersion?: '1.1' | '2'
    /** Durations; absent where the phase did not happen. */
    readonly dnsMs?: number
    readonly tcpMs?: number
    readonly tlsMs?: number
    /** Opening (or trying to open) the connection. */
    readonly connectMs?: number
  }
  /** t₀. */
  readonly sentAt?: number
  /** The last byte of the request left our process. */
  readonly writtenAt?: number
  readonly headersAt?: number
  readonly status?: number
  readonly retryAfterMs?: number
  /** First event of any kind. */
  readonly firstEventAt?: number
  /** Arrival of every token event, ascending. */
  readonly tokenTimes: readonly number[]
  readonly firstTokenKind?: TokenKind
  readonly firstAnswerAt?: number
  /** Upper bound on how late the first token was stamped. */
  readonly firstTokenErrorMs?: number
  /** The first token event carried several tokens, as far as anybody can tell. */
  readonly firstEventBatched: boolean
  /** Distinct chunks that carried token events; 1 with several token events: the stream was buffered. */
  readonly tokenChunks: number
  readonly malformedEvents: number
  /** Reasoning was counted but never streamed: it is in no token event. @default false */
  readonly hiddenReasoning?: boolean
  /** End of the stream, or of the failure. */
  readonly endedAt?: number
  /** The largest bound on stamping delay between start and end. */
  readonly clientLagMs: number
  /** Worst lateness of the simulator's own waking and writing, real milliseconds; absent for real targets. */
  readonly simulatorLateMs?: number
  readonly usage?: Usage
  readonly finishReason?: string
  readonly servedModel?: string
  readonly requestId?: string
  /** `null`: the request succeeded. */
  readonly failure: { readonly kind: ErrorKind; readonly message: string; readonly class?: ErrorClass } | null
}

/** What a narrowed run left out, so that its CSV can be judged again as the run was. */
export interface RunSelection {
  /** Every cell of the probes, sampled or not, in the order of their declaration. */
  readonly cells: readonly CellKey[]
  /** Budgets' tests that were not selected. */
  readonly skipped: readonly (CellKey & { readonly budget: string })[]
}

/** First line of a run in `runs.jsonl`. */
export interface RunStart {
  readonly type: 'start'
  readonly run_id: string
  readonly plan: string
  readonly started_at: string
  /** The resolved seed of each probe. */
  readonly seeds: Readonly<Record<string, number>>
  /** Requests; `null` where the clock ends the run. */
  readonly planned: number | null
  /** Planned samples of each cell; `planned: null` as above. */
  readonly cells: readonly (CellKey & { readonly planned: number | null })[]
  /** `SLO_ROUNDS` and the like, as set. */
  readonly overrides: Readonly<Record<string, string>>
  readonly versions: Readonly<Record<string, string>>
  /** Currency by probe and target, where a price is given. */
  readonly currencies: readonly { readonly probe: string; readonly target: string; readonly currency: string }[]
  /** Absent where nothing was left out. */
  readonly selection?: RunSelection
}

/** Written each time an unfinished run goes on. */
export interface RunResume {
  readonly type: 'resume'
  readonly run_id: string
  readonly resumed_at: string
  readonly present: number
}

/** Last line of a run, or of one sitting of it. */
export interface RunEnd {
  readonly type: 'end'
  readonly run_id: string
  readonly ended_at: string
  readonly sampled: number
  readonly missed_rounds: number
  /** Everything that was planned was asked. */
  readonly complete: boolean
  readonly interrupted: boolean
  /** Why it ended early: `max-cost`, `write-failed`, `prober-died`, `worker-died` …; absent where it did not. */
  readonly reason?: string
  /** No budget of severity `fail` was breached or left unjudged: the run may serve as a baseline. Absent in lines of older versions. */
  readonly passed?: boolean
  /** `stop_early` ended it: complete, but its samples are no fair draw, and serve no window and no baseline. */
  readonly stopped_early?: boolean
  readonly notes: readonly {
    readonly code: string
    readonly message: string
    readonly probe?: string
    readonly target?: string
    readonly prompt?: string
  }[]
}

export type RunLine = RunStart | RunResume | RunEnd
