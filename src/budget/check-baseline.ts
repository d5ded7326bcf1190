import { casesOf } from './cases.ts'
import { nameList } from './cell-names.ts'
import { nearestWord } from './nearest-word.ts'
import type { BudgetFile, BudgetProblem, CheckContext } from './types.ts'

/** A baseline must be a target of the probe, and leave something to compare with it. */
export function checkBaselines(file: BudgetFile, context: CheckContext): BudgetProblem[] {
  return file.budgets.flatMap((budget): BudgetProblem[] => {
    const { baseline } = budget
    if (baseline?.kind !== 'target') return []
    const place = { source: budget.baselineSource ?? budget.source, length: baseline.target.length }
    const level = context.narrowed ? 'note' : 'error'
    const probes = [...new Set(casesOf(budget, context.cells).map((each) => each.probe))]
    if (probes.length === 0) {
      const message = `no cell is left to compare with \`${baseline.target}\``
      return [{ level, code: 'nothing-to-compare', message, hint: 'let `where` name the candidate', ...place }]
    }
    return probes.flatMap((probe): BudgetProblem[] => {
      const targets = [...new Set(context.cells.filter((cell) => cell.probe === probe).map((cell) => cell.target))]
      if (targets.includes(baseline.target)) return []
      const nearest = nearestWord(baseline.target, targets)
      const list = `targets of ${probe} are ${nameList(targets)}`
      return [
        {
          level,
          code: 'baseline-no-target',
          message: `\`${baseline.target}\` is no target of ${probe}`,
          hint: nearest === undefined ? list : `did you mean \`${nearest}\`? ${list}`,
          ...place,
        },
      ]
    })
  })
}
