/**
 * How far apart the ticks are, milliseconds. The distance is the least that the bound can be: with 2, every tenth request of a busy
 * machine is flagged though nothing stalled, with 1 none.
 */
const TICK_MS = 1

/** The worst bound on stamping delay since a request began. */
export interface LagMeasure {
  worst: number
}

/**
 * Bounds how late this thread stamps what arrives. A tick notes the time, and the poll phase after it reads everything that had
 * arrived by then: once that is done, the tick is confirmed, and whatever is read later arrived after it. It ticks only while
 * somebody measures; the ticks also keep the core awake, which makes stamps truer.
 */
export class LagWatch {
  #confirmed = 0
  #pending: number | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #measures = new Set<LagMeasure>()

  /** Starts a measure; end it with {@link end}. */
  begin(): LagMeasure {
    const measure: LagMeasure = { worst: 0 }
    if (this.#measures.size === 0) {
      // what is read from now on may have waited since the last poll: that is this turn of the loop
      this.#confirmed = performance.now()
      this.#pending = undefined
      this.#timer = setInterval(() => this.#tick(), TICK_MS)
    }
    this.#measures.add(measure)
    return measure
  }

  /** How late `now` may be as the stamp of something that has just been read. */
  bound(now: number): number {
    return now - this.#confirmed
  }

  /** Notes the bound of a stamp in a measure. */
  note(measure: LagMeasure, now: number): number {
    const bound = now - this.#confirmed
    if (bound > measure.worst) measure.worst = bound
    return bound
  }

  /** Ends a measure, with the bound at this moment. */
  end(measure: LagMeasure): number {
    this.note(measure, performance.now())
    this.#measures.delete(measure)
    if (this.#measures.size === 0) clearInterval(this.#timer)
    return measure.worst
  }

  #tick(): void {
    const now = performance.now()
    for (const measure of this.#measures) this.note(measure, now)
    if (this.#pending !== undefined) return
    this.#pending = now
    setImmediate(() => {
      if (this.#pending !== undefined) this.#confirmed = this.#pending
      this.#pending = undefined
    })
  }
}
