import { EVENT_LIMIT } from './types.ts'
import type { Framing, FramingSink } from './types.ts'

/** Newline-delimited JSON: every line that is not blank is an event. */
export class JsonLinesFraming implements Framing<string> {
  readonly #sink: FramingSink
  #pending: string[] = []
  #length = 0

  constructor(sink: FramingSink) {
    this.#sink = sink
  }

  feed(text: string): void {
    let from = 0
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      this.#pending.push(text.slice(from, at))
      from = at + 1
      this.#line()
    }
    if (from >= text.length) return
    this.#pending.push(from === 0 ? text : text.slice(from))
    this.#length += text.length - from
    if (this.#length <= EVENT_LIMIT) return
    this.#pending = []
    this.#sink.tooMuch(`a line of more than ${EVENT_LIMIT} characters`)
  }

  end(): void {
    this.#line()
  }

  #line(): void {
    const line = this.#pending.join('')
    this.#pending = []
    this.#length = 0
    if (line.trim() !== '') this.#sink.event({ data: line, event: undefined })
  }
}
