import type { BudgetDocument } from './document.ts'
import type { Entry } from './entry-values.ts'
import type { Budget, BudgetProblem, Limit } from './types.ts'

/** An entry of `budgets:` and what is known of it by now. */
export interface ReadEntry {
  readonly entry: Entry
  /** Where it stands. */
  readonly path: readonly PropertyKey[]
  /** Its own limit and those of its overrides; `undefined` where one was not understood. */
  readonly limits: readonly (Limit | undefined)[]
  readonly per: Budget['per']
}

export function isRelative(limit: Limit | undefined): boolean {
  return limit?.kind === 'statistic' && limit.relative !== undefined
}

/** What can never be proven; a value from `defaults` holds only where it can. */
function confidenceConflicts(document: BudgetDocument, { entry, limits, path }: ReadEntry): BudgetProblem[] {
  if (entry['confidence'] === undefined) return []
  const unprovable = limits.find(
    (each) => each !== undefined && !isRelative(each) && (each.allowed === null || each.allowed.numerator === 0),
  )
  if (unprovable === undefined) return []
  const why =
    unprovable.allowed === null
      ? 'there is no exact proof for a mean, min or max'
      : 'no number of samples proves that nothing lies beyond'
  const message = `\`${unprovable.text}\` takes no \`confidence\`: ${why}`
  const hint = 'take it out, or limit a percentile, a rate or a share'
  return [document.problem('error', 'cannot-be-proven', message, document.keySpan(path, 'confidence'), hint)]
}

/** A limit with `baseline` and the key `baseline` need each other. */
function baselineConflicts(document: BudgetDocument, { entry, limits, per, path }: ReadEntry): BudgetProblem[] {
  const error = (code: string, message: string, key: string, hint: string): BudgetProblem =>
    document.problem('error', code, message, document.keySpan(path, key), hint)
  const hasBaseline = entry['baseline'] !== undefined
  if (!limits.some(isRelative)) {
    if (limits[0] === undefined || !hasBaseline) return []
    const hint = `write it in the limit: \`p50 ttft <= baseline + 10%\``
    return [error('no-effect', '`baseline` has no effect on a limit without it', 'baseline', hint)]
  }
  const problems: BudgetProblem[] = []
  if (!hasBaseline) {
    const hint = 'add `baseline: TARGET`'
    problems.push(error('baseline-needed', 'a limit with `baseline` needs to know which', 'limit', hint))
  }
  if (per === 'prompt' || per === 'probe') {
    const hint = 'take `per: cell` or `per: target`'
    problems.push(error('baseline-per', `\`per: ${per}\` pools targets, so none is left to compare`, 'limit', hint))
  }
  if (entry['window'] !== undefined) {
    const message = '`window` has no effect on a comparison with a baseline'
    const hint = 'take it out; `baseline: { history: 30d }` compares with earlier runs'
    problems.push(error('no-effect', message, 'window', hint))
  }
  return problems
}

function stallConflicts(document: BudgetDocument, { entry, limits: [limit], path }: ReadEntry): BudgetProblem[] {
  if (limit === undefined || entry['stall_over'] === undefined || limit.metric === 'stall_rate') return []
  const message = `\`stall_over\` has no effect on ${limit.metric}`
  const span = document.keySpan(path, 'stall_over')
  return [document.problem('note', 'no-effect', message, span, 'it belongs to stall_rate')]
}

/** Keys of one budget that need or exclude each other, which its structure alone does not tell. */
export function keyConflicts(document: BudgetDocument, read: ReadEntry): readonly BudgetProblem[] {
  return [
    ...stallConflicts(document, read),
    ...confidenceConflicts(document, read),
    ...baselineConflicts(document, read),
  ]
}
