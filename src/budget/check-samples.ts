import { trim } from '../units.ts'
import { casesOf } from './cases.ts'
import { cellId, cellName, nameList } from './cell-names.ts'
import type { Budget, BudgetCase, BudgetFile, BudgetProblem, CellFacts, CheckContext, Per } from './types.ts'

/** A case that the schedule does not give enough to. */
interface Short {
  readonly case: BudgetCase
  readonly needed: number
  readonly planned: number
  /** In the window, of earlier runs. */
  readonly earlier: number
  readonly level: 'error' | 'note'
}

function total(counts: readonly (number | null)[]): number | null {
  return counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0)
}

/** Looks up what is planned for the cells of a case. */
class Plan {
  readonly #facts: ReadonlyMap<string, CellFacts>
  readonly #narrowed: boolean
  readonly #earlier: (budgetCase: BudgetCase) => number

  constructor(context: CheckContext) {
    this.#facts = new Map(context.cells.map((cell) => [cellId(cell), cell]))
    this.#narrowed = context.narrowed
    this.#earlier = context.earlier ?? (() => 0)
  }

  of(budgetCase: BudgetCase, which: 'planned' | 'plannedByItself'): number | null {
    return total(budgetCase.cells.map((cell) => this.#facts.get(cellId(cell))?.[which] ?? null))
  }

  short(budgetCase: BudgetCase, per: Per): Short | undefined {
    const needed = samplesNeeded(budgetCase)
    const planned = this.of(budgetCase, 'planned')
    const earlier = (budgetCase.window ?? null) === null ? 0 : this.#earlier(budgetCase)
    if (needed === null || planned === null || planned + earlier >= needed) return undefined
    const byItself = this.of(budgetCase, 'plannedByItself')
    const cut = byItself === null || byItself >= needed || (this.#narrowed && per !== 'cell')
    // Nights fill a window one by one: the first ones cannot be enough.
    const level = cut || (budgetCase.window ?? null) !== null ? 'note' : 'error'
    return { case: budgetCase, needed, planned, earlier, level }
  }
}

/** The least n of which none lies beyond that proves a share of e kept: (1 − e)ⁿ ≤ 1 − confidence. p99 at 95%: 299. */
function cleanSamplesToProve({ limit, confidence }: BudgetCase): number {
  if (limit.allowed === null || (confidence ?? null) === null) return 0
  const { numerator, denominator } = limit.allowed
  return Math.ceil(Math.log(1 - (confidence ?? 0)) / Math.log1p(-numerator / denominator) - 1e-9)
}

function samplesNeeded(budgetCase: BudgetCase): number | null {
  const { minSamples } = budgetCase
  return minSamples === null ? null : Math.max(minSamples, cleanSamplesToProve(budgetCase))
}

function range(numbers: readonly number[]): string {
  const least = Math.min(...numbers)
  const most = Math.max(...numbers)
  return least === most ? String(least) : `${least} to ${most}`
}

function needsWords(short: Short, budget: Budget): string {
  const { limit, minSamples } = short.case
  if (minSamples !== null && short.needed > minSamples) {
    const what = limit.kind === 'statistic' ? limit.statistic : `\`${limit.text}\``
    return `a proof of ${what} at ${trim((short.case.confidence ?? 0) * 100, 4)} % needs at least ${short.needed}`
  }
  if (minSamples !== limit.autoMinSamples || budget.minSamples !== null) return `\`min_samples\` is ${short.needed}`
  return `${limit.kind === 'statistic' ? limit.statistic : `\`${limit.text}\``} needs ${short.needed}`
}

/** The narrowest pool that would be enough, where no override stands in its way. */
function enoughPer(budget: Budget, shorts: readonly Short[], context: CheckContext, plan: Plan): Per | undefined {
  const choices: readonly Per[] =
    budget.per === 'cell' ? ['target', 'probe'] : budget.per === 'target' || budget.per === 'prompt' ? ['probe'] : []
  const needed = Math.max(...shorts.map((short) => short.needed))
  return choices.find((per) => {
    const kept = per === 'target' ? ['probe', 'target'] : ['probe']
    const named = budget.overrides.flatMap((override) => Object.keys(override.where))
    const pools = casesOf({ ...budget, per, overrides: [] }, context.cells)
    return (
      named.every((key) => kept.includes(key)) &&
      pools.every((pool) => (plan.of(pool, 'plannedByItself') ?? needed) >= needed)
    )
  })
}

function shortProblem(
  budget: Budget,
  shorts: readonly [Short, ...Short[]],
  context: CheckContext,
  plan: Plan,
  cases: number,
): BudgetProblem {
  const [first] = shorts
  const gives = range(shorts.map((short) => short.planned))
  const where = shorts.length === cases ? '' : ` (${nameList(shorts.map((short) => cellName(short.case)))})`
  const window = (budget.window ?? null) !== null
  const earlier = window ? ` and earlier runs ${range(shorts.map((short) => short.earlier))}` : ''
  const message = `${needsWords(first, budget)}, this schedule gives ${gives} a ${budget.per}${earlier}${where}`
  const common = {
    code: 'too-few-samples',
    source: first.case.source,
    length: first.case.limit === budget.limit ? (budget.sourceLength ?? 1) : lengthOf(budget, first),
  }
  if (first.level === 'note') {
    return {
      ...common,
      level: 'note',
      message,
      hint: window
        ? 'it will be inconclusive until enough runs are in the window, unless a breach is proven'
        : 'the run was cut or narrowed: it will be inconclusive, unless a breach is proven',
    }
  }
  const rounds = Math.max(...shorts.map((short) => Math.ceil(short.needed / short.case.cells.length)))
  const per = enoughPer(budget, shorts, context, plan)
  const least = Math.min(...shorts.map((short) => short.planned))
  const ways = [
    ...(per === undefined ? [] : [`\`per: ${per}\``]),
    `\`rounds: ${rounds}\``,
    ...(least === 0 || first.needed !== first.case.minSamples ? [] : [`\`min_samples: ${least}\``]),
  ]
  return { ...common, level: 'error', message, hint: ways.join(', ').replace(/, (?=[^,]*$)/, ' or ') }
}

