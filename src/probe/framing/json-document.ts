import { EVENT_LIMIT } from './types.ts'
import type { Framing, FramingSink } from './types.ts'

const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/**
 * One JSON document, printed over as many lines as it likes: the elements of an array are events as soon as each is closed; an object is no
 * event but a body of its own.
 */
export class JsonDocumentFraming implements Framing<string> {
  readonly #sink: FramingSink
  /** The array was closed: nothing is missing. */
  closed = false
  #array: boolean | undefined
  #depth = 0
  #inString = false
  #escaped = false
  #pending: string[] = []
  #length = 0

  constructor(sink: FramingSink) {
    this.#sink = sink
  }

  feed(text: string): void {
    if (this.closed) return
    let from = 0
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false
        else if (code === BACKSLASH) this.#escaped = true
        else if (code === QUOTE) this.#inString = false
        continue
      }
      if (code === QUOTE) this.#inString = true
      else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        this.#array ??= code === OPEN_BRACKET
        this.#depth += 1
        if (this.#array && this.#depth === 1) from = at + 1
      } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        this.#depth -= 1
        const base = this.#array === true ? 1 : 0
        if (this.#depth === base) {
          this.#take(text.slice(from, at + 1))
          from = at + 1
        } else if (this.#depth < base) {
          this.#take(text.slice(from, at))
          this.closed = true
          return
        }
      } else if (code === COMMA && this.#array === true && this.#depth === 1) {
        this.#take(text.slice(from, at))
        from = at + 1
      }
    }
    this.#keep(from === 0 ? text : text.slice(from))
  }

  end(): void {
    if (!this.closed) this.#take('')
    this.closed = this.closed || this.#array === false
  }

  #keep(text: string): void {
    if (text === '') return
    this.#pending.push(text)
    this.#length += text.length
    if (this.#length <= EVENT_LIMIT) return
    this.#pending = []
    this.#length = 0
    this.closed = true
    this.#sink.tooMuch(`an element of more than ${EVENT_LIMIT} characters`)
  }

  #take(text: string): void {
    const whole = (this.#pending.length === 0 ? text : this.#pending.join('') + text).trim()
    this.#pending = []
    this.#length = 0
    if (whole === '') return
    if (this.#array === true) this.#sink.event({ data: whole, event: undefined })
    else this.#sink.stray({ data: whole, event: undefined })
  }
}
