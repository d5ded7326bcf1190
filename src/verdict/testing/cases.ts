import type { BudgetCase, CellKey } from '../../budget/types.ts'
import { parseLimit } from '../../budget/index.ts'
import { failedSample, okSample } from '../../sample/testing/samples.ts'
import type { ErrorKind, FailedSample, OkSample, Sample } from '../../sample/types.ts'
import type { JudgeInput } from '../types.ts'

/** The one cell of most tests. */
export const CELL: CellKey = { probe: 'example', target: 'glm-5.3', prompt: 'medium' }

/** A case on {@link CELL}, as the first stage makes it. */
export function caseOf(limitText: string, fields: Partial<BudgetCase> = {}): BudgetCase {
  const limit = parseLimit(limitText)
  return {
    ...CELL,
    budget: 'the-budget',
    limit,
    severity: 'fail',
    onInconclusive: 'fail',
    minSamples: limit.autoMinSamples,
    failures: 'exclude',
    stallOverMs: 5000,
    source: { file: 'slo.yaml', line: 12, column: 5 },
    cells: [CELL],
    ...fields,
  }
}

/** Input of a whole, undisturbed run. */
export function inputOf(samples: readonly Sample[], fields: Partial<JudgeInput> = {}): JudgeInput {
  return { samples, incomplete: [], interrupted: false, currencies: [], ...fields }
}

let nextSeq = 0

/** A successful sample stamped without any delay. */
export function ok(fields: Partial<OkSample> = {}): OkSample {
  nextSeq += 1
  return okSample({ ...CELL, seq: nextSeq, client_lag_ms: 0, ttft_error_ms: 0, ttft_ms: 1000, ...fields })
}

/** A failed one, without times unless they are given. */
export function failed(kind: ErrorKind, fields: Partial<FailedSample> = {}): FailedSample {
  nextSeq += 1
  const { ttft_ms: _ttft, first_token_kind: _first, total_ms: _total, ...bare } = failedSample()
  return { ...bare, ...CELL, seq: nextSeq, client_lag_ms: 0, error_kind: kind, error_message: kind, ...fields }
}

/** `count` samples made alike. */
export function times<Item>(count: number, make: (at: number) => Item): Item[] {
  return Array.from({ length: count }, (_, at) => make(at))
}

/** Cut off before its first token after four minutes. */
export function cut(fields: Partial<FailedSample> = {}): FailedSample {
  return failed('first_token_timeout', { status: 200, total_ms: 240_000, ...fields })
}
