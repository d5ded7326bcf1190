import type { Message, RequestSettings, TargetSpec } from '../spec/types.ts'
import type { Sample, Slot, TokenKind, Usage } from '../sample/types.ts'

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

/** The prober's thread, seen from the main thread. */
export interface Prober {
  /** Self-warm-up done; safe to call `ask`. */
  readonly ready: Promise<void>
  /** One at a time. Resolves with the sample whatever the provider does; rejects only where the prober itself is broken (`PROBER_FAILED`). */
  ask(order: AskOrder): Promise<Sample>
  /** Cuts the request in flight: its sample comes out as `aborted`. */
  abort(): void
  close(): Promise<void>
}

/** What one event of a stream means, whatever the provider calls it. Kinds in the order reasoning > answer > tool. */
export interface EventReading {
  /** Kinds with at least one non-empty generated string. */
  readonly tokens: readonly TokenKind[]
  /** Characters generated in this event, to tell whether it carries several tokens. */
  readonly characters: number
  /** Merged into what was read before; the last object with numbers wins. */
  readonly usage?: Usage
  readonly finishReason?: string
  readonly servedModel?: string
  readonly requestId?: string
  /** The stream's own end marker, as `[DONE]`. */
  readonly end?: true
  /** An error object inside the stream. */
  readonly error?: string
}

/** One provider's wire format: pure, small, one file each. */
export interface Protocol {
  readonly name: string
  /** Appended to the base URL. */
  path(model: string): string
  body(order: {
    readonly model: string
    readonly messages: readonly Message[]
    readonly request: RequestSettings
  }): Record<string, unknown>
  /** `'malformed'`: not JSON, or no object; counted and passed over. */
  read(event: { readonly data: string; readonly event: string | undefined }): EventReading | 'malformed'
}
