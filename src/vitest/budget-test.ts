import { resolve } from 'node:path'
import type { RunnerTask, TestContext } from 'vitest'
import type { BudgetCase, CellKey } from '../budget/types.ts'
import { renderFinding } from '../report/finding.ts'
import type { Finding } from '../verdict/types.ts'
import { specState } from './spec-state.ts'

/** A breached budget, as Vitest prints it: one screen, and its place in `slo.yaml` instead of a stack. */
class BudgetError extends Error {
  override readonly name = 'SLO'
  /** Printed by Vitest in place of the stack. */
  readonly frame: string

  constructor(
    message: string,
    place: { readonly file: string; readonly line: number; readonly column: number } | null,
    root: string,
  ) {
    super(message)
    const where = place === null ? '' : `${place.file}:${place.line}:${place.column}`
    this.frame = where === '' ? ' ' : ` ❯ ${where}`
    const frame = place === null ? '' : `\n    at ${resolve(root, place.file)}:${place.line}:${place.column}`
    this.stack = `SLO: ${message}${frame}`
  }
}

/** Nothing was asked: the configuration is wrong. Fails the spec file, as an import error does. */
export class RefusedError extends Error {
  override readonly name = 'SLO'
  readonly frame = ' '

  constructor(message: string) {
    super(message)
    this.stack = `SLO: ${message}`
  }
}

function breach(finding: Finding): BudgetError {
  return new BudgetError(renderFinding(finding), finding.source, specState().data.root)
}

/**
 * Spec files are read twice: to plan, and to run the tests. A name that is another one the second time belongs to nothing that
 * was sampled; the gate is broken then.
 */
function strayWords(cell: CellKey): string {
  const state = specState()
  const planned = new Set(state.files.flatMap((file) => namesIn(file.tasks)))
  const stray = [cell.probe, cell.target, cell.prompt].find((name) => !planned.has(name))
  if (stray === undefined) return ''
  state.stray()
  return `: nothing was called ${JSON.stringify(stray)} when the run was planned; names must be the same each time a spec file is read`
}

function namesIn(tasks: readonly RunnerTask[]): readonly string[] {
  return tasks.flatMap((task) => (task.type === 'suite' ? [task.name, ...namesIn(task.tasks)] : []))
}

/** A cell's own test: passes if it was sampled at all. */
export function runSampledTest(cell: CellKey, context: TestContext): void {
  const { outcome, data } = specState()
  const samples = (outcome?.samples ?? []).filter(
    (sample) =>
      sample.probe === cell.probe &&
      sample.target === cell.target &&
      sample.prompt === cell.prompt &&
      !(sample.outcome === 'error' && sample.error_kind === 'aborted'),
  )
  if (samples.length > 0) return
  if (outcome?.interrupted === true) context.skip('interrupted before the first sample of this cell')
  throw new BudgetError(`${cell.probe}/${cell.target}/${cell.prompt} has no sample${strayWords(cell)}`, null, data.root)
}

/** One budget on one cell or pool. The verdict was reached by the coordinator; this makes it a test result. */
export async function runBudgetTest(budgetCase: BudgetCase, context: TestContext): Promise<void> {
  const { outcome, data } = specState()
  const finding = outcome?.findings.find(
    (each) =>
      each.budget === budgetCase.budget &&
      each.probe === budgetCase.probe &&
      each.target === budgetCase.target &&
      each.prompt === budgetCase.prompt,
  )
  if (finding === undefined) throw new BudgetError(`${budgetCase.budget} was not judged`, budgetCase.source, data.root)
  if (finding.verdict === 'pass') return
  if (finding.verdict === 'fail') {
    if (finding.severity === 'fail') throw breach(finding)
    await context.annotate(finding.message, 'warning')
    return
  }
  if (finding.onInconclusive === 'fail') throw breach(finding)
  if (finding.onInconclusive === 'skip') context.skip(finding.message)
  await context.annotate(finding.message, 'warning')
}
