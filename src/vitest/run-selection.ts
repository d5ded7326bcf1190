import { budgetCases } from '../budget/index.ts'
import type { BudgetFile, CellKey } from '../budget/types.ts'
import type { SelectedCase, SelectedProbe } from './messages.ts'
import { allCellsOf, cellsOf } from './selected.ts'

/** What a narrowed run left out, kept in its first line of `runs.jsonl`, so that the CSV can be judged again as the run was. */
export interface RunSelection {
  /** Every cell of the probes, sampled or not, in the order of their declaration. */
  readonly cells: readonly CellKey[]
  /** Budgets' tests that were not selected. */
  readonly skipped: readonly SelectedCase[]
}

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
