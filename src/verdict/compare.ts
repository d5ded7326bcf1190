import type { BudgetCase } from '../budget/types.ts'
import { isUpper, printRelative } from '../budget/index.ts'
import { binomialUpperTail, harrellDavis, holm, sortSamples } from '../statistics/index.ts'
import { cutsOf, Rounds, twoArms } from './arms.ts'
import type { TwoArms } from './arms.ts'
import { beyondOfArms, beyondOfNight } from './beyond.ts'
import type { Beyond } from './beyond.ts'
import { alphaOf, cutRule, limitFrom, relativeCase, testArms } from './comparison.ts'
import type { CutRule, PairedTest, RelativeCase } from './comparison.ts'
import { isLost, shareOf } from './cut-off.ts'
import type { Answers } from './cut-off.ts'
import { leftOutReason } from './decide.ts'
import { answersOf, BaselineRuns, nightOf, testNights } from './nights.ts'
import type { Night, NightsTest } from './nights.ts'
import { pooledOf, poolKey } from './pool.ts'
import type { Pool, Pooled, Samples } from './pool.ts'
import { holds } from './readings.ts'
import type { Comparison, Finding, JudgeInput, Verdict } from './types.ts'

/** A comparison that could be tested, or why not. */
export type Compared = RelativeCase & {
  readonly pool: Pool
  readonly reason: NonNullable<Finding['reason']> | null
  /** The candidate lost most of its requests and has too few numbers, while the baseline has enough: a failure that needs no test. */
  readonly lost: Answers | null
} & (
    | { readonly kind: 'arms'; readonly arms: TwoArms; readonly cut: CutRule; readonly test: PairedTest | null }
    | { readonly kind: 'nights'; readonly night: Night; readonly answers: Answers; readonly test: NightsTest }
  )

/** What came of a comparison. */
export interface ComparedVerdict {
  readonly verdict: Verdict
  readonly reason: NonNullable<Finding['reason']> | null
  readonly value: number | null
  /** `value` rests on requests that were cut off: the true one is at least as bad. */
  readonly isBound: boolean
  readonly limit: number | null
  readonly n: number
  readonly censored: number
  readonly comparison: Comparison
}

function poolReason({ coverage, samples }: Pool): NonNullable<Finding['reason']> | null {
  if (coverage.leftOut > 0) return leftOutReason(coverage)
  return samples.length === 0 || coverage.empty > 0 ? 'no-samples' : null
}

function armsReason(
  { budgetCase }: RelativeCase,
  { pairs }: TwoArms,
  { mayFail, mayPass }: CutRule,
): NonNullable<Finding['reason']> | null {
  const { minSamples } = budgetCase
  if (pairs.length === 0) return 'no-baseline'
  if (minSamples === null || pairs.length < minSamples) return 'too-few-samples'
  return mayFail || mayPass ? null : 'censored'
}

function nightReason(night: Night, test: NightsTest, minSamples: number | null): NonNullable<Finding['reason']> | null {
  if (night.value === null) return night.n < (minSamples ?? Infinity) ? 'too-few-samples' : 'censored'
  return test.nights === 0 ? 'no-baseline' : null
}

/** What comparisons look up together. */
interface Lookup {
  readonly rounds: Rounds
  readonly baselines: BaselineRuns
}

function prepare(compared: RelativeCase, pool: Pool, { rounds, baselines }: Lookup): Compared {
  const { budgetCase, limit } = compared
  const { minSamples, baseline } = budgetCase
  const reason = poolReason(pool)
  if (baseline?.kind === 'file' || baseline?.kind === 'history') {
    const night = nightOf(compared, pool.pooled)
    const test = testNights(compared, night.value, baselines.of(budgetCase, pool.samples))
    const answers = answersOf(compared, pool.pooled)
    const lost = reason === null && test.nights > 0 && isLost(answers, minSamples) ? answers : null
    const found = { ...compared, pool, kind: 'nights' as const, night, answers, test, lost }
    return { ...found, reason: reason ?? (lost === null ? nightReason(night, test, minSamples) : null) }
  }
  const arms = twoArms(budgetCase, limit, rounds)
  const cut = cutRule(arms, compared)
  const whole = reason ?? (arms.mixed ? 'no-baseline' : null)
  const { candidate, baseline: current } = arms.answers
  const isMeasured = current.numbers >= Math.max(1, minSamples ?? Infinity)
  const lost = whole === null && isMeasured && isLost(candidate, minSamples) ? candidate : null
  const found = { ...compared, pool, kind: 'arms' as const, arms, cut, test: null, lost }
  return { ...found, reason: whole ?? (lost === null ? armsReason(compared, arms, cut) : null) }
}

/** A comparison with what Holm makes of its p-value. */
export interface Tested {
  readonly compared: Compared
  readonly comparisons: number
  readonly pAdjusted: number | null
}

function isTestable({ reason, lost }: Compared): boolean {
  return reason === null && lost === null
}

function pOf(compared: Compared): number | null {
  return isTestable(compared) ? (compared.test?.pValue ?? null) : null
}

/**
 * Every relative case of a run, compared, and its p-value adjusted for all of them.
 * @returns by the place of the case; absolute ones are not in it
 */
