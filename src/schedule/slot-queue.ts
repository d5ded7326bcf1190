import { plannedSamples } from './planned.ts'
import { cellId, ProbeRounds } from './probe-rounds.ts'
import type { RoundCell } from './probe-rounds.ts'
import type { PresentRow, QueueStart, QueueStep, ScheduledProbe, SlotQueue } from './types.ts'

/** A request that waits its turn in the batch. */
interface Turn extends RoundCell {
  readonly of: ProbeRounds
  /** The grid point, for the first request of a round; `null`: due when the one before ends. */
  readonly due: number | null
  /** No further request of its round (of its cut rounds) follows. */
  readonly last: boolean
  readonly cut: boolean
}

function turnsOfRound(of: ProbeRounds, due: number): Turn[] {
  const cells = of.begin()
  return cells.map((cell, place) => ({
    ...cell,
    of,
    due: place === 0 ? due : null,
    last: place === cells.length - 1,
    cut: false,
  }))
}

/** What is left of the rounds that have begun; puts the probe where it goes on afterwards. */
function turnsLeft(of: ProbeRounds, rows: readonly PresentRow[], resumedAt: number): Turn[] {
  const present = new Set<string>()
  const own = rows.filter((row) => row.probe === of.probe.probe)
  for (const row of own) present.add(`${row.round}\0${cellId(row)}`)
  const begun = own.reduce((most, row) => Math.max(most, row.round + 1), 0)
  const due = own.flatMap((row) =>
    row.round === begun - 1 && row.due_at !== undefined ? [Date.parse(row.due_at)] : [],
  )
  of.resume(begun, resumedAt, due.length === 0 ? null : Math.min(...due))
  const left: RoundCell[] = []
  for (let round = 0; round < begun; round += 1) {
    left.push(...of.cellsOf(round).filter(({ cell }) => !present.has(`${round}\0${cellId(cell)}`)))
  }
  return left.map((cell, place) => ({ ...cell, of, due: null, last: place === left.length - 1, cut: true }))
}

/** Keeps the order within a probe, which `last` relies on: rounds ascend there, and keys ascend in a round. */
function merged(turns: readonly (readonly Turn[])[]): Turn[] {
  const rest = turns.filter((list) => list.length > 0).map((list) => [...list])
  const batch: Turn[] = []
  for (;;) {
    let first: Turn[] | undefined
    for (const list of rest) {
      const key = list[0]?.key ?? Number.POSITIVE_INFINITY
      if (key < (first?.[0]?.key ?? Number.POSITIVE_INFINITY)) first = list
    }
    const turn = first?.shift()
    if (turn === undefined) return batch
    batch.push(turn)
  }
}

class Queue implements SlotQueue {
  readonly planned: number | null
  readonly #probes: readonly ProbeRounds[]
  #batch: Turn[] = []
  /** The slot that was given last: its request has ended when the next one is asked for. */
  #given: Turn | null = null
  /** Probes without a grid whose round is over; they stay together, so their next rounds are due at the end of the batch. */
  #backToBack: ProbeRounds[] = []
  #seq: number

  constructor(probes: readonly ScheduledProbe[], start: QueueStart) {
    this.planned = plannedSamples(probes)
    this.#probes = probes.map((probe) => new ProbeRounds(probe, start.startedAt))
    const rows = start.resume ?? []
    this.#seq = start.nextSeq ?? rows.reduce((seq, row) => Math.max(seq, row.seq + 1), 0)
    const resumedAt = start.resumedAt ?? (start.resume === undefined ? undefined : start.startedAt)
    if (resumedAt !== undefined) this.#batch = merged(this.#probes.map((of) => turnsLeft(of, rows, resumedAt)))
  }

  next(now: number, previousEndedAt: number | null): QueueStep {
    const endedAt = previousEndedAt ?? now
    this.#settle(endedAt)
    if (this.#batch.length === 0) {
      const due = this.#probes.flatMap((of) => {
        const at = of.dueAt(now)
        return at === null ? [] : [{ of, at }]
      })
      const earliest = due.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY)
      if (due.length === 0) return { kind: 'done' }
      if (earliest > now) return { kind: 'wait', until: earliest }
      this.#batch = merged(due.filter(({ at }) => at === earliest).map(({ of, at }) => turnsOfRound(of, at)))
    }
    const turn = this.#batch.shift()
    if (turn === undefined) return { kind: 'done' }
    this.#given = turn
    const { probe, target, prompt } = turn.cell
    const slot = { seq: this.#seq, round: turn.round, probe, target, prompt, dueAt: turn.due ?? endedAt }
    this.#seq += 1
    return { kind: 'slot', slot }
  }

  missedRounds(): number {
    return this.#probes.reduce((sum, of) => sum + of.missed, 0)
  }

  missedByProbe(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#probes.map((of) => [of.probe.probe, of.missed]))
  }

  #settle(endedAt: number): void {
    const given = this.#given
    this.#given = null
    if (given?.last === true) {
      if (given.of.probe.everyMs <= 0) this.#backToBack.push(given.of)
      else if (given.cut) given.of.cutRoundEnded(endedAt)
      else given.of.roundEnded(endedAt)
    }
    if (this.#batch.length > 0) return
    for (const of of this.#backToBack) of.roundEnded(endedAt)
    this.#backToBack = []
  }
}

/**
 * One queue for all probes of a run, one request at a time. Rounds start at the points of their probe's grid; those due at one
 * point are shuffled together, else the one that is due earliest goes first. A round that has begun is completed. With `resume`,
 * rows that are present are not asked again, what a round lacks is asked at once, and later rounds go on at the next point.
 */
export function createSlotQueue(probes: readonly ScheduledProbe[], start: QueueStart): SlotQueue {
  return new Queue(probes, start)
}
