import { budgetCases } from '../budget/index.ts'
import type { BudgetFile } from '../budget/types.ts'
import type { RunSelection } from '../sample/types.ts'
import type { SelectedCase, SelectedProbe } from './messages.ts'
import { allCellsOf, cellsOf } from './selected.ts'

/** `null` where nothing was left out. */
export function selectionOf(file: BudgetFile, probes: readonly SelectedProbe[]): RunSelection | null {
  const cells = allCellsOf(probes)
  const key = ({ budget, probe, target, prompt }: SelectedCase): string =>
    JSON.stringify([budget, probe, target, prompt])
  const wanted = new Set(probes.flatMap((each) => each.cases.map(key)))
  const skipped = budgetCases(file, cells)
    .filter((each) => !wanted.has(key(each)))
    .map(({ budget, probe, target, prompt }) => ({ budget, probe, target, prompt }))
  return skipped.length === 0 && cells.length === cellsOf(probes).length ? null : { cells, skipped }
}
