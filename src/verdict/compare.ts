import type { BudgetCase } from '../budget/types.ts'
import { printRelative } from '../budget/index.ts'
import { holm } from '../statistics/index.ts'
import { twoArms } from './arms.ts'
import type { TwoArms } from './arms.ts'
import { alphaOf, isCutTooMuch, limitFrom, relativeCase, testArms } from './comparison.ts'
import type { PairedTest, RelativeCase } from './comparison.ts'
import { leftOutReason } from './decide.ts'
import { nightOf, nightsOf, testNights } from './nights.ts'
import type { Night, NightsTest } from './nights.ts'
import type { Pool, Samples } from './pool.ts'
import { holds } from './readings.ts'
import type { Comparison, Finding, JudgeInput, Verdict } from './types.ts'

/** A comparison that could be tested, or why not. */
export type Compared = RelativeCase & {
  readonly pool: Pool
  readonly reason: NonNullable<Finding['reason']> | null
} & (
    | { readonly kind: 'arms'; readonly arms: TwoArms; readonly test: PairedTest | null }
    | { readonly kind: 'nights'; readonly night: Night; readonly test: NightsTest }
  )

/** What came of a comparison. */
export interface ComparedVerdict {
  readonly verdict: Verdict
  readonly reason: NonNullable<Finding['reason']> | null
  readonly value: number | null
  readonly limit: number | null
  readonly n: number
  readonly censored: number
  readonly comparison: Comparison
}

function poolReason({ coverage, samples }: Pool): NonNullable<Finding['reason']> | null {
  if (coverage.leftOut > 0) return leftOutReason(coverage)
  return samples.length === 0 || coverage.empty > 0 ? 'no-samples' : null
}

function armsReason({ budgetCase, limit }: RelativeCase, arms: TwoArms): NonNullable<Finding['reason']> | null {
  if (arms.mixed) return 'no-baseline'
  const { minSamples } = budgetCase
  if (arms.pairs.length === 0) return 'no-baseline'
  if (minSamples === null || arms.pairs.length < minSamples) return 'too-few-samples'
  return isCutTooMuch(arms, limit) ? 'censored' : null
}

function nightReason(night: Night, test: NightsTest, minSamples: number | null): NonNullable<Finding['reason']> | null {
  if (night.value === null) return night.n < (minSamples ?? Infinity) ? 'too-few-samples' : 'censored'
  return test.nights === 0 ? 'no-baseline' : null
}

function prepare(compared: RelativeCase, samples: Samples, pool: Pool, input: JudgeInput): Compared {
  const { budgetCase, limit } = compared
  const { baseline } = budgetCase
  const reason = poolReason(pool)
  if (baseline?.kind === 'file' || baseline?.kind === 'history') {
    const file = baseline.kind === 'file' ? baseline.file : null
    const runs = (input.baselines ?? []).filter((each) => each.file === file).flatMap((each) => each.samples)
    const night = nightOf(compared, pool.samples)
    const latest = pool.samples.reduce((last, { started_at }) => (started_at > last ? started_at : last), '')
    const since = baseline.kind === 'history' && latest !== '' ? Date.parse(latest) - baseline.forMs : -Infinity
    const recent = since === -Infinity ? runs : runs.filter(({ started_at }) => Date.parse(started_at) >= since)
    const test = testNights(compared, night.value ?? 0, nightsOf(compared, budgetCase.cells, recent, pool.samples))
    return {
      ...compared,
      pool,
      kind: 'nights',
      night,
      test,
      reason: reason ?? nightReason(night, test, budgetCase.minSamples),
    }
  }
  const arms = twoArms(budgetCase, limit, samples.own)
  return { ...compared, pool, kind: 'arms', arms, test: null, reason: reason ?? armsReason(compared, arms) }
}

/** A comparison with what Holm makes of its p-value. */
export interface Tested {
  readonly compared: Compared
  readonly comparisons: number
  readonly pAdjusted: number | null
}

function pOf(compared: Compared): number | null {
  return compared.reason === null ? (compared.test?.pValue ?? null) : null
}

/**
 * Every relative case of a run, compared, and its p-value adjusted for all of them.
 * @returns by the place of the case; absolute ones are not in it
 */
