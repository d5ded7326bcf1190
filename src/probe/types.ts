import type { Message, RealTarget, RequestSettings, TargetSpec } from '../spec/types.ts'
import type { Sample, Slot, TokenKind } from '../sample/types.ts'

/** What the coordinator hands to the prober's thread for one slot. Plain JSON; holds no secret, only names of variables. */
export interface AskOrder {
  readonly slot: Slot
  readonly runId: string
  readonly plan: string
  readonly target: TargetSpec
  /** Where to ask: the target's own base URL, or the simulator's. */
  readonly baseUrl: string
  readonly request: RequestSettings
  readonly messages: readonly Message[]
  readonly nonce: string
  readonly region: string | null
  readonly labels: Readonly<Record<string, string>>
  /** Sent to simulated targets only. */
  readonly simulation: SimulationOrder | null
  /** A discarded request before the first round: the sample is reported as a note at most. */
  readonly warmup: boolean
}

/** Headers `x-slo-cell`, `x-slo-k`, `x-slo-profile`, `x-slo-time-scale`, `x-slo-seed`, `x-slo-warmup` of a request to the simulator. */
interface SimulationOrder {
  /** `probe/target/prompt`, URI-encoded. */
  readonly cell: string
  /** The round; which point of the cell's sequence is drawn. */
  readonly k: number
  readonly profile: string
  readonly timeScale: number
  readonly seed: number
}

/** A target that will be asked. */
export interface InspectedTarget {
  /** `probe/target`. */
  readonly name: string
  readonly target: RealTarget
  /** `null`: not known. */
  readonly baseUrl: string | null
}

/** A mistake of ours or of the set-up that would keep a target from being asked; holds no secret. */
export interface TargetProblem {
  /** {@link InspectedTarget.name} */
  readonly neededBy: string
  readonly message: string
  readonly hint: string | undefined
}

/** The prober's thread, seen from the main thread. */
export interface Prober {
  /** Self-warm-up done; safe to call `ask`. */
  readonly ready: Promise<void>
  /** Before the first `ask`: what of the targets can be known to be wrong without a request. Nothing where `abort` cut it short. */
  inspect(targets: readonly InspectedTarget[]): Promise<readonly TargetProblem[]>
  /** One at a time. Resolves with the sample whatever the provider does; rejects only for what is our own (`PROBER_FAILED`, `CREDENTIAL_FAILED`). */
  ask(order: AskOrder): Promise<Sample>
  /** Cuts the request in flight: its sample comes out as `aborted`. */
  abort(): void
  close(): Promise<void>
}

/**
 * Token counts under one name each, as the provider wrote them; what it did not write is absent. Counts of later events are laid over
 * those of earlier ones, and the whole is made comparable at the end ({@link UsageRules}).
 */
export interface UsageCounts {
  readonly promptTokens?: number
  readonly completionTokens?: number
  readonly totalTokens?: number
  readonly reasoningTokens?: number
  /** Read from a cache. */
  readonly cachedTokens?: number
  /** Written to a cache. */
  readonly cacheWriteTokens?: number
}

/** How a wire format counts, where it differs from OpenAI's. */
export interface UsageRules {
  /** `promptTokens` leaves out what was read from and written to a cache. */
  readonly cacheApart?: boolean
  /** `completionTokens` leaves out reasoning. */
  readonly reasoningApart?: boolean
}

/** What one event of a stream means, whatever the provider calls it. Kinds in the order reasoning > answer > tool. */
export interface EventReading {
  /** Kinds with at least one non-empty generated string. */
  readonly tokens: readonly TokenKind[]
  /** Characters generated in this event, to tell whether it carries several tokens. */
  readonly characters: number
  /** Some of a tool call's arguments, not only its name. */
  readonly toolArguments?: true
  readonly usage?: UsageCounts
  readonly finishReason?: string
  readonly servedModel?: string
  readonly requestId?: string
  /** The stream's own end marker, as `[DONE]`. */
  readonly end?: true
  /** An error object inside the stream. */
  readonly error?: string
}

/** One event of a stream, however it was framed. */
export interface WireEvent {
  /** `data:` of an SSE event, a line of NDJSON, an element of a JSON array, the payload of a frame of AWS. */
  readonly data: string
  /** `event:` of SSE or `:event-type` of AWS; `error` for an exception of AWS. */
  readonly event: string | undefined
}

/** What a request is made from. */
export interface BodyOrder {
  readonly model: string
  readonly messages: readonly Message[]
  readonly request: RequestSettings
}

/**
 * One provider's wire format: pure, small, one file each. A user's own is a module with this as its default export, loaded by the
 * prober's thread as plain JavaScript or erasable TypeScript.
 */
export interface Protocol {
  /** The CSV's `protocol`. */
  readonly name: string
  /**
   * How the body comes by rights. What really comes is told by its first bytes. @default 'sse'
   */
  readonly framing?: 'sse' | 'ndjson' | 'aws-event-stream'
  /** The header that carries the key. @default 'authorization', as `Bearer` */
  readonly keyHeader?: string
  /** More headers of the request; those of the target win. */
  readonly headers?: Readonly<Record<string, string>>
  /** @default OpenAI's: the prompt with its cached part, the completion with its reasoning */
  readonly usage?: UsageRules
  /** Appended to the base URL; may have a query. */
  path(model: string): string
  /** `request.body` is laid over it by the prober. */
  body(order: BodyOrder): Record<string, unknown>
  /** `'malformed'`: not JSON, or no object; counted and passed over, as is an event at which it throws. */
  read(event: WireEvent): EventReading | 'malformed'
}
