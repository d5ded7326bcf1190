import { budgetCases } from './cases.ts'
import { cellId, cellsName } from './cell-names.ts'
import { isTimeMetric } from './metrics.ts'
import type { BudgetCase, BudgetFile, BudgetProblem, CellKey, CheckContext } from './types.ts'

function note(code: string, message: string, hint: string): BudgetProblem {
  return { level: 'note', code, message, hint, source: null }
}

/** What is allowed and seldom meant; one note for all cells that share it. */
export function budgetNotes(file: BudgetFile, context: CheckContext): BudgetProblem[] {
  // What a budget that was not understood would judge is not known.
  if (file.unreadGlobs !== undefined) return []
  const judgedBy = new Map<string, BudgetCase[]>(context.cells.map((cell) => [cellId(cell), []]))
  for (const budgetCase of budgetCases(file, context.cells)) {
    for (const cell of budgetCase.cells) judgedBy.get(cellId(cell))?.push(budgetCase)
  }
  const cellsWhere = (test: (cases: readonly BudgetCase[]) => boolean): CellKey[] =>
    context.cells.filter((cell) => test(judgedBy.get(cellId(cell)) ?? []))
  const judges = (cases: readonly BudgetCase[], metric: string): boolean =>
    cases.some((each) => each.limit.metric === metric)

  const bare = cellsWhere((cases) => cases.length === 0)
  // With `failures: exceed` a failure is beyond the limit, so nothing passes unseen.
  const isBlind = (cases: readonly BudgetCase[], needsIt: (each: BudgetCase) => boolean): boolean =>
    !judges(cases, 'error_rate') && cases.some((each) => each.failures === 'exclude' && needsIt(each))
  const isLatency = ({ limit }: BudgetCase): boolean => isTimeMetric(limit.metric)
  const isComparison = ({ limit }: BudgetCase): boolean => limit.kind === 'statistic' && limit.relative !== undefined
  const blind = cellsWhere((cases) => isBlind(cases, isLatency))
  const comparedBlind = cellsWhere((cases) => isBlind(cases, isComparison) && !isBlind(cases, isLatency))
  const unanswered = cellsWhere((cases) => judges(cases, 'first_answer') && !judges(cases, 'answered_rate'))
  const notes: BudgetProblem[] = []
  if (bare.length > 0) {
    notes.push(note('no-budget', `no budget judges ${cellsName(bare, context.cells)}`, 'its samples are only recorded'))
  }
  if (blind.length > 0) {
    const message = `latency budgets and no \`error_rate\`: ${cellsName(blind, context.cells)}`
    notes.push(note('no-error-rate', message, 'a failed request has no latency; add `error_rate < 1%`'))
  }
  if (comparedBlind.length > 0) {
    const message = `comparisons with a baseline and no \`error_rate\`: ${cellsName(comparedBlind, context.cells)}`
    notes.push(note('no-error-rate', message, 'rounds that failed are left out; add `error_rate < 1%`'))
  }
  if (unanswered.length > 0) {
    const message = `\`first_answer\` without \`answered_rate\`: ${cellsName(unanswered, context.cells)}`
    notes.push(note('no-answered-rate', message, 'an answer that never comes has no time; add `answered_rate > 99%`'))
  }
  return notes
}
