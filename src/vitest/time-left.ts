import type { ScheduledProbe } from '../schedule/index.ts'

/** Where a run stands. Instants are wall-clock milliseconds. */
export interface Standing {
  /** Start of the run, not of this sitting: the origin of the grids. */
  readonly startedAt: number
  readonly now: number
  /** Rounds of a probe that have begun. */
  readonly begun: (probe: string) => number
  /** Requests that are not asked yet; `null` where the clock alone ends the run. */
  readonly left: number | null
  /** Of one request, as far as anybody knows. */
  readonly requestMs: number | null
}

/** When the next round of a probe is due; `null` without a grid, and after its last round. */
function nextPoint({ everyMs, rounds, forMs, probe }: ScheduledProbe, standing: Standing): number | null {
  const { startedAt, now, begun } = standing
  if (everyMs <= 0) return null
  const at = startedAt + Math.max(begun(probe), Math.ceil((now - startedAt) / everyMs)) * everyMs
  const isOver = rounds === null ? at >= startedAt + (forMs ?? 0) : begun(probe) >= rounds
  return isOver ? null : at
}

function lastEnd(probe: ScheduledProbe, standing: Standing): number {
  const { startedAt, now, begun, requestMs } = standing
  if (probe.rounds === null) return startedAt + (probe.forMs ?? 0)
  const next = nextPoint(probe, standing)
  if (next === null) return now
  return next + (probe.rounds - begun(probe.probe) - 1) * probe.everyMs + probe.cells.length * (requestMs ?? 0)
}

/** When the run will be over: no sooner than its last round, nor than its requests take; `null` where nobody can say yet. */
export function runEndsAt(probes: readonly ScheduledProbe[], standing: Standing): number | null {
  const { now, left, requestMs } = standing
  const byPace = left === null || requestMs === null ? now : now + left * requestMs
  const hasPace = requestMs !== null || probes.every((probe) => probe.everyMs > 0 || probe.rounds === null)
  return hasPace ? Math.max(byPace, ...probes.map((probe) => lastEnd(probe, standing))) : null
}

/** When the run, idle now, asks again; `null` where it does not wait. */
export function nextRoundAt(probes: readonly ScheduledProbe[], standing: Standing): number | null {
  const points = probes.flatMap((probe) => nextPoint(probe, standing) ?? [])
  return points.length === 0 || standing.left === 0 ? null : Math.min(...points)
}
