import { join } from 'node:path'
import type { BudgetCase, BudgetFile, CellKey } from '../budget/types.ts'
import { readRunLines, readSamples } from '../sample/index.ts'
import type { RunLine, Sample } from '../sample/types.ts'
import type { Probe } from '../spec/types.ts'
import { isAborted, sameCell } from './selected.ts'

/** What a folder holds of earlier runs. */
export interface EarlierRuns {
  readonly rows: readonly Sample[]
  readonly lines: readonly RunLine[]
}

const NONE: EarlierRuns = { rows: [], lines: [] }

/** Whether some budget wants to know of earlier runs. */
export function looksBack({ budgets }: BudgetFile): boolean {
  return budgets.some((budget) => (budget.window ?? null) !== null || (budget.failAfter ?? 1) > 1)
}

/** Earlier runs, before the store is open; what cannot be read is the store's matter, which will say so. */
export async function readEarlierRuns(outDir: string, file: BudgetFile): Promise<EarlierRuns> {
  if (!looksBack(file)) return NONE
  try {
    const [rows, { lines }] = await Promise.all([readSamples(join(outDir, 'samples.csv')), readRunLines(outDir)])
    return { rows, lines }
  } catch {
    return NONE
  }
}

/** Runs whose samples are no fair draw. */
function stoppedEarly(lines: readonly RunLine[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => (line.type === 'end' && line.stopped_early === true ? [line.run_id] : [])))
}

/** Rows of runs other than `runId` that may count for it. */
export function earlierRows({ rows, lines }: EarlierRuns, runId: string): readonly Sample[] {
  const unfair = stoppedEarly(lines)
  return rows.filter((row) => row.run_id !== runId && !unfair.has(row.run_id) && !isAborted(row))
}

/** The last run, where it has not ended well: it may go on, and then its rows are no earlier ones. */
function openRun(lines: readonly RunLine[]): string {
  const last = lines.findLast((line) => line.type === 'start')?.run_id ?? ''
  return lines.some((line) => line.type === 'end' && line.run_id === last && line.complete) ? '' : last
}

/** How many rows a case's window takes if the run starts now, for the check before the first request. */
export function earlierCounter(
  runs: EarlierRuns,
  probes: readonly Probe[],
  now: number,
): (budgetCase: BudgetCase) => number {
  const rows = earlierRows(runs, openRun(runs.lines))
  return ({ cells, window }) => {
    if ((window ?? null) === null) return 0
    const { forMs, same } = window ?? { forMs: 0, same: [] }
    const fits = (row: Sample, cell: CellKey): boolean => {
      const probe = probes.find((each) => each.name === cell.probe)
      const target = probe?.targets.find((each) => each.name === cell.target)
      return (
        sameCell(row, cell) &&
        row.model === target?.model &&
        (row.simulated !== undefined) === (target.kind === 'simulated') &&
        same.every((label) => row.labels[label] === probe?.labels[label]) &&
        Date.parse(row.started_at) >= now - forMs
      )
    }
    return cells.reduce((sum, cell) => sum + rows.filter((row) => fits(row, cell)).length, 0)
  }
}
