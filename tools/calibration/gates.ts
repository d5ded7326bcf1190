import { parseLimit } from '../../src/budget/index.ts'
import type { BudgetCase, CellKey } from '../../src/budget/types.ts'
import type { Sample } from '../../src/sample/types.ts'
import { judge } from '../../src/verdict/index.ts'
import type { Verdict } from '../../src/verdict/index.ts'

export const CELL: CellKey = { probe: 'p', target: 't', prompt: 'q' }
export const CURRENT: CellKey = { ...CELL, target: 'current' }

/** A gate's case on one limit. */
export function caseOf(limitText: string, fields: Partial<BudgetCase> = {}): BudgetCase {
  const limit = parseLimit(limitText)
  return {
    ...CELL,
    budget: limit.text,
    limit,
    severity: 'fail',
    onInconclusive: 'fail',
    minSamples: limit.autoMinSamples,
    failures: 'exclude',
    stallOverMs: 5000,
    source: { file: 'calibration', line: 1, column: 1 },
    cells: [CELL],
    ...fields,
  }
}

/** The verdict of this package. */
export function verdictOf(budgetCase: BudgetCase, samples: readonly Sample[]): Verdict {
  return judge(budgetCase, { samples, incomplete: [], interrupted: false, currencies: [] }).verdict
}

/** The type 7 percentile of what there is, as k6 has it. Source: grafana/k6, `metrics/sink.go` (TrendSink.P). */
export function naiveQuantile(values: readonly number[], percentile: number): number {
  const sorted = Float64Array.from(values).sort()
  const place = (percentile / 100) * (sorted.length - 1)
  const low = sorted[Math.floor(place)] ?? 0
  const high = sorted[Math.ceil(place)] ?? low
  return low + (high - low) * (place - Math.floor(place))
}

/**
 * What k6's `thresholds: { ttft: ['p(99)<10000'] }` says: the percentile compared; no minimum, no evidence.
 * Source: grafana/k6, `metrics/thresholds.go`.
 */
export function naiveVerdict(values: readonly number[], percentile: number, limitMs: number): 'pass' | 'fail' {
  return naiveQuantile(values, percentile) < limitMs ? 'pass' : 'fail'
}
