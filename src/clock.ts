/** The clock that every stage is handed; nothing in `src/` reads the time in any other way. */
export interface Clock {
  /** Monotonic milliseconds; the origin is arbitrary, only differences mean anything. */
  now(): number
  /** Wall-clock milliseconds since 1970-01-01T00:00:00Z. */
  wall(): number
  /** Resolves after `ms` milliseconds of this clock; rejects with `signal.reason` when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Longest delay that a Node timer takes without firing at once (2³¹ − 1 ms). */
const LONGEST_TIMER_MS = 2_147_483_647

function sleepOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}

/** The real clock: `performance.now()` and `Date.now()` of the calling thread. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted()
    let left = ms
    while (left > 0) {
      const part = Math.min(left, LONGEST_TIMER_MS)
      await sleepOnce(part, signal)
      left -= part
    }
  },
}