function lengthOf(budget: Budget, short: Short): number {
  return budget.overrides.find((override) => override.source === short.case.source)?.sourceLength ?? 1
}

/** The schedule must give each case its `min_samples`; one problem for each limit and level. */
export function checkSamples(file: BudgetFile, context: CheckContext): BudgetProblem[] {
  const plan = new Plan(context)
  return file.budgets.flatMap((budget) => {
    const cases = casesOf(budget, context.cells)
    const groups = new Map<string, [Short, ...Short[]]>()
    for (const budgetCase of cases) {
      const short = plan.short(budgetCase, budget.per)
      if (short === undefined) continue
      const key = `${short.level} ${budgetCase.source.line}:${budgetCase.source.column} ${short.needed}`
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [short])
      else group.push(short)
    }
    return Array.from(groups.values(), (shorts) => shortProblem(budget, shorts, context, plan, cases.length))
  })
}

/** Limits that allow no sample beyond cannot say by themselves how many samples they need. */
export function checkMinimums(file: BudgetFile): BudgetProblem[] {
  return file.budgets.flatMap((budget) =>
    [budget, ...budget.overrides.map((override) => ({ minSamples: budget.minSamples, ...override }))].flatMap(
      (entry) => {
        const { limit, minSamples, source, sourceLength } = entry
        if (limit === undefined || limit.autoMinSamples !== null || (minSamples ?? null) !== null) return []
        return [
          {
            level: 'error' as const,
            code: 'min-samples-needed',
            message: `\`${limit.text}\` ${limit.allowed?.numerator === 0 ? 'allows no exception' : 'looks at one sample only'}: how many samples must there be?`,
            hint: 'add `min_samples`, as in `min_samples: 100`',
            source,
            length: sourceLength ?? 1,
          },
        ]
      },
    ),
  )
}
