import { budgetCases, checkBudgets, formatProblems } from '../budget/index.ts'
import type { BudgetFile, CellFacts } from '../budget/types.ts'
import { SloError } from '../errors.ts'
import { budgetHistory, buildReport } from '../report/index.ts'
import type { RunReport } from '../report/types.ts'
import { judgeAll } from '../verdict/index.ts'
import type { Baselines } from '../vitest/baselines.ts'
import { cellId } from './merge-runs.ts'
import type { MergedRuns } from './merge-runs.ts'

const FOREVER = { connect: Infinity, firstToken: Infinity, stall: Infinity, total: Infinity }

/** Rows hold a cost without its currency, which only a run's own record names. */
const SOME_CURRENCY = 'unknown'

/** Cells whose samples have a cost, if a budget asks. */
function costedCells({ samples }: MergedRuns, file: BudgetFile): ReadonlySet<string> {
  const asks = file.budgets.some(({ limit, overrides }) =>
    [limit, ...overrides.map((each) => each.limit)].some((each) => each?.metric === 'cost'),
  )
  const costed = new Set<string>()
  if (asks) for (const sample of samples) if (sample.cost !== undefined) costed.add(cellId(sample))
  return costed
}

function cellFacts(merged: MergedRuns, file: BudgetFile): readonly CellFacts[] {
  const { allCells, currencies } = merged
  const costed = costedCells(merged, file)
  return allCells.map((cell) => ({
    ...cell,
    planned: null,
    plannedByItself: null,
    timeouts: FOREVER,
    currency:
      currencies.find((each) => each.probe === cell.probe && each.target === cell.target)?.currency ??
      (costed.has(cellId(cell)) ? SOME_CURRENCY : null),
  }))
}

/**
 * Budgets against runs that were read back: the same judging as in a run.
 * @param text - of `slo.yaml`, for carets
 * @param note - told what is odd and no mistake
 * @param baselines - CSVs that budgets name
 * @throws SloError `BUDGETS_INVALID`, with every problem; also where no budget judges anything
 */
export function judgeAgain(
  merged: MergedRuns,
  file: BudgetFile,
  text: string,
  note: (message: string) => void,
  baselines: Baselines,
): RunReport {
  const found = checkBudgets(file, { cells: cellFacts(merged, file), narrowed: true })
  const errors = found.filter((problem) => problem.level === 'error')
  if (errors.length > 0) throw new SloError('BUDGETS_INVALID', formatProblems(errors, text))
  for (const problem of found) {
    if (problem.code === 'glob-matches-nothing') note(problem.message)
  }
  const cases = budgetCases(file, merged.allCells).filter(
    (each) => !merged.skipped.has(JSON.stringify([each.budget, cellId(each)])),
  )
  if (file.budgets.length > 0 && cases.length === 0) {
    const cells = merged.allCells.slice(0, 5).map((cell) => `${cell.probe}/${cell.target}/${cell.prompt}`)
    throw new SloError('BUDGETS_INVALID', `no budget of ${file.file} judges any of the cells: ${cells.join(', ')}`, {
      hint: 'no data is not a pass: correct `where`, or name another file with --slo',
    })
  }
  const { samples, earlier, history: passing, incomplete, cutShort, currencies, run, cells, notes } = merged
  const input = {
    samples,
    earlier,
    baselines: [...baselines, ...passing],
    incomplete,
    interrupted: cutShort,
    timezone: file.timezone,
    currencies,
  }
  const findings = judgeAll(cases, input)
  const history = budgetHistory(cases, input, findings)
  return buildReport({ run, findings, samples, cells, currencies, notes, history })
}
