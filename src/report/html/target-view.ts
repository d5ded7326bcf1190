import type { CellSummary, RunReport, StudyTarget } from '../types.ts'
import type { TargetCharts } from './chart-data.ts'

/** A target with all that is known of it. */
export interface TargetView {
  readonly id: string
  readonly charts: TargetCharts
  readonly study: StudyTarget
  readonly cells: readonly CellSummary[]
  readonly report: RunReport
}
