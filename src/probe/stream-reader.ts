import { messageOf } from '../errors.ts'
import type { TokenKind, Usage } from '../sample/types.ts'
import { BodyFraming } from './framing/index.ts'
import type { FrameCodec } from './framing/index.ts'
import type { EventReading, Protocol, UsageCounts, WireEvent } from './types.ts'
import { comparableUsage, mergeCounts } from './usage.ts'

/** Longest body, bytes after undoing a content coding. */
export const BODY_LIMIT = 256 * 1024 * 1024
/** Bytes of a body that are kept for a message. */
const HEAD_BYTES = 4096

const SIMULATOR_LATE = /^\s*slo-sim late_ms=(\d+(?:\.\d+)?)\s*$/

/** How a stream is read, beside its protocol. */
export interface ReaderOptions {
  /** Comments of the simulator are read. @default false */
  readonly simulated?: boolean
  /** For a protocol whose framing needs it. */
  readonly codec?: FrameCodec | undefined
  /** Is told of everything that was read; `index` is `null` for what is no event. */
  readonly observe?: ReadingObserver | undefined
}

/** @param index - of the event, from 0; `null`: JSON outside of all events */
export type ReadingObserver = (reading: EventReading | 'malformed', index: number | null, event: WireEvent) => void

/**
 * Bytes of a stream → what they mean and when it came. Chunks may end anywhere: in a character, between CR and LF. Times are
 * those of the chunk that completed an event.
 */
export class StreamReader {
  readonly tokenTimes: number[] = []
  /** Bytes seen, comments included. */
  bytes = 0
  /** Dispatched events, whatever they meant. */
  events = 0
  /** Events that said something to the protocol. */
  meaningful = 0
  malformedEvents = 0
  /** How the protocol first tripped over an event. */
  misreading: string | undefined
  /** The last event was cut off by the end of the body. */
  halfEvent = false
  firstEventAt: number | undefined
  firstTokenKind: TokenKind | undefined
  firstTokenErrorMs: number | undefined
  firstAnswerAt: number | undefined
  /** Characters of the first token event, and of all. */
  firstCharacters = 0
  characters = 0
  reasoned = false
  tokenChunks = 0
  finishReason: string | undefined
  servedModel: string | undefined
  bodyId: string | undefined
  error: string | undefined
  /** What the error stood in, as it came. */
  errorSource: string | undefined
  /** Arrival of what the error stood in. */
  errorAt: number | undefined
  /** The stream's own end marker came. */
  ended = false
  oversize: string | undefined
  simulatorLateMs: number | undefined
  /** Arrival of the last token, finish, usage or end event. */
  lastSignalAt: number | undefined
  /** The body's first bytes. */
  head: Buffer = Buffer.alloc(0)

  readonly #protocol: Protocol
  readonly #observe: ReadingObserver | undefined
  readonly #framing: BodyFraming
  #counts: UsageCounts | undefined
  #at = 0
  #bound = 0
  #flushing = false
  #dead = false

