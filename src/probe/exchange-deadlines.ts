import type { ExchangeOrder } from './exchange-types.ts'
import type { Ending } from './outcome.ts'
import type { StreamReader } from './stream-reader.ts'

/**
 * Provider milliseconds that usage and end marker may come after the finish reason. Providers that count send it with the finish or in
 * the next packet; whatever is later has no use for the sample but its counts.
 */
const AFTER_FINISH_MS = 3000
/** Real milliseconds that the body's end may come after the end marker. */
const AFTER_END_MS = 500
/** Real milliseconds at least, whatever the time scale. */
const SHORTEST_GRACE_MS = 100
/** Milliseconds that the body of an error status may take. */
const STATUS_BODY_MS = 2000
/** Node fires a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

type Timeout = Extract<Ending, { readonly kind: 'timeout' }>['which']

/** How long a request may take to do what comes next, and how long its end is waited for. */
export class Deadlines {
  readonly #order: ExchangeOrder
  readonly #reader: StreamReader
  readonly #cut: (ending: Ending, endedAt?: number) => void
  #next: NodeJS.Timeout | undefined
  #total: NodeJS.Timeout | undefined
  #quiet: NodeJS.Timeout | undefined
  #tokens = 0
  #finishSeen = false
  #over = false

  /** @param cut - ends the request; `endedAt` where it was over before */
  constructor(order: ExchangeOrder, reader: StreamReader, cut: (ending: Ending, endedAt?: number) => void) {
    this.#order = order
    this.#reader = reader
    this.#cut = cut
  }

  /** The request was handed over; in case the clock never starts. */
  start(): void {
    clearTimeout(this.#total)
    this.#total = this.#timeout('total_timeout', this.#order.timeouts.total)
  }

  /** t₀ */
  sent(): void {
    this.start()
    this.#next = this.#timeout('first_token_timeout', this.#order.timeouts.firstToken)
  }

  /** Headers with a status that is no 200: only the message is still wanted. */
  refused(): void {
    clearTimeout(this.#next)
    this.#quiet = setTimeout(() => this.#cut({ kind: 'end' }), STATUS_BODY_MS)
  }

  /** The request has failed here; counts of tokens and the end marker may still follow. */
  errorEvent(): void {
    clearTimeout(this.#next)
    this.#quiet ??= setTimeout(() => this.#cut({ kind: 'end' }), AFTER_END_MS)
  }

  /** A token, counts, a finish reason or the end marker came. */
  signal(): void {
    const reader = this.#reader
    const before = this.#tokens
    this.#tokens = reader.tokenTimes.length
    const { stall } = this.#order.timeouts
    if (reader.finished) {
      clearTimeout(this.#next)
      const grace = Math.max(SHORTEST_GRACE_MS, AFTER_FINISH_MS / this.#order.timeScale)
      if (reader.ended) this.#waitForQuiet(Math.max(SHORTEST_GRACE_MS, AFTER_END_MS))
      else if (!this.#finishSeen) this.#waitForQuiet(grace)
      // tokens after it: a finish of one choice of several, or one that means nothing
      else if (this.#tokens > before) this.#waitForQuiet(Math.max(grace, stall))
      this.#finishSeen = true
      return
    }
    if (this.#tokens === 0) return
    clearTimeout(this.#next)
    this.#next = this.#timeout('stall_timeout', stall)
  }

  /** Nothing is waited for any more. */
  clear(): void {
    this.#over = true
    for (const timer of [this.#next, this.#total, this.#quiet]) clearTimeout(timer)
  }

  /** Nothing follows: the stream was over with the last thing that it said. */
  #waitForQuiet(ms: number): void {
    clearTimeout(this.#quiet)
    const quiet = (): void => this.#cut({ kind: 'end' }, this.#reader.lastSignalAt)
    this.#quiet = setTimeout(quiet, Math.min(ms, LONGEST_TIMER_MS))
  }

  #timeout(which: Timeout, ms: number): NodeJS.Timeout {
    const reader = this.#reader
    const tokens = reader.tokenTimes.length
    const { lastSignalAt } = reader
    const overtaken = (): boolean => {
      if (this.#over) return true
      if (which === 'total_timeout') return false
      if (reader.finished || reader.tokenTimes.length !== tokens) return true
      return which === 'stall_timeout' && reader.lastSignalAt !== lastSignalAt
    }
    return setTimeout(
      () => {
        // what arrived while this thread was busy is read before anything is called late
        setImmediate(() => {
          if (!overtaken()) this.#cut({ kind: 'timeout', which, ms: Math.round(ms * this.#order.timeScale) })
        })
      },
      Math.min(ms, LONGEST_TIMER_MS),
    )
  }
}
