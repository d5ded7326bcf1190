import type { BudgetCase, CellKey } from '../budget/types.ts'
import { isUpper, printRelative } from '../budget/index.ts'
import type { Sample } from '../sample/types.ts'
import { seededRandom } from '../schedule/index.ts'
import { binomialUpperTail, PairedArms, samplesToProve } from '../statistics/index.ts'
import { observe } from './censoring.ts'
import { alphaOf, distancesOf, relativeCase, withoutMargin } from './comparison.ts'
import type { RelativeCase } from './comparison.ts'
import { shareOf } from './cut-off.ts'
import { compareWithAllowed } from './evidence.ts'
import { indexSamples } from './pool.ts'

/** What one request of a cell takes; `null` where nobody knows. */
export interface RequestNeeds {
  /** Milliseconds of wall clock between rounds; with `every: '0s'` what a round takes. */
  readonly everyMs: number | null
  /** Prompt and completion together. */
  readonly tokens: number | null
  readonly cost: number | null
  readonly currency: string | null
}

/** What more rounds would take, over all cells of the case (and of its baseline). */
export interface Effort {
  readonly rounds: number
  readonly requests: number
  readonly hours: number | null
  readonly tokens: number | null
  readonly cost: number | null
  readonly currency: string | null
}

/** What a schedule can find out about one budget, before it is paid for. Plain JSON. */
export interface Power {
  /** Samples of the case; paired rounds where it compares with a target. `null`: the clock ends the run. */
  readonly planned: number | null
  /** Samples from which on a pass is meaningful: `min_samples`. */
  readonly meaningful: number | null
  /** Samples without any beyond that prove a pass at `confidence`; `null` where nothing can. */
  readonly proven: number | null
  /** Chance that the run fails what is truly broken, from 0 to 1; `null` where nobody can say. */
  readonly caught: {
    /** Twice as many requests beyond as allowed; twice the margin, where it compares. */
    readonly twice: number
    readonly fiveTimes: number
  } | null
  /** Chance that the run fails a target which has half as many beyond as allowed. */
  readonly falseAlarm: number | null
  /** Chance that a candidate which equals its baseline passes; `null` where nothing is compared, or nobody can say. */
  readonly unchangedPasses: number | null
  /** Why nobody can say what a comparison finds out: what is missing; `null` where nothing is. */
  readonly unknown: string | null
  /** What a proof takes; `null` where none is possible. */
  readonly toProve: Effort | null
}

/** What is known before the run. */
export interface PowerFacts {
  readonly planned: number | null
  readonly needs: (cell: CellKey) => RequestNeeds
  /** Of an earlier run, for comparisons: nights are drawn from those of the baseline; else from a lognormal as wide as the study's. */
  readonly earlier?: readonly Sample[]
}

/** Least K that fails n samples: over the limit by count, or by proof where only a proof decides. */
function failsFrom(budgetCase: BudgetCase, n: number, e: number): number {
  const { limit, minSamples, confidence } = budgetCase
  const alpha = alphaOf(budgetCase) * (1 + 1e-12)
  let proof = Math.max(1, Math.floor(n * e))
  while (proof <= n && binomialUpperTail(proof, n, e) > alpha) proof += 1
  if ((confidence ?? null) !== null || minSamples === null || n < minSamples || limit.allowed === null) return proof
  const strict = limit.kind !== 'statistic' && (limit.operator === '<' || limit.operator === '>')
  let count = Math.max(0, Math.floor(n * e) - 1)
  while (compareWithAllowed(count, n, limit.allowed) < (strict ? 0 : 1)) count += 1
  return Math.min(count, proof)
}

function sum(values: readonly (number | null)[]): number | null {
  return values.reduce((total, value) => (total === null || value === null ? null : total + value), 0)
}

function effort(budgetCase: BudgetCase, samples: number, needs: PowerFacts['needs']): Effort {
  const own = budgetCase.cells.length
  const rounds = Math.ceil(samples / own)
  const each = [...budgetCase.cells, ...(budgetCase.baselineCells ?? [])].map(needs)
  const times = (value: number | null): number | null => (value === null ? null : value * rounds)
  const everyMs = each.reduce<number | null>(
    (most, { everyMs: every }) => (most === null || every === null ? null : Math.max(most, every)),
    0,
  )
  const currencies = new Set(each.map(({ currency }) => currency))
  const [currency = null] = currencies
  return {
    rounds,
    requests: rounds * each.length,
    hours: everyMs === null ? null : (everyMs * rounds) / 3_600_000,
    tokens: times(sum(each.map(({ tokens }) => tokens))),
    cost: currencies.size === 1 ? times(sum(each.map(({ cost }) => cost))) : null,
    currency: currencies.size === 1 ? currency : null,
  }
}

/** p95 of TTFT is about 1.8 times its median in three of the study's four models: ln 1.8 / 1.645. */
const STUDY_SIGMA = 0.36
const NIGHTS = 100
const DRAWS = 400