  constructor(protocol: Protocol, { simulated = false, codec, observe }: ReaderOptions = {}) {
    this.#protocol = protocol
    this.#observe = observe
    this.#framing = new BodyFraming(
      {
        event: (event) => this.#onEvent(event),
        stray: (event) => this.#onStray(event),
        malformed: () => this.#onMalformed({ data: '', event: undefined }),
        tooMuch: (what) => this.#tooMuch(what),
        ...(simulated ? { comment: (text: string) => this.#onComment(text) } : {}),
      },
      codec,
    )
  }

  /** Something came that ends the request: nothing more is read. */
  get over(): boolean {
    return this.ended || this.error !== undefined || this.oversize !== undefined
  }

  /** The provider has said why it stopped, or that it did. */
  get finished(): boolean {
    return this.ended || this.finishReason !== undefined || (this.#framing.closed && this.tokenTimes.length > 0)
  }

  /** Objects of JSON came where another framing was due. */
  get #isBareJson(): boolean {
    return this.#framing.kind === 'json-lines' && this.#protocol.framing !== 'ndjson'
  }

  /** Token counts made comparable. */
  get usage(): Usage | undefined {
    return comparableUsage(this.#counts, this.#protocol.usage)
  }

  /**
   * @param at - arrival of the chunk
   * @param bound - how late that stamp may be
   */
  feed(chunk: Buffer, at: number, bound: number): void {
    if (this.#dead || chunk.length === 0) return
    if (this.head.length < HEAD_BYTES)
      this.head = Buffer.concat([this.head, chunk.subarray(0, HEAD_BYTES - this.head.length)])
    this.bytes += chunk.length
    if (this.bytes > BODY_LIMIT) {
      this.#tooMuch(`a body of more than ${BODY_LIMIT} bytes`)
      return
    }
    this.#at = at
    this.#bound = bound
    this.#framing.feed(chunk)
  }

  /** The body has ended: an event without its blank line counts if it is whole. */
  flush(): void {
    if (this.#dead) return
    this.#flushing = true
    this.#framing.end()
    this.#dead = true
  }

  /** The body is something else than a stream of events: a page, or one answer in JSON though a stream was asked for. */
  get looksForeign(): boolean {
    const { kind } = this.#framing
    if (this.#isBareJson && this.events <= 1) return true
    if (kind === 'json-lines' || kind === 'json-document') return this.meaningful === 0
    if (kind !== 'sse' || this.events > 0) return false
    const text = this.head.toString('utf8').trimStart()
    return text !== '' && (/^[<"]/.test(text) || !/^(?:data|event|id|retry|:)/m.test(text))
  }

  /** The first bytes are not all of the body. */
  get headCut(): boolean {
    return this.bytes > this.head.length
  }

  #tooMuch(what: string): void {
    this.oversize ??= what
    this.#dead = true
  }

  #onComment(comment: string): void {
    const late = SIMULATOR_LATE.exec(comment)?.[1]
    if (late !== undefined) this.simulatorLateMs = Math.max(this.simulatorLateMs ?? 0, Number(late))
  }

  /** An event that a user's own protocol trips over, or gives no reading of, is no reason to lose the rest. */
  #reading(event: WireEvent): EventReading | 'malformed' {
    try {
      return this.#protocol.read(event)
    } catch (error) {
      this.misreading ??= messageOf(error)
      return 'malformed'
    }
  }

  /** JSON that stands in no event says something only where it is an error; where it is all there is, the body is no stream. */
  #onStray(event: WireEvent): void {
    const reading = this.#reading(event)
    if (reading === 'malformed' || reading.error === undefined) return
    this.#observe?.(reading, null, event)
    if (this.#framing.kind === 'sse') this.#onError(reading.error, event)
  }

  #onError(error: string, { data }: WireEvent): void {
    if (this.over) return
    this.error = error
    this.errorSource = data
    this.errorAt = this.#at
  }

  #onMalformed(event: WireEvent): void {
    this.#observe?.('malformed', this.events, event)
    this.events += 1
    if (this.#flushing) {
      this.halfEvent = true
      return
    }
    this.firstEventAt ??= this.#at
    if (!this.over) this.malformedEvents += 1
  }

  #onEvent(event: WireEvent): void {
    const at = this.#at
    const reading = this.#reading(event)
    if (reading === 'malformed') {
      this.#onMalformed(event)
      return
    }
    const { tokens, usage, finishReason, error, end } = reading
    if (error !== undefined && this.meaningful === 0 && this.#isBareJson) {
      this.#observe?.(reading, null, event)
      return
    }
    this.#observe?.(reading, this.events, event)
    this.firstEventAt ??= at
    this.events += 1
    // what comes after the end or an error is not measured; the counts may be
    if (usage !== undefined) this.#counts = mergeCounts(this.#counts, usage)
    if (this.ended || this.error !== undefined) {
      if (end === true) this.ended = true
      return
    }
    if (tokens.length > 0) this.#onTokens(tokens, reading.characters)
    if (finishReason !== undefined) this.finishReason = finishReason
    this.servedModel ??= reading.servedModel
    this.bodyId ??= reading.requestId
    if (error !== undefined) this.#onError(error, event)
    if (end === true) this.ended = true
    const signal = tokens.length > 0 || usage !== undefined || finishReason !== undefined || end === true
    if (signal) this.lastSignalAt = at
    if (signal || error !== undefined) this.meaningful += 1
  }

  #onTokens(kinds: readonly TokenKind[], characters: number): void {
    const at = this.#at
    const first = this.tokenTimes[0]
    if (first === undefined) {
      this.firstTokenKind = kinds[0]
      this.firstTokenErrorMs = this.#bound
      this.firstCharacters = characters
    }
    if (this.tokenTimes.at(-1) !== at) this.tokenChunks += 1
    this.tokenTimes.push(at)
    this.characters += characters
    if (kinds.includes('answer')) this.firstAnswerAt ??= at
    if (kinds.includes('reasoning')) this.reasoned = true
  }
}
