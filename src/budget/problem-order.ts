import type { BudgetProblem } from './types.ts'

/** By place; problems of the file as a whole come first. */
export function inOrder(problems: readonly BudgetProblem[]): BudgetProblem[] {
  return problems.toSorted((a, b) => {
    const lines = (a.source?.line ?? 0) - (b.source?.line ?? 0)
    return lines === 0 ? (a.source?.column ?? 0) - (b.source?.column ?? 0) : lines
  })
}
