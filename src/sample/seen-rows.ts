import { SloError } from '../errors.ts'

import type { Sample } from './types.ts'

/** Refuses a request that stands twice in a file: it would count twice. */
export class SeenRows {
  readonly #file: string
  readonly #runs = new Map<string, Set<number>>()

  constructor(file: string) {
    this.#file = file
  }

  /** @throws SloError `SAMPLES_UNREADABLE` */
  add({ run_id, seq }: Pick<Sample, 'run_id' | 'seq'>, line: number): void {
    let seen = this.#runs.get(run_id)
    if (seen === undefined) {
      seen = new Set()
      this.#runs.set(run_id, seen)
    }
    if (seen.has(seq)) {
      throw new SloError(
        'SAMPLES_UNREADABLE',
        `${this.#file}:${line}: request ${seq} of run ${run_id} stands twice: it would count twice`,
        { hint: 'remove one of the rows, or move the file away', facts: { file: this.#file, line } },
      )
    }
    seen.add(seq)
  }
}
