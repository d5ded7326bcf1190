import type { Finding } from '../verdict/types.ts'
import type { CellSummary, RunReport } from './types.ts'

/** What a finding does to its test: the same in Vitest, JUnit, Markdown and annotations. */
export type Outcome = 'fail' | 'warn' | 'skip' | 'pass'

/** A failed or inconclusive finding acts by its severity or its `on_inconclusive`. */
export function outcomeOf(finding: Finding): Outcome {
  if (finding.verdict === 'pass') return 'pass'
  return finding.verdict === 'fail' ? finding.severity : finding.onInconclusive
}

/**
 * Selected cells without any sample though nobody ended the run early: the gate itself is broken.
 * `maxCost` ends a run on request, so what it leaves out is no defect.
 */
export function brokenCells(report: RunReport): CellSummary[] {
  const stopped = report.run.interrupted === true || report.notes.some((note) => note.code === 'max-cost')
  return stopped ? [] : report.cells.filter((cell) => cell.n === 0)
}

/**
 * Whether samples of that cell or pool (`'all'`) came from the simulator. Where a simulated run has no sample of it to tell, it did: nobody
 * shall take simulated for measured.
 */
export function isSimulated(report: RunReport, place: Pick<Finding, 'probe' | 'target' | 'prompt'>): boolean {
  if (!report.run.simulated) return false
  const cells = report.cells.filter(
    ({ n, probe, target, prompt }) =>
      n > 0 &&
      probe === place.probe &&
      (place.target === 'all' || target === place.target) &&
      (place.prompt === 'all' || prompt === place.prompt),
  )
  return cells.length === 0 || cells.some((cell) => cell.simulated === true)
}

/** `serverless / glm-5.3 / medium`. */
export function cellName(cell: Pick<Finding, 'probe' | 'target' | 'prompt'>): string {
  return `${cell.probe} / ${cell.target} / ${cell.prompt}`
}

/** `slo.yaml:12:5`; `''` where the limit stands in no file but in a call of `toMeet`. */
export function placeOf(finding: Pick<Finding, 'source'>): string {
  const { file, line, column } = finding.source
  return file === '' || file === 'toMeet' ? '' : `${file}:${line}:${column}`
}
