const TICK_MS = 2
/** A delay below this is the tick's own graininess. */
const GRAIN_MS = 5

/**
 * Bounds how long something may have waited before this process noticed it. A tick proves itself by a poll after it: what
 * is noticed at `now` arrived after the last such poll.
 */
export class StallWatch {
  #confirmed = performance.now()
  #pending: number | undefined
  readonly #timer: NodeJS.Timeout

  constructor() {
    this.#timer = setInterval(() => {
      if (this.#pending !== undefined) return
      this.#pending = performance.now()
      setImmediate(() => {
        this.#confirmed = this.#pending ?? this.#confirmed
        this.#pending = undefined
      })
    }, TICK_MS)
    this.#timer.unref()
  }

  /** Milliseconds that something noticed at `now` may have waited; 0 where that is no more than the tick's grain. */
  lateness(now: number): number {
    const bound = now - this.#confirmed
    return bound > GRAIN_MS ? bound : 0
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
