import { isAscii } from 'node:buffer'
import { createParser } from 'eventsource-parser'
import type { TokenKind, Usage } from '../sample/types.ts'
import type { Protocol } from './types.ts'

/** Longest event, characters. */
export const EVENT_LIMIT = 32 * 1024 * 1024
/** Longest body, bytes after undoing a content coding. */
export const BODY_LIMIT = 256 * 1024 * 1024
/** Bytes of a body that are kept for a message. */
const HEAD_BYTES = 4096

const SIMULATOR_LATE = /^\s*slo-sim late_ms=(\d+(?:\.\d+)?)\s*$/

/**
 * Bytes of a stream → what they mean and when it came. Chunks may end anywhere: in a character, between CR and LF. Times are
 * those of the chunk that completed an event.
 */
export class StreamReader {
  readonly tokenTimes: number[] = []
  /** Bytes seen, comments included. */
  bytes = 0
  /** Dispatched events that meant something to the protocol, or nothing. */
  events = 0
  malformedEvents = 0
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
  /** Token events in the chunk of the first one. */
  firstChunkTokens = 0
  usage: Usage | undefined
  finishReason: string | undefined
  servedModel: string | undefined
  bodyId: string | undefined
  error: string | undefined
  /** The stream's own end marker came. */
  ended = false
  oversize: string | undefined
  simulatorLateMs: number | undefined
  /** Arrival of the last token, finish, usage or end event. */
  lastSignalAt: number | undefined
  /** The body's first bytes. */
  head: Buffer = Buffer.alloc(0)

  readonly #read: Protocol['read']
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  readonly #parser
  #at = 0
  #bound = 0
  /** The last byte was no part of a longer character: nothing is pending in the decoder. */
  #whole = true
  #flushing = false
  #dead = false

  /** @param simulated - comments of the simulator are read */
  constructor(protocol: Protocol, simulated: boolean) {
    this.#read = (event) => protocol.read(event)
    this.#parser = createParser({
      maxBufferSize: EVENT_LIMIT,
      onEvent: (event) => this.#onEvent(event.data, event.event),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#tooMuch(`an event of more than ${EVENT_LIMIT} characters`)
      },
      ...(simulated ? { onComment: (comment: string) => this.#onComment(comment) } : {}),
    })
  }

  /** Something came that ends the request: nothing more is read. */
  get over(): boolean {
    return this.ended || this.error !== undefined || this.oversize !== undefined
  }

  /** The provider has said why it stopped, or that it did. */
  get finished(): boolean {
    return this.ended || this.finishReason !== undefined
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
    const plain = this.#whole && isAscii(chunk)
    const text = plain ? chunk.toString('latin1') : this.#decoder.decode(chunk, { stream: true })
    this.#whole = (chunk[chunk.length - 1] ?? 0) < 0x80
    this.#parser.feed(text)
  }

  /** The body has ended: an event without its blank line counts if it is whole. */
  flush(): void {
    if (this.#dead) return
    this.#flushing = true
    const rest = this.#decoder.decode()
    if (rest !== '') this.#parser.feed(rest)
    if (!this.#dead) this.#parser.feed('\n\n\n')
    this.#dead = true
  }

  /** The head looks like something else than a stream of events. */
  get looksForeign(): boolean {
    const text = this.head
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .trimStart()
    return /^[{[<"]/.test(text) || (this.events === 0 && text !== '' && !/^(?:data|event|id|retry|:)/m.test(text))
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

  #onEvent(data: string, event: string | undefined): void {
    if (this.ended) return
    const at = this.#at
    const reading = this.#read({ data, event })
    if (reading === 'malformed') {
      if (this.#flushing) {
        this.halfEvent = true
        return
      }
      this.malformedEvents += 1
      this.firstEventAt ??= at
      return
    }
    this.firstEventAt ??= at
    this.events += 1
    if (reading.tokens.length > 0) this.#onTokens(reading.tokens, reading.characters)
    if (reading.usage !== undefined) this.usage = { ...this.usage, ...reading.usage }
    if (reading.finishReason !== undefined) this.finishReason = reading.finishReason
    this.servedModel ??= reading.servedModel
    this.bodyId ??= reading.requestId
    if (reading.error !== undefined) this.error ??= reading.error
    if (reading.end === true) this.ended = true
    if (
      reading.tokens.length > 0 ||
      reading.usage !== undefined ||
      reading.finishReason !== undefined ||
      reading.end === true
    )
      this.lastSignalAt = at
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
    if (first === undefined || first === at) this.firstChunkTokens += 1
    this.tokenTimes.push(at)
    this.characters += characters
    if (kinds.includes('answer')) this.firstAnswerAt ??= at
    if (kinds.includes('reasoning')) this.reasoned = true
  }
}
