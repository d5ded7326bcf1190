import type { BudgetCase, CellKey } from '../budget/types.ts'
import type { Sample } from '../sample/types.ts'
import { isAborted } from './censoring.ts'
import type { Coverage } from './decide.ts'
import { PooledSamples } from './pooled-samples.ts'
import type { JudgeInput, PooledWindow } from './types.ts'
import { joinWindow } from './window.ts'

/** Samples that count, by cell. */
export type CellIndex = ReadonlyMap<string, readonly Sample[]>

/** One text for a cell. */
export function cellKey({ probe, target, prompt }: CellKey): string {
  return JSON.stringify([probe, target, prompt])
}

/** Samples that count, by cell; `wanted` keeps the index small. */
export function indexSamples(samples: readonly Sample[], wanted: readonly CellKey[]): CellIndex {
  const index = new Map<string, Sample[]>(wanted.map((cell) => [cellKey(cell), []]))
  for (const sample of samples) {
    if (!isAborted(sample)) index.get(cellKey(sample))?.push(sample)
  }
  return index
}

/** The one currency of a case's targets; `null` where there is none or several. */
function currencyOf({ cells }: BudgetCase, currencies: JudgeInput['currencies']): string | null {
  const found = new Set<string>()
  for (const { probe, target, currency } of currencies) {
    if (cells.some((cell) => cell.probe === probe && cell.target === target)) found.add(currency)
  }
  const [only] = found
  return found.size === 1 && only !== undefined ? only : null
}

/** The samples of a case's cells, with those that its window adds. */
export interface Pooled {
  readonly pooled: PooledSamples
  readonly window: PooledWindow | null
}

/** What a case is judged on. */
export interface Pool extends Pooled {
  readonly samples: readonly Sample[]
  readonly coverage: Coverage
  readonly broken: boolean
  readonly currency: string | null
}

/** Everything that is judged, by cell. */
export interface Samples {
  /** Of this run. */
  readonly own: CellIndex
  /** Of earlier runs. */
  readonly earlier: CellIndex
}

/** The samples of the cases' cells; those of earlier runs only where some case looks back: for its window, or for runs in a row. */
export function samplesOf(cases: readonly BudgetCase[], input: JudgeInput): Samples {
  const looking = cases.filter(({ window, failAfter = 1 }) => (window ?? null) !== null || failAfter > 1)
  return {
    own: indexSamples(
      input.samples,
      cases.flatMap(({ cells, baselineCells = [] }) => [...cells, ...baselineCells]),
    ),
    earlier: indexSamples(
      input.earlier ?? [],
      looking.flatMap(({ cells }) => cells),
    ),
  }
}

function keysOf({ cells }: BudgetCase): readonly string[] {
  return [...new Set(cells.map(cellKey))]
}

/** One text for all cases that are judged on the same samples. */
export function poolKey(budgetCase: BudgetCase): string {
  return JSON.stringify([keysOf(budgetCase), budgetCase.window ?? null])
}

/** The samples of a case; the same for all cases of one {@link poolKey}. */
export function pooledOf(budgetCase: BudgetCase, { own, earlier }: Samples): Pooled {
  const window = budgetCase.window ?? null
  const cells = keysOf(budgetCase).map((key) => ({ own: own.get(key) ?? [], earlier: earlier.get(key) ?? [] }))
  const joined = window === null ? null : joinWindow(cells, window)
  return {
    pooled: new PooledSamples(joined?.samples ?? cells.flatMap((cell) => cell.own)),
    window: joined?.pooled ?? null,
  }
}

/** The pool of a case. */
export function poolOf(
  budgetCase: BudgetCase,
  { pooled, window }: Pooled,
  { own: index }: Samples,
  incomplete: ReadonlySet<string>,
  input: JudgeInput,
): Pool {
  // A comparison needs the baseline's cells as much as its own.
  const needed = [...new Set([...keysOf(budgetCase), ...(budgetCase.baselineCells ?? []).map(cellKey)])]
  const empty = needed.filter((key) => (index.get(key)?.length ?? 0) === 0)
  return {
    pooled,
    samples: pooled.samples,
    window,
    coverage: {
      leftOut: needed.filter((key) => incomplete.has(key)).length,
      empty: empty.length,
      interrupted: input.interrupted,
    },
    broken: !input.interrupted && empty.some((key) => !incomplete.has(key)),
    currency: currencyOf(budgetCase, input.currencies),
  }
}
