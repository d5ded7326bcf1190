import { budgetCases } from '../budget/index.ts'
import type { BudgetCase, CellKey } from '../budget/types.ts'
import { powerOf } from '../verdict/index.ts'
import type { Power, PowerFacts, RequestNeeds } from '../verdict/index.ts'
import type { PlanFile } from '../vitest/plan-file.ts'
import type { Forecast, GroundedForecast } from './forecast.ts'
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
  /** Samples of earlier runs count too, and nobody has counted them here. */
  readonly looksBack: boolean
  /** Tokens and cost are not expected but the most that they may be. */
  readonly atMost: boolean
  /** What the planned samples can find out, and what a proof takes. */
  readonly power: Power
}

/** What one request of a cell is expected to take. */
function needsOf({ cells, probes }: Forecast): (cell: CellKey) => RequestNeeds {
  const known = new Map(cells.map((each) => [cellId(each), each]))
  return (cell) => {
    const found = known.get(cellId(cell))
    const probe = probes.find((each) => each.probe === cell.probe)
    const { promptTokens = null, requests = null } = found ?? {}
    const completionTokens = found === undefined ? null : (found.completionTokens ?? found.maxTokens)
    const cost = found === undefined ? null : (found.costExpected ?? found.costAtMost)
    return {
      everyMs: probe === undefined ? null : probe.everyMs === 0 ? probe.roundMs : probe.everyMs,
      tokens: promptTokens === null || completionTokens === null ? null : promptTokens + completionTokens,
      cost: cost === null || requests === null || requests === 0 ? null : cost / requests,
      currency: found?.currency ?? null,
    }
  }
}

function outlook(
  budgetCase: BudgetCase,
  planned: number | null,
  atMost: boolean,
  facts: Pick<PowerFacts, 'needs' | 'earlier'>,
): CaseOutlook {
  const { budget, limit, source, minSamples, probe, target, prompt, cells } = budgetCase
  const looksBack = (budgetCase.window ?? null) !== null
  const power = powerOf(budgetCase, { ...facts, planned })
  return {
    budget,
    text: limit.text,
    place: `${source.file}:${source.line}:${source.column}`,
    name: `${probe}/${target}/${prompt}`,
    cells,
    planned,
    needed: minSamples,
    provenFrom: power.proven,
    power,
    looksBack,
    atMost,
    judgeable: looksBack || planned === null || minSamples === null || planned >= minSamples,
  }
}

/** Every case of the plan, and the cells that none judges. */
export function coverage(
  plan: PlanFile,
  { numbers, earlier }: GroundedForecast,
): { readonly cases: readonly CaseOutlook[]; readonly bare: readonly CellKey[] } {
  const { cells } = numbers
  const needs = needsOf(numbers)
  const requests = new Map(cells.map((each) => [cellId(each), each.requests]))
  const guessed = new Set(cells.filter((each) => each.completionTokens === null).map(cellId))
  const cases = budgetCases(plan.budgets, cells).map((each) =>
    outlook(
      each,
      each.cells.reduce<number | null>((total, cell) => {
        const own = requests.get(cellId(cell)) ?? null
        return total === null || own === null ? null : total + own
      }, 0),
      each.cells.some((cell) => guessed.has(cellId(cell))),
      { needs, earlier },
    ),
  )
  const judged = new Set(cases.flatMap((each) => each.cells.map(cellId)))
  return { cases, bare: cells.filter((cell) => !judged.has(cellId(cell))) }
}
