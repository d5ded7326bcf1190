import { budgetCases } from '../budget/index.ts'
import type { BudgetCase, BudgetFile, CellKey } from '../budget/types.ts'
import type { Sample } from '../sample/types.ts'
import type { ScheduledProbe } from '../schedule/index.ts'
import type { Probe } from '../spec/types.ts'
import type { SelectedProbe } from './messages.ts'

/** What the parts of a run ask of the selected probes. */

export interface Currency {
  readonly probe: string
  readonly target: string
  readonly currency: string
}

export function currenciesOf(probes: readonly SelectedProbe[]): readonly Currency[] {
  return probes.flatMap(({ probe }) =>
    probe.targets.flatMap((target) =>
      target.price === null ? [] : [{ probe: probe.name, target: target.name, currency: target.price.currency }],
    ),
  )
}

export function cellsOf(probes: readonly SelectedProbe[]): readonly CellKey[] {
  return probes.flatMap((each) => each.cells)
}

/** Selected or not, of every probe of which something was selected. */
export function allCellsOf(probes: readonly SelectedProbe[]): readonly CellKey[] {
  return probes.flatMap(({ probe }) =>
    probe.targets.flatMap((target) =>
      probe.prompts.map((prompt) => ({ probe: probe.name, target: target.name, prompt: prompt.name })),
    ),
  )
}

export function hasSimulated(probes: readonly SelectedProbe[]): boolean {
  return probes.some(({ probe }) => probe.targets.some((target) => target.kind === 'simulated'))
}

export function isAborted(sample: Sample): boolean {
  return sample.outcome === 'error' && sample.error_kind === 'aborted'
}

export function sameCell(one: CellKey, other: CellKey): boolean {
  return one.probe === other.probe && one.target === other.target && one.prompt === other.prompt
}

export function inCell(sample: Sample, cell: CellKey): boolean {
  return sameCell(sample, cell)
}

/** Selected budget cases in the order of `slo.yaml`, then of the cells. */
export function selectedCases(file: BudgetFile, probes: readonly SelectedProbe[]): readonly BudgetCase[] {
  const key = (each: CellKey & { readonly budget: string }): string =>
    JSON.stringify([each.budget, each.probe, each.target, each.prompt])
  const wanted = new Set(probes.flatMap((each) => each.cases.map(key)))
  return budgetCases(file, allCellsOf(probes)).filter((each) => wanted.has(key(each)))
}

/** `every` shrinks with the simulation only where every target of the run is simulated. */
export function everyScale(probes: readonly Probe[]): number {
  const targets = probes.flatMap((probe) => probe.targets)
  if (targets.length === 0 || targets.some((target) => target.kind === 'real')) return 1
  return Math.min(...targets.map((target) => (target.kind === 'simulated' ? target.timeScale : 1)))
}

/** The probes as the queue takes them; a wholly simulated run's schedule shrinks with its time scale. */
export function scheduledProbes(
  probes: readonly SelectedProbe[],
  seeds: Readonly<Record<string, number>>,
): readonly ScheduledProbe[] {
  const scale = everyScale(probes.map((each) => each.probe))
  return probes.map(({ probe, cells }) => ({
    probe: probe.name,
    cells,
    everyMs: probe.schedule.everyMs / scale,
    rounds: probe.schedule.rounds,
    forMs: probe.schedule.forMs === null ? null : probe.schedule.forMs / scale,
    seed: seeds[probe.name] ?? 0,
  }))
}
