import type { CellKey } from '../budget/types.ts'
import { firstPointFrom } from './grid.ts'
import type { ScheduledProbe } from './types.ts'

/** What {@link plannedRounds} needs of a probe; a `SchedulePlan` fits as well. */
export type RoundPlan = Pick<ScheduledProbe, 'everyMs' | 'rounds' | 'forMs'>

/** Rounds that a schedule plans: `rounds`, or the grid points before `for` is over; `null` for `for:` without a grid. */
export function plannedRounds(plan: RoundPlan): number | null {
  if (plan.rounds !== null) return plan.rounds
  if (plan.forMs === null || plan.everyMs <= 0) return null
  return Math.max(0, firstPointFrom({ startedAt: 0, everyMs: plan.everyMs }, Math.round(plan.forMs)))
}

/** Planned samples of each cell: its probe's rounds; `null` as in {@link plannedRounds}. */
export function plannedByCell(
  probes: readonly ScheduledProbe[],
): readonly (CellKey & { readonly planned: number | null })[] {
  return probes.flatMap((probe) => {
    const planned = plannedRounds(probe)
    return probe.cells.map((cell) => ({ probe: cell.probe, target: cell.target, prompt: cell.prompt, planned }))
  })
}

/** Requests that the probes plan together; `null` where one of them is ended by the clock alone. */
export function plannedSamples(probes: readonly ScheduledProbe[]): number | null {
  let sum = 0
  for (const probe of probes) {
    const rounds = plannedRounds(probe)
    if (rounds === null && probe.cells.length > 0) return null
    sum += (rounds ?? 0) * probe.cells.length
  }
  return sum
}
