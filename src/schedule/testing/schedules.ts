import type { Slot } from '../../sample/types.ts'
import type { ScheduledProbe, SlotQueue } from '../types.ts'

/** A probe of so many cells; by default 3 rounds, every 1000 ms. */
export function scheduled(
  probe: string,
  plan: { readonly cells?: number } & Partial<Omit<ScheduledProbe, 'probe' | 'cells'>> = {},
): ScheduledProbe {
  const { cells = 2, ...rest } = plan
  return {
    probe,
    cells: Array.from({ length: cells }, (_, index) => ({ probe, target: `t${index}`, prompt: 'p' })),
    everyMs: 1000,
    rounds: 3,
    forMs: null,
    seed: 7,
    ...rest,
  }
}

/** A request as it was made. */
export interface Asked {
  readonly slot: Slot
  readonly startedAt: number
  readonly endedAt: number
}

/** A wall clock and requests that take their time, for a queue that has neither. */
export class Simulation {
  readonly asked: Asked[] = []
  /** Every instant until which the queue wanted to wait. */
  readonly waits: number[] = []
  now: number
  #previousEndedAt: number | null = null
  readonly #queue: SlotQueue
  readonly #lasts: (slot: Slot) => number

  constructor(queue: SlotQueue, now: number, lasts: (slot: Slot) => number) {
    this.#queue = queue
    this.now = now
    this.#lasts = lasts
  }

  /** One step; `false` once the queue is done. */
  step(): boolean {
    const step = this.#queue.next(this.now, this.#previousEndedAt)
    if (step.kind === 'done') return false
    if (step.kind === 'wait') {
      this.waits.push(step.until)
      this.now = Math.max(this.now, step.until)
      return true
    }
    const startedAt = this.now
    this.now += this.#lasts(step.slot)
    this.#previousEndedAt = this.now
    this.asked.push({ slot: step.slot, startedAt, endedAt: this.now })
    return true
  }

  /** Runs to the end, or until so many requests were made. */
  run(requests = Number.POSITIVE_INFINITY): this {
    let steps = 0
    while (this.asked.length < requests && this.step()) {
      steps += 1
      if (steps > 100_000) throw new Error('the queue does not end')
    }
    return this
  }
}
