import { isAscii } from 'node:buffer'
import { AwsFraming } from './aws-event-stream.ts'
import type { FrameCodec } from './aws-event-stream.ts'
import { JsonDocumentFraming } from './json-document.ts'
import { JsonLinesFraming } from './json-lines.ts'
import { SseFraming } from './sse.ts'
import { EVENT_LIMIT } from './types.ts'
import type { Framing, FramingSink } from './types.ts'

const BRACE = 123
const BRACKET = 91

/**
 * A body of any framing. Which it is, its first bytes tell: what a server says of the content type is too often wrong, and a proxy's
 * or a gateway's error comes as whatever it likes.
 */
export class BodyFraming {
  /** `undefined` until the first bytes have told. */
  kind: 'sse' | 'json-lines' | 'json-document' | 'aws-event-stream' | undefined
  readonly #sink: FramingSink
  readonly #codec: FrameCodec | undefined
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  /** The last byte was no part of a longer character: nothing is pending in the decoder. */
  #whole = true
  #begun = false
  #held: string[] = []
  #heldLength = 0
  #text: Framing<string> | undefined
  #frames: AwsFraming | undefined
  #document: JsonDocumentFraming | undefined

  /** @param codec - given where frames of AWS may come */
  constructor(sink: FramingSink, codec: FrameCodec | undefined) {
    this.#sink = sink
    this.#codec = codec
  }

  /** The end of the document proves that nothing is missing. */
  get closed(): boolean {
    return this.#document?.closed === true
  }

  /** @param chunk - not empty */
  feed(chunk: Buffer): void {
    if (this.#frames !== undefined) {
      this.#frames.feed(chunk)
      return
    }
    const first = !this.#begun
    this.#begun = true
    if (first && this.#codec !== undefined && chunk[0] === 0) {
      this.kind = 'aws-event-stream'
      this.#frames = new AwsFraming(this.#sink, this.#codec)
      this.#frames.feed(chunk)
      return
    }
    const plain = this.#whole && isAscii(chunk)
    const text = plain ? chunk.toString('latin1') : this.#decoder.decode(chunk, { stream: true })
    this.#whole = (chunk[chunk.length - 1] ?? 0) < 0x80
    this.#feedText(text)
  }

  end(): void {
    const rest = this.#frames === undefined ? this.#decoder.decode() : ''
    if (rest !== '') this.#feedText(rest)
    if (this.kind === undefined && this.#heldLength > 0) this.#useJson()
    this.#text?.end()
    this.#frames?.end()
  }

  #feedText(text: string): void {
    if (this.#text !== undefined) {
      this.#text.feed(text)
      return
    }
    // blank lines and a byte order mark may stand before anything
    const piece = this.#heldLength === 0 ? text.trimStart() : text
    if (piece === '') return
    this.#held.push(piece)
    this.#heldLength += piece.length
    if (this.#heldLength > EVENT_LIMIT) {
      this.#held = []
      this.#sink.tooMuch(`a line of more than ${EVENT_LIMIT} characters`)
      return
    }
    const first = this.#held[0]?.charCodeAt(0)
    if (first === BRACKET) this.#use('json-document')
    else if (first !== BRACE) this.#use('sse')
    // of an object, the first line tells whether it is one of many
    else if (piece.includes('\n')) this.#useJson()
  }

  #useJson(): void {
    const text = this.#held.join('')
    this.#held = [text]
    const lineEnd = text.indexOf('\n')
    this.#use(lineEnd >= 0 && isOpen(text.slice(0, lineEnd)) ? 'json-document' : 'json-lines')
  }

  #use(kind: 'sse' | 'json-lines' | 'json-document'): void {
    this.kind = kind
    if (kind === 'sse') this.#text = new SseFraming(this.#sink)
    else if (kind === 'json-lines') this.#text = new JsonLinesFraming(this.#sink)
    else this.#text = this.#document = new JsonDocumentFraming(this.#sink)
    this.#text.feed(this.#held.join(''))
    this.#held = []
  }
}

/** The first line of JSON that goes on in the next one. */
function isOpen(line: string): boolean {
  if (!/[{[,:]\s*$/.test(line)) return false
  try {
    JSON.parse(line)
    return false
  } catch {
    return true
  }
}
