import { casesOf } from './cases.ts'
import { cellId, nameList } from './cell-names.ts'
import { printValue } from './limit-print.ts'
import { CUT_BY, isTimeMetric } from './metrics.ts'
import type {
  Budget,
  BudgetCase,
  BudgetFile,
  BudgetProblem,
  CellFacts,
  CheckContext,
  Limit,
  Timeouts,
} from './types.ts'

/** The longest time that a limit must be able to see, and the timeouts that could cut it short. */
function longestSeen(budgetCase: BudgetCase): { ms: number; cutBy: readonly (keyof Timeouts)[] } | undefined {
  const { limit } = budgetCase
  if (limit.kind === 'rate') {
    return limit.metric === 'stall_rate' ? { ms: budgetCase.stallOverMs, cutBy: ['stall'] } : undefined
  }
  if (!isTimeMetric(limit.metric)) return undefined
  // What the baseline will be, nobody knows yet; the verdict cuts both arms alike.
  if (limit.kind === 'statistic' && limit.relative !== undefined) return undefined
  return { ms: limit.kind === 'share' ? limit.threshold.value : limit.value, cutBy: CUT_BY[limit.metric] }
}

function factsOf(budgetCase: BudgetCase, facts: ReadonlyMap<string, CellFacts>): CellFacts[] {
  return budgetCase.cells.flatMap((cell) => facts.get(cellId(cell)) ?? [])
}

/** Place and length of the limit that decides a case. */
function placeOf(budget: Budget, budgetCase: BudgetCase): Pick<BudgetProblem, 'source' | 'length'> {
  const override = budget.overrides.find((each) => each.source === budgetCase.source)
  return { source: budgetCase.source, length: (override ?? budget).sourceLength ?? 1 }
}

interface Cut {
  readonly name: keyof Timeouts
  readonly ms: number
  readonly targets: Set<string>
}

function timeoutProblem(
  place: Pick<BudgetProblem, 'source' | 'length'>,
  limit: Limit,
  ms: number,
  cuts: readonly Cut[],
): BudgetProblem {
  const parts = cuts.map((cut) => `\`${cut.name}\` (${printValue(cut.ms, 'ms')}, ${nameList([...cut.targets])})`)
  const what = limit.metric === 'stall_rate' ? `\`stall_over\`, ${printValue(ms, 'ms')}` : printValue(ms, 'ms')
  const several = parts.length > 1
  const cut = several ? `the timeouts ${nameList(parts)} cut` : `the timeout ${nameList(parts)} cuts`
  const must = several ? 'they must' : 'it must'
  return {
    level: 'error',
    code: 'timeout-below-limit',
    message: `${cut} requests off before this limit can tell: ${must} be longer than ${what}`,
    hint: `raise it in the probe or the target: \`timeouts: { ${cuts[0]?.name ?? 'total'}: … }\`, or lower the limit`,
    ...place,
  }
}

/** A request that a timeout cuts at or below the limit would be called too slow without having been so. */
export function checkTimeouts(file: BudgetFile, context: CheckContext): BudgetProblem[] {
  const facts = new Map(context.cells.map((cell) => [cellId(cell), cell]))
  return file.budgets.flatMap((budget) => {
    const found = new Map<string, { budgetCase: BudgetCase; ms: number; cuts: Map<string, Cut> }>()
    for (const budgetCase of casesOf(budget, context.cells)) {
      const seen = longestSeen(budgetCase)
      if (seen === undefined) continue
      const key = `${budgetCase.source.line}:${budgetCase.source.column}`
      for (const cell of factsOf(budgetCase, facts)) {
        for (const name of seen.cutBy.filter((each) => cell.timeouts[each] <= seen.ms)) {
          const entry = found.get(key) ?? { budgetCase, ms: seen.ms, cuts: new Map<string, Cut>() }
          found.set(key, entry)
          const cutKey = `${name} ${cell.timeouts[name]}`
          const cut = entry.cuts.get(cutKey) ?? { name, ms: cell.timeouts[name], targets: new Set<string>() }
          entry.cuts.set(cutKey, cut)
          cut.targets.add(cell.target)
        }
      }
    }
    return Array.from(found.values(), ({ budgetCase, ms, cuts }) =>
      timeoutProblem(placeOf(budget, budgetCase), budgetCase.limit, ms, [...cuts.values()]),
    )
  })
}

/** Costs of two currencies cannot be compared with one number, and costs without a price do not exist. */
export function checkCurrencies(file: BudgetFile, context: CheckContext): BudgetProblem[] {
  const facts = new Map(context.cells.map((cell) => [cellId(cell), cell]))
  const problems = new Map<string, BudgetProblem>()
  for (const budget of file.budgets) {
    for (const budgetCase of casesOf(budget, context.cells)) {
      if (budgetCase.limit.metric !== 'cost') continue
      const cells = factsOf(budgetCase, facts)
      const currencies = [...new Set(cells.map((cell) => cell.currency))].filter((currency) => currency !== null)
      if (currencies.length === 1) continue
      const none = currencies.length === 0
      const targets = [...new Set(cells.map((cell) => cell.target))]
      const place = placeOf(budget, budgetCase)
      const code = none ? 'no-price' : 'two-currencies'
      const key = `${code} ${place.source?.line}:${place.source?.column}`
      if (problems.has(key)) continue
      problems.set(key, {
        level: 'error',
        code,
        message: none
          ? `no price is known for ${nameList(targets)}, so there is no cost to judge`
          : `one limit over costs in ${nameList(currencies)}`,
        hint: none
          ? 'give the target a `price`, or take it out with `where`'
          : '`per: target`, or a budget for each currency with `where`',
        ...place,
      })
    }
  }
  return [...problems.values()]
}
