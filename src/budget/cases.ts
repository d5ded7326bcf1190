import { cellMatches } from './glob.ts'
import type { WhereKey } from './glob.ts'
import type {
  Budget,
  BudgetCase,
  BudgetFile,
  BudgetOverride,
  CellKey,
  Limit,
  OnInconclusive,
  Per,
  Severity,
} from './types.ts'

/** What `per` keeps apart; the rest is pooled and called `all`. Pools never cross a probe. */
export const KEPT_APART: Readonly<Record<Per, readonly WhereKey[]>> = {
  cell: ['probe', 'target', 'prompt'],
  target: ['probe', 'target'],
  prompt: ['probe', 'prompt'],
  probe: ['probe'],
}

/** What pools are called. */
const POOLED = 'all'

function nameOf(cell: CellKey, per: Per): CellKey {
  const kept = KEPT_APART[per]
  return {
    probe: cell.probe,
    target: kept.includes('target') ? cell.target : POOLED,
    prompt: kept.includes('prompt') ? cell.prompt : POOLED,
  }
}

/** A warning cannot fail a run for want of data either. */
export function cappedOnInconclusive(severity: Severity, onInconclusive: OnInconclusive): OnInconclusive {
  return severity === 'warn' && onInconclusive === 'fail' ? 'warn' : onInconclusive
}

function isRelative(limit: Limit): boolean {
  return limit.kind === 'statistic' && limit.relative !== undefined
}

/** What a relative limit needs beside the case's own cells. */
function comparisonOf(
  budget: Budget,
  limit: Limit,
  cells: readonly CellKey[],
): Pick<BudgetCase, 'baseline' | 'floor' | 'baselineCells'> {
  const baseline = budget.baseline ?? null
  if (baseline === null || !isRelative(limit)) return {}
  const floor = budget.floor === undefined ? {} : { floor: budget.floor }
  if (baseline.kind !== 'target') return { baseline, ...floor }
  return { baseline, ...floor, baselineCells: cells.map((cell) => ({ ...cell, target: baseline.target })) }
}

function acknowledgedFor(budget: Budget, cells: readonly CellKey[]): Pick<BudgetCase, 'acknowledge'> {
  const own = (budget.acknowledge ?? []).filter(({ where }) => cells.every((cell) => cellMatches(where, cell)))
  return own.length === 0 ? {} : { acknowledge: own }
}

function caseOf(budget: Budget, name: CellKey, cells: readonly [CellKey, ...CellKey[]]): BudgetCase {
  // An override's `where` names only what `per` keeps apart, so any cell of the pool speaks for all.
  const override: BudgetOverride | undefined = budget.overrides.findLast((each) => cellMatches(each.where, cells[0]))
  const limit = override?.limit ?? budget.limit
  const severity = override?.severity ?? budget.severity
  return {
    budget: budget.id,
    ...name,
    limit,
    severity,
    onInconclusive: cappedOnInconclusive(severity, budget.onInconclusive),
    minSamples: override?.minSamples ?? budget.minSamples ?? limit.autoMinSamples,
    failures: budget.failures,
    stallOverMs: budget.stallOverMs,
    // From the defaults it may stand on a limit that nothing can prove.
    confidence:
      !isRelative(limit) && (limit.allowed === null || limit.allowed.numerator === 0)
        ? null
        : (budget.confidence ?? null),
    window: budget.window ?? null,
    ...comparisonOf(budget, limit, cells),
    ...(budget.failAfter === undefined ? {} : { failAfter: budget.failAfter }),
    ...acknowledgedFor(budget, cells),
    source: override?.limit === undefined ? budget.source : override.source,
    cells,
  }
}

/** The cases of one budget, in the order of their first cell. */
export function casesOf(budget: Budget, cells: readonly CellKey[]): BudgetCase[] {
  const pools = new Map<string, [CellKey, ...CellKey[]]>()
  for (const { probe, target, prompt } of cells) {
    const cell = { probe, target, prompt }
    if (!cellMatches(budget.where, cell)) continue
    // The baseline is not compared with itself.
    if (budget.baseline?.kind === 'target' && budget.baseline.target === target) continue
    const key = JSON.stringify(KEPT_APART[budget.per].map((part) => cell[part]))
    const pool = pools.get(key)
    if (pool === undefined) pools.set(key, [cell])
    else pool.push(cell)
  }
  return Array.from(pools.values(), (pool) => caseOf(budget, nameOf(pool[0], budget.per), pool))
}

/**
 * Every verdict to reach: each budget on each cell or pool that it matches. `where` picks cells, `per` pools what is left inside
 * one probe, the last override that matches wins. In the order of `slo.yaml`, then of `cells`.
 */
export function budgetCases(file: BudgetFile, cells: readonly CellKey[]): BudgetCase[] {
  return file.budgets.flatMap((budget) => casesOf(budget, cells))
}
