import type { CellKey } from '../budget/types.ts'
import type { Slot } from '../sample/types.ts'

/** What the schedule knows of one probe: plain JSON. */
export interface ScheduledProbe {
  readonly probe: string
  /** The selected cells, in declaration order. */
  readonly cells: readonly CellKey[]
  /** Milliseconds of wall clock, already divided by a time scale where that applies; 0: back to back. */
  readonly everyMs: number
  /** One of `rounds` and `forMs` is a number, the other `null`. */
  readonly rounds: number | null
  /** Milliseconds of wall clock. */
  readonly forMs: number | null
  readonly seed: number
}

/** What the queue needs of a row that is present already; a sample fits. */
export interface PresentRow extends CellKey {
  readonly round: number
  readonly seq: number
  /** Tells how many rounds had been missed before the last one, where no later one will. */
  readonly due_at?: string
}

/** Where a queue starts, or goes on. All instants are wall-clock milliseconds. */
export interface QueueStart {
  /** Origin of the grid: the start of the run, not of this sitting. */
  readonly startedAt: number
  /** Rows of this run that count (`aborted` ones do not); absent in a new run. */
  readonly resume?: readonly PresentRow[]
  /** Start of this sitting; absent in a new run. @default startedAt where `resume` is given */
  readonly resumedAt?: number
  /** First `seq` to give. @default one more than the largest in `resume`, or 0 */
  readonly nextSeq?: number
}

/** What to do now. `until` is wall-clock milliseconds: ask again then, or earlier. */
export type QueueStep =
  | { readonly kind: 'slot'; readonly slot: Slot }
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'done' }

/** The order of a run: no clock inside, the same answers for the same questions. */
export interface SlotQueue {
  /**
   * The next thing to do. A slot counts as asked once it is returned; call again when its request has ended.
   * @param now - wall-clock milliseconds; may jump
   * @param previousEndedAt - end of the request of the slot before; `null` before the first one of this sitting
   */
  next(now: number, previousEndedAt: number | null): QueueStep
  /** Grid points of this run, earlier sittings included, that passed without a round. */
  missedRounds(): number
  missedByProbe(): Readonly<Record<string, number>>
  /** Requests of the whole run; `null` where the clock alone ends it. */
  readonly planned: number | null
}
