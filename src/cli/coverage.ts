import { budgetCases } from '../budget/index.ts'
import type { BudgetCase, CellKey } from '../budget/types.ts'
import { samplesToProve } from '../statistics/index.ts'
import type { PlanFile } from '../vitest/plan-file.ts'
import type { Forecast } from './forecast.ts'
import { cellId } from './merge-runs.ts'

/** What a budget's case can come to with the samples that are planned. */
export interface CaseOutlook {
  readonly budget: string
  readonly text: string
  readonly place: string
  readonly name: string
  readonly cells: readonly CellKey[]
  /** `null`: the clock ends the run. */
  readonly planned: number | null
  readonly needed: number | null
  /** Samples without a single one beyond that would prove it at 95 %; `null`: nothing can, or it has no proof. */
  readonly provenFrom: number | null
  readonly judgeable: boolean
}

function outlook(budgetCase: BudgetCase, planned: number | null): CaseOutlook {
  const { budget, limit, source, minSamples, probe, target, prompt, cells } = budgetCase
  const share = limit.allowed === null ? 0 : limit.allowed.numerator / limit.allowed.denominator
  return {
    budget,
    text: limit.text,
    place: `${source.file}:${source.line}:${source.column}`,
    name: `${probe}/${target}/${prompt}`,
    cells,
    planned,
    needed: minSamples,
    provenFrom: share > 0 && share < 1 ? samplesToProve(0, share, 1 - (budgetCase.confidence ?? 0.95)) : null,
    judgeable: planned === null || minSamples === null || planned >= minSamples,
  }
}

/** Every case of the plan, and the cells that none judges. */
export function coverage(
  plan: PlanFile,
  { cells }: Forecast,
): { readonly cases: readonly CaseOutlook[]; readonly bare: readonly CellKey[] } {
  const requests = new Map(cells.map((each) => [cellId(each), each.requests]))
  const cases = budgetCases(plan.budgets, cells).map((each) =>
    outlook(
      each,
      each.cells.reduce<number | null>((total, cell) => {
        const own = requests.get(cellId(cell)) ?? null
        return total === null || own === null ? null : total + own
      }, 0),
    ),
  )
  const judged = new Set(cases.flatMap((each) => each.cells.map(cellId)))
  return { cases, bare: cells.filter((cell) => !judged.has(cellId(cell))) }
}
