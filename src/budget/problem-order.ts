import type { BudgetProblem } from './types.ts'

/** By place; what concerns no single place comes last. */
export function inOrder(problems: readonly BudgetProblem[]): BudgetProblem[] {
  const line = (problem: BudgetProblem): number => problem.source?.line ?? Number.MAX_SAFE_INTEGER
  return problems.toSorted((a, b) => line(a) - line(b) || (a.source?.column ?? 0) - (b.source?.column ?? 0))
}
