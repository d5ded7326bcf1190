import { createParser } from 'eventsource-parser'
import { EVENT_LIMIT } from './types.ts'
import type { Framing, FramingSink } from './types.ts'

/** Stray lines that may make up one JSON value, and their characters. */
const STRAY_LINES = 200
const STRAY_LENGTH = 64 * 1024

/** Server-sent events. The parser is given whole lines only, so that it sees the same whatever the chunks are. */
export class SseFraming implements Framing<string> {
  readonly #sink: FramingSink
  readonly #parser
  /** Pieces of the line that has no end yet. */
  #pending: string[] = []
  #pendingLength = 0
  #stray = ''
  #strayLines = 0
  #dead = false

  constructor(sink: FramingSink) {
    this.#sink = sink
    this.#parser = createParser({
      maxBufferSize: EVENT_LIMIT,
      onEvent: (event) => {
        // by the policy of most clients an event without data is none
        if (event.data !== '') sink.event({ data: event.data, event: event.event })
      },
      onError: ({ type, field, value, line }) => {
        if (type === 'max-buffer-size-exceeded') this.#overflow()
        else if (type === 'unknown-field') this.#onStray(field ?? '', value ?? '', line ?? '')
      },
      ...(sink.comment === undefined ? {} : { onComment: (text: string) => sink.comment?.(text) }),
    })
  }

  feed(text: string): void {
    if (this.#dead || text === '') return
    const last = text.charCodeAt(text.length - 1)
    const end = last === 10 || last === 13 ? text.length : Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
    if (end === 0) {
      this.#keep(text)
      return
    }
    const lines = end === text.length ? text : text.slice(0, end)
    if (this.#pendingLength === 0) this.#parser.feed(lines)
    else {
      const whole = this.#pending.join('') + lines
      this.#pending = []
      this.#pendingLength = 0
      this.#parser.feed(whole)
    }
    if (end < text.length) this.#keep(text.slice(end))
  }

  end(): void {
    this.feed('\n\n\n')
    this.#dead = true
  }

  #keep(text: string): void {
    if (this.#dead) return
    this.#pending.push(text)
    this.#pendingLength += text.length
    if (this.#pendingLength > EVENT_LIMIT) this.#overflow()
  }

  #overflow(): void {
    this.#dead = true
    this.#pending = []
    this.#sink.tooMuch(`an event of more than ${EVENT_LIMIT} characters`)
  }

  /** A line that is no field: `error: {…}` of some servers, or JSON that was put between the events, perhaps over several lines. */
  #onStray(field: string, value: string, line: string): void {
    if (field === 'error') {
      this.#sink.stray({ event: 'error', data: value })
      return
    }
    if (this.#stray === '' && !line.trimStart().startsWith('{')) return
    this.#stray += `${line}\n`
    this.#strayLines += 1
    const text = this.#stray
    const closes = line.trimEnd().endsWith('}')
    const whole = closes && isJson(text)
    if (whole || this.#strayLines >= STRAY_LINES || text.length > STRAY_LENGTH) {
      this.#stray = ''
      this.#strayLines = 0
    }
    if (whole) this.#sink.stray({ event: undefined, data: text })
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
