import type { CellKey } from '../budget/types.ts'
import { firstPointFrom, gridPoint } from './grid.ts'
import { plannedRounds } from './planned.ts'
import { seededRandom } from './random.ts'
import type { ScheduledProbe } from './types.ts'

/** One request of a round that is not asked yet. `key` is uniform in [0, 1): sorting by it shuffles, whichever rounds are mixed. */
export interface RoundCell {
  readonly cell: CellKey
  readonly round: number
  readonly key: number
}

/** Names do not hold NUL: unambiguous. */
export function cellId(cell: CellKey): string {
  return `${cell.probe}\0${cell.target}\0${cell.prompt}`
}

/** Where one probe stands: which round is next and when. Knows no clock; every instant is handed in, wall-clock milliseconds. */
export class ProbeRounds {
  readonly probe: ScheduledProbe
  readonly #startedAt: number
  readonly #endsAt: number
  readonly #rounds: number
  readonly #cells: readonly CellKey[]
  #nextRound = 0
  /** Grid index of the next round; unused without a grid. */
  #index = 0
  #due: number
  #missed = 0

  constructor(probe: ScheduledProbe, startedAt: number) {
    this.probe = probe
    this.#startedAt = startedAt
    this.#due = startedAt
    this.#rounds = probe.cells.length === 0 ? 0 : (probe.rounds ?? Number.POSITIVE_INFINITY)
    this.#endsAt = probe.rounds === null ? startedAt + Math.round(probe.forMs ?? 0) : Number.POSITIVE_INFINITY
    // Not the order of declaration: a resumed run shuffles alike even if its spec was tidied up meanwhile.
    this.#cells = [...probe.cells].sort((left, right) => (cellId(left) < cellId(right) ? -1 : 1))
  }

  /** Grid points that passed without a round, since the run's start. */
  get missed(): number {
    return this.#missed
  }

  /** When the next round is due; `null` once no further round will start. */
  dueAt(now: number): number | null {
    if (this.#nextRound >= this.#rounds) return null
    if (now >= this.#endsAt || this.#due >= this.#endsAt) {
      this.#finish()
      return null
    }
    // In step, the next round is due at once or, with a grid, less than two periods away. If not, the wall clock was set back, and
    // waiting until it has caught up would be a hang.
    if (!this.#hasGrid()) this.#due = Math.min(this.#due, now)
    else if (this.#due - now > 2 * this.probe.everyMs) this.#moveTo(firstPointFrom(this.#grid(), now))
    return this.#due
  }

  /** Starts the next round and gives its cells in the order of their keys, which depends on seed, probe and round only. */
  begin(): RoundCell[] {
    const round = this.#nextRound
    this.#nextRound += 1
    return this.cellsOf(round)
  }

  cellsOf(round: number): RoundCell[] {
    const random = seededRandom(this.probe.seed, 'round', this.probe.probe, round)
    return this.#cells.map((cell) => ({ cell, round, key: random() })).sort((left, right) => left.key - right.key)
  }

  /** The round's last request has ended: the next one is due at the next point of the grid, those between are missed. */
  roundEnded(endedAt: number): void {
    if (!this.#hasGrid()) {
      this.#due = endedAt
      return
    }
    const asked = this.#index
    const next = firstPointFrom(this.#grid(), endedAt)
    const setBack = gridPoint(this.#grid(), asked) - endedAt > this.probe.everyMs
    this.#moveTo(setBack ? next : Math.max(next, asked + 1))
    // Points before the one just asked are counted already; after the last round none is missed any more.
    if (this.#nextRound < this.#rounds) this.#countMissed(asked + 1, this.#index)
  }

  /**
   * A new sitting: rounds below `nextRound` have begun, later ones go on at the next point of the grid.
   * @param lastDueAt - when the last round that has begun was due, if anybody knows
   */
  resume(nextRound: number, resumedAt: number, lastDueAt: number | null): void {
    this.#nextRound = nextRound
    if (!this.#hasGrid()) {
      this.#due = Math.max(resumedAt, this.#startedAt)
      return
    }
    this.#moveTo(Math.max(0, firstPointFrom(this.#grid(), resumedAt)))
    if (this.#nextRound < this.#rounds) this.#countMissed(nextRound, this.#index)
    else if (lastDueAt !== null) this.#countMissed(nextRound, firstPointFrom(this.#grid(), lastDueAt) + 1)
  }

  /** Points that passed between resuming and the completion of a cut round are missed too. Only with a grid. */
  cutRoundEnded(endedAt: number): void {
    const from = this.#index
    this.#moveTo(Math.max(from, firstPointFrom(this.#grid(), endedAt)))
    if (this.#nextRound < this.#rounds) this.#countMissed(from, this.#index)
  }

  #hasGrid(): boolean {
    return this.probe.everyMs > 0
  }

  #grid(): { startedAt: number; everyMs: number } {
    return { startedAt: this.#startedAt, everyMs: this.probe.everyMs }
  }

  #moveTo(index: number): void {
    this.#index = index
    this.#due = gridPoint(this.#grid(), index)
  }

  /** `for:` plans the points before its end, and no more can be missed. */
  #countMissed(from: number, to: number): void {
    const limit = this.probe.rounds === null ? (plannedRounds(this.probe) ?? 0) : to
    this.#missed += Math.max(0, Math.min(to, limit) - from)
  }

  #finish(): void {
    if (this.#hasGrid()) this.#countMissed(this.#index, Number.POSITIVE_INFINITY)
    this.#nextRound = this.#rounds
  }
}