/** Values of the metric in an earlier run of the baseline, or of the candidate where the baseline was not asked. */
function earlierValues({ budgetCase, limit }: RelativeCase, earlier: readonly Sample[]): readonly number[] {
  const valuesIn = (cells: readonly CellKey[]): readonly number[] => {
    const index = indexSamples(earlier, cells)
    return [...index.values()].flat().flatMap((sample) => {
      const seen = observe(sample, limit.metric)
      return seen.kind === 'value' ? [seen.value] : []
    })
  }
  const values = valuesIn(budgetCase.baselineCells ?? [])
  return values.length > 0 ? values : valuesIn(budgetCase.cells)
}

function drawer(values: readonly number[], random: () => number): () => number {
  if (values.length > 0) return () => values[Math.floor(random() * values.length)] ?? 0
  return () => Math.exp(STUDY_SIGMA * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()))
}

/** A value that is `times` as far on the bad side as the margin allows. */
function worsened(value: number, { limit, relative }: RelativeCase, times: number): number {
  const by = times * Math.abs(relative.by) * (isUpper(limit.operator) ? 1 : -1)
  return relative.kind === 'ratio' ? value * Math.max(0.01, 1 + by) : Math.max(0, value + by)
}

/** Shares of imagined nights that pass and fail, when the candidate is `times` as much worse than the baseline as the margin allows. */
function imagined(
  compared: RelativeCase,
  rounds: number,
  times: number,
  values: readonly number[],
): { pass: number; fail: number } {
  const { budgetCase, limit, relative } = compared
  const random = seededRandom(0, 'power', budgetCase.budget, budgetCase.target, budgetCase.prompt, times)
  const draw = drawer(values, random)
  const alpha = alphaOf(budgetCase)
  const { plain, studentised } = distancesOf(compared)
  let pass = 0
  let fail = 0
  for (let night = 0; night < NIGHTS; night += 1) {
    const arms = new PairedArms(
      Array.from({ length: rounds }, () => ({
        candidate: withoutMargin(worsened(draw(), compared, times), relative),
        baseline: draw(),
      })),
      { q: shareOf(limit) },
    )
    const { worse, better } = arms.permutationPValues(studentised, DRAWS, random)
    if (worse <= alpha) fail += 1
    else if (better <= alpha && (arms.bootstrapUpperBounds([plain], alpha, DRAWS, random)[0] ?? 1) <= 0) pass += 1
  }
  return { pass: pass / NIGHTS, fail: fail / NIGHTS }
}

/** Why nobody can say what a comparison finds out; `null` where it can be said. */
function whyUnknown({ budgetCase, relative, limit }: RelativeCase, pairs: number, known: boolean): string | null {
  const { baseline, minSamples } = budgetCase
  if (baseline?.kind !== 'target') return 'nights decide; from 19 on one that is worse than all fails'
  if (minSamples === null || pairs < minSamples) return null
  if (relative.kind === 'ratio' || known) return null
  return `no earlier run tells whether ${printRelative(relative, limit.unit)} is much`
}

function comparisonPower(
  compared: RelativeCase,
  { planned, earlier = [] }: PowerFacts,
): Pick<Power, 'caught' | 'unchangedPasses' | 'unknown'> {
  const { budgetCase, relative } = compared
  const values = earlierValues(compared, earlier)
  const pairs = planned ?? 0
  const unknown = whyUnknown(compared, pairs, values.length > 0)
  if (unknown !== null || pairs < (budgetCase.minSamples ?? Infinity))
    return { caught: null, unchangedPasses: null, unknown }
  const { pass } = imagined(compared, pairs, 0, values)
  if (relative.by === 0) return { caught: null, unchangedPasses: pass, unknown }
  return {
    caught: {
      twice: imagined(compared, pairs, 2, values).fail,
      fiveTimes: imagined(compared, pairs, 5, values).fail,
    },
    unchangedPasses: pass,
    unknown,
  }
}

/**
 * What the planned samples can find out about a budget, if requests are independent. Percentiles, rates and shares exactly, by the
 * binomial; comparisons by seeded imagined nights.
 */
export function powerOf(budgetCase: BudgetCase, facts: PowerFacts): Power {
  const { limit, minSamples } = budgetCase
  const { planned, needs } = facts
  const compared = relativeCase(budgetCase)
  const common = { planned, meaningful: minSamples }
  if (compared !== null) {
    return { ...common, proven: null, falseAlarm: null, toProve: null, ...comparisonPower(compared, facts) }
  }
  const { allowed } = limit
  if (allowed === null || allowed.numerator === 0) {
    return {
      ...common,
      proven: null,
      caught: null,
      falseAlarm: null,
      unchangedPasses: null,
      unknown: null,
      toProve: null,
    }
  }
  const e = allowed.numerator / allowed.denominator
  const proven = samplesToProve(0, e, alphaOf(budgetCase))
  const from = planned === null || planned === 0 ? null : failsFrom(budgetCase, planned, e)
  const fails = (share: number): number =>
    from === null || planned === null ? 0 : binomialUpperTail(from, planned, Math.min(1, share))
  return {
    ...common,
    proven,
    caught: from === null ? null : { twice: fails(2 * e), fiveTimes: fails(5 * e) },
    falseAlarm: from === null ? null : fails(e / 2),
    unchangedPasses: null,
    unknown: null,
    toProve: proven === null ? null : effort(budgetCase, proven, needs),
  }
}
