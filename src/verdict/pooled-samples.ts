import type { Sample } from '../sample/types.ts'
import { isDelayed } from './client-delay.ts'
import { failuresByKind } from './failures.ts'
import { Observed } from './observed.ts'
import type { Favoured, Question } from './observed.ts'

/** Hours in the order of time, and which of them each sample started in. */
export interface Hours {
  /** UTC: `2026-12-01T03`. */
  readonly names: readonly string[]
  /** Of each sample, the index of its hour. */
  readonly of: Uint32Array
}

/** `2026-12-01T03` of an ISO time. */
const TO_THE_HOUR = 13

function hoursOf(samples: readonly Sample[]): Hours {
  const seen = new Map<string, number>()
  const found = Uint32Array.from(samples, ({ started_at }) => {
    const name = started_at.slice(0, TO_THE_HOUR)
    const known = seen.get(name) ?? seen.size
    seen.set(name, known)
    return known
  })
  const names = [...seen.keys()].sort()
  const places = new Map(names.map((name, place) => [name, place]))
  const order = [...seen.keys()].map((name) => places.get(name) ?? 0)
  return { names, of: found.map((hour) => order[hour] ?? 0) }
}

/** The samples of one pool, none of them aborted; what several budgets ask of them is worked out once. */
export class PooledSamples {
  readonly samples: readonly Sample[]
  readonly #observed = new Map<string, Observed>()
  #hours: Hours | undefined
  #failures: Readonly<Record<string, number>> | undefined
  #isDelayed: boolean | undefined

  constructor(samples: readonly Sample[]) {
    this.samples = samples
  }

  /** How many of them failed. */
  get failed(): number {
    return Object.values(this.failures).reduce((sum, count) => sum + count, 0)
  }

  /** Some stamp may be late, so that favourable times may differ from the measured ones. */
  get isDelayed(): boolean {
    this.#isDelayed ??= this.samples.some(isDelayed)
    return this.#isDelayed
  }

  /** When the samples started. */
  get hours(): Hours {
    this.#hours ??= hoursOf(this.samples)
    return this.#hours
  }

  /** Failed samples by kind, the most frequent first. */
  get failures(): Readonly<Record<string, number>> {
    this.#failures ??= failuresByKind(this.samples)
    return this.#failures
  }

  /**
   * What the samples answer.
   * @param favoured - `null`: as they were stamped; else with every time moved to the end of its bound that helps such limits
   */
  observed(question: Question, favoured: Favoured): Observed {
    const key = JSON.stringify([question, favoured])
    const known = this.#observed.get(key)
    if (known !== undefined) return known
    const observed = new Observed(this.samples, question, favoured)
    this.#observed.set(key, observed)
    return observed
  }
}
