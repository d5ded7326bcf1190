import type { CellKey } from '../budget/types.ts'

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