export function compareAll(
  cases: readonly BudgetCase[],
  samples: Samples,
  poolFor: (budgetCase: BudgetCase) => Pool,
  input: JudgeInput,
): ReadonlyMap<number, Tested> {
  const prepared = cases.flatMap((budgetCase, at) => {
    const relative = relativeCase(budgetCase)
    return relative === null ? [] : [{ at, compared: prepare(relative, samples, poolFor(budgetCase), input) }]
  })
  const comparisons = prepared.filter(({ compared }) => compared.reason === null).length
  const tested = prepared.map(({ at, compared }) => ({
    at,
    compared:
      compared.kind === 'arms' && compared.reason === null
        ? { ...compared, test: testArms(compared.arms, compared, comparisons) }
        : compared,
  }))
  const known = tested.flatMap(({ at, compared }) => {
    const p = pOf(compared)
    return p === null ? [] : [{ at, p }]
  })
  const adjusted = holm(known.map(({ p }) => p))
  const byPlace = new Map(known.map(({ at }, rank) => [at, adjusted[rank] ?? 1]))
  return new Map(tested.map(({ at, compared }) => [at, { compared, comparisons, pAdjusted: byPlace.get(at) ?? null }]))
}

function armsVerdict(
  compared: Compared & { kind: 'arms' },
  test: PairedTest,
  pAdjusted: number,
): Pick<ComparedVerdict, 'verdict' | 'reason'> {
  const alpha = alphaOf(compared.budgetCase)
  if (pAdjusted <= alpha && !test.belowFloor) {
    // Holm multiplies both alike.
    const favourable = test.favourablePValue * (pAdjusted / test.pValue)
    return favourable <= alpha ? { verdict: 'fail', reason: null } : { verdict: 'inconclusive', reason: 'client-delay' }
  }
  if (test.withinMargin || test.withinFloor) return { verdict: 'pass', reason: null }
  return { verdict: 'inconclusive', reason: 'not-significant' }
}

function comparisonOf({ compared, comparisons, pAdjusted }: Tested): Comparison {
  const { baseline } = compared.budgetCase
  const common = {
    margin: printRelative(compared.relative, compared.limit.unit),
    pValue: pOf(compared),
    pAdjusted,
    comparisons,
  }
  if (compared.kind === 'nights') {
    return {
      kind: baseline?.kind ?? 'history',
      baseline: baseline?.kind === 'file' ? baseline.file : 'history',
      baselineValue: compared.test.center,
      bound: null,
      pairs: compared.test.nights,
      ...common,
    }
  }
  return {
    kind: 'target',
    baseline: baseline?.kind === 'target' ? baseline.target : '',
    baselineValue: compared.test?.arms.baseline ?? null,
    bound: compared.test?.bound ?? null,
    pairs: compared.arms.pairs.length,
    ...common,
  }
}

/** The verdict on a comparison. */
export function verdictOf(tested: Tested): ComparedVerdict {
  const { compared, pAdjusted } = tested
  const comparison = comparisonOf(tested)
  const alpha = alphaOf(compared.budgetCase)
  if (compared.kind === 'nights') {
    const { night, test, reason } = compared
    const common = { value: night.value, limit: test.limit, n: night.n, censored: night.censored, comparison }
    if (reason !== null || night.value === null || test.limit === null)
      return { verdict: 'inconclusive', reason: reason ?? 'no-baseline', ...common }
    if (holds(night.value, compared.limit.operator, test.limit)) return { verdict: 'pass', reason: null, ...common }
    if ((pAdjusted ?? 1) <= alpha && !isBelowFloor(compared, night.value, test.center))
      return { verdict: 'fail', reason: null, ...common }
    return { verdict: 'inconclusive', reason: 'not-significant', ...common }
  }
  const { arms, test, reason } = compared
  const censored = arms.pairs.filter((pair) => pair.candidate.kind === 'censored').length
  const value = test?.arms.candidate ?? null
  const limit = test === null ? null : limitFrom(test.arms.baseline, compared.relative)
  const common = { value, limit, n: arms.pairs.length, censored, comparison }
  if (reason !== null || test === null) return { verdict: 'inconclusive', reason: reason ?? 'no-baseline', ...common }
  return { ...armsVerdict(compared, test, pAdjusted ?? 1), ...common }
}

function isBelowFloor({ budgetCase }: RelativeCase, value: number, center: number | null): boolean {
  return center !== null && Math.abs(value - center) < (budgetCase.floor ?? 0)
}
