import { checkBaselines } from './check-baseline.ts'
import { checkCurrencies, checkTimeouts } from './check-limits.ts'
import { budgetNotes } from './check-notes.ts'
import { checkMinimums, checkSamples } from './check-samples.ts'
import { checkWhere } from './check-where.ts'
import { inOrder } from './problem-order.ts'
import type { BudgetFile, BudgetProblem, CheckContext } from './types.ts'

/**
 * What can only be said once the cells are known, before the first request: globs that match nothing, timeouts at or below the
 * limit that they would be judged by, costs without one currency, schedules that cannot give enough samples; and notes.
 * A caller stops where any problem is an `error`.
 */
export function checkBudgets(file: BudgetFile, context: CheckContext): BudgetProblem[] {
  return inOrder([
    ...checkMinimums(file),
    ...checkWhere(file, context),
    ...checkBaselines(file, context),
    ...checkTimeouts(file, context),
    ...checkCurrencies(file, context),
    ...checkSamples(file, context),
    ...budgetNotes(file, context),
  ])
}
