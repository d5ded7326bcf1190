import type { BudgetFile, BudgetProblem, CheckContext } from './types.ts'

/** The checks that need the cells. */
export function checkBudgets(_file: BudgetFile, _context: CheckContext): BudgetProblem[] {
  return []
}