export function compareAll(
  cases: readonly BudgetCase[],
  samples: Samples,
  poolFor: (budgetCase: BudgetCase, pooled: Pooled) => Pool,
  input: JudgeInput,
): ReadonlyMap<number, Tested> {
  const lookup: Lookup = { rounds: new Rounds(samples.own), baselines: new BaselineRuns(cases, input) }
  const pools = new Map<string, Pooled>()
  const pooled = (budgetCase: BudgetCase): Pooled => {
    const key = poolKey(budgetCase)
    const found = pools.get(key) ?? pooledOf(budgetCase, samples)
    pools.set(key, found)
    return found
  }
  const prepared = cases.flatMap((budgetCase, at) => {
    const relative = relativeCase(budgetCase)
    if (relative === null) return []
    return [{ at, compared: prepare(relative, poolFor(budgetCase, pooled(budgetCase)), lookup) }]
  })
  const comparisons = prepared.filter(({ compared }) => isTestable(compared)).length
  const tested = prepared.map(({ at, compared }) => ({
    at,
    compared:
      compared.kind === 'arms' && isTestable(compared)
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

/**
 * Whether more of the candidate's requests are beyond the limit than the percentile allows, by more than chance. A number that rests on
 * requests which were cut off may be beyond it for a few of them: two at 240 s lift a p95 that their count leaves alone.
 */
function isProvenBeyond({ limit, budgetCase }: RelativeCase, n: number, { beyond }: Beyond): boolean {
  const q = shareOf(limit)
  if (q === null) return true
  return binomialUpperTail(beyond, n, isUpper(limit.operator) ? 1 - q : q) <= alphaOf(budgetCase)
}

function armsVerdict(
  compared: Compared & { kind: 'arms' },
  limit: number,
  pAdjusted: number,
): Pick<ComparedVerdict, 'verdict' | 'reason'> {
  const { test, cut, arms } = compared
  const { isTouched, mayFail, mayPass } = cut
  const alpha = alphaOf(compared.budgetCase)
  const open = { verdict: 'inconclusive', reason: isTouched ? 'censored' : 'not-significant' } as const
  if (test === null) return open
  if (pAdjusted <= alpha && !test.belowFloor) {
    const isShown = !isTouched || isProvenBeyond(compared, arms.pairs.length, beyondOfArms(arms, compared.limit, limit))
    if (!mayFail || !isShown) return open
    // Holm multiplies both alike.
    const favourable = test.favourablePValue * (pAdjusted / test.pValue)
    return favourable <= alpha ? { verdict: 'fail', reason: null } : { verdict: 'inconclusive', reason: 'client-delay' }
  }
  return mayPass && (test.withinMargin || test.withinFloor) ? { verdict: 'pass', reason: null } : open
}

/** The baseline's statistic: of whole rounds as tested, or of all its numbers where the candidate has none to test. */
function baselineOf(compared: Compared): number | null {
  if (compared.kind === 'nights') return compared.test.center
  if (compared.test !== null || compared.lost === null) return compared.test?.arms.baseline ?? null
  const sorted = sortSamples(compared.arms.baselineValues)
  return sorted === undefined ? null : harrellDavis(sorted, shareOf(compared.limit))
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
      baselineValue: baselineOf(compared),
      bound: null,
      pairs: compared.test.nights,
      ...common,
    }
  }
  return {
    kind: 'target',
    baseline: baseline?.kind === 'target' ? baseline.target : '',
    baselineValue: baselineOf(compared),
    bound: compared.test?.bound ?? null,
    pairs: compared.arms.pairs.length,
    ...common,
  }
}

/** The verdict on a comparison. */
export function verdictOf(tested: Tested): ComparedVerdict {
  const { compared, pAdjusted } = tested
  const comparison = comparisonOf(tested)
  const { baselineValue } = comparison
  const limit = baselineValue === null ? null : limitFrom(baselineValue, compared.relative)
  const common = { ...measured(compared), limit, comparison }
  if (compared.lost !== null) return { verdict: 'fail', reason: null, ...common }
  if (compared.reason !== null || common.value === null || limit === null)
    return { verdict: 'inconclusive', reason: compared.reason ?? 'no-baseline', ...common }
  const judged =
    compared.kind === 'nights'
      ? nightVerdict(compared, common.value, limit, pAdjusted ?? 1)
      : armsVerdict(compared, limit, pAdjusted ?? 1)
  return { ...judged, ...common }
}

/** The candidate's numbers; without a value where it has too few of them to have one. */
function measured(compared: Compared): Pick<ComparedVerdict, 'value' | 'isBound' | 'n' | 'censored'> {
  if (compared.kind === 'nights') {
    const { value, isBound, n, censored } = compared.night
    if (compared.lost !== null) return { value: null, isBound: false, n, censored }
    return { value, isBound: isBound && value !== null, n, censored }
  }
  const { arms, cut, test } = compared
  const value = test?.arms.candidate ?? null
  return { value, isBound: cut.isBound && value !== null, n: arms.pairs.length, censored: cutsOf(arms).candidate }
}

function nightVerdict(
  compared: Compared & { kind: 'nights' },
  value: number,
  limit: number,
  pAdjusted: number,
): Pick<ComparedVerdict, 'verdict' | 'reason'> {
  const { night, test, budgetCase, pool } = compared
  const isWithin = holds(value, compared.limit.operator, limit)
  if (isWithin && !night.isBound) return { verdict: 'pass', reason: null }
  const isShown = (): boolean =>
    !night.isBound || isProvenBeyond(compared, night.n, beyondOfNight(budgetCase, pool.pooled, compared.limit, limit))
  if (!isWithin && pAdjusted <= alphaOf(budgetCase) && !isBelowFloor(compared, value, test.center) && isShown())
    return { verdict: 'fail', reason: null }
  return { verdict: 'inconclusive', reason: night.isBound ? 'censored' : 'not-significant' }
}

function isBelowFloor({ budgetCase }: RelativeCase, value: number, center: number | null): boolean {
  return center !== null && Math.abs(value - center) < (budgetCase.floor ?? 0)
}
