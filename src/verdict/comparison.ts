import type { BudgetCase, Relative, StatisticLimit } from '../budget/types.ts'
import { isUpper } from '../budget/index.ts'
import { seededRandom } from '../schedule/index.ts'
import { PairedArms } from '../statistics/index.ts'
import type { Arms, SpreadArms } from '../statistics/index.ts'
import { cutsOf, favourableArms } from './arms.ts'
import type { ArmPair, TwoArms } from './arms.ts'
import { areBounds, isCutTooMuch, shareOf } from './cut-off.ts'

/** Level of every comparison where no budget asks for another. */
const CONFIDENCE = 0.95
const LEAST_DRAWS = 2000

/** A case whose limit is relative. */
export interface RelativeCase {
  readonly budgetCase: BudgetCase
  readonly limit: StatisticLimit
  readonly relative: Relative
}

/** The case as a relative one, `null` where its limit is absolute. */
export function relativeCase(budgetCase: BudgetCase): RelativeCase | null {
  const { limit } = budgetCase
  if (limit.kind !== 'statistic' || limit.relative === undefined) return null
  return { budgetCase, limit, relative: limit.relative }
}

export function alphaOf({ confidence }: BudgetCase): number {
  return Number((1 - (confidence ?? CONFIDENCE)).toPrecision(12))
}

/** The limit that a baseline comes to. */
export function limitFrom(baseline: number, { kind, by }: Relative): number {
  return kind === 'ratio' ? baseline * (1 + by) : baseline + by
}

/** A candidate's value with the margin taken off: at the margin's edge it equals the baseline's. */
export function withoutMargin(value: number, { kind, by }: Relative): number {
  return kind === 'ratio' ? value / (1 + by) : value - by
}

/** What the samples say about a regression beyond the margin. */
export interface PairedTest {
  /** The statistics of both arms, by Harrell and Davis. */
  readonly arms: Arms
  readonly pValue: number
  /** The same with the candidate's times at the favourable end. */
  readonly favourablePValue: number
  /** Upper bound of the worsening: a ratio, or an amount for an additive margin; `null` where the permutations do not confirm it. */
  readonly bound: number | null
  /** Surely: by the bound, and because arms exchanged by chance are rarely as good. */
  readonly withinMargin: boolean
  /** Upper bound of the difference is within `floor`. */
  readonly withinFloor: boolean
  /** The difference is smaller than `floor`. */
  readonly belowFloor: boolean
}

function pairedArms(pairs: readonly ArmPair[], { limit, relative }: RelativeCase): PairedArms {
  return new PairedArms(
    pairs.map(({ candidate, baseline }) => ({
      candidate: withoutMargin(candidate.value ?? 0, relative),
      baseline: baseline.value ?? 0,
    })),
    { q: shareOf(limit) },
  )
}

const LEAST_POSITIVE = 1e-9

/** How far the candidate is on the bad side of the baseline. */
interface Distances {
  /** ln θ_candidate − ln θ_baseline, or a difference for an additive margin. */
  readonly plain: (arms: Arms) => number
  /**
   * The plain one in units of how far it may be off by chance. Undivided, arms of the same percentile whose values are spread differently
   * would be told apart in 7 to 10 % of all runs instead of 5 %: exchanged at random they are more alike than they are.
   *
   * Source: Chung and Romano, "Exact and Asymptotically Robust Permutation Tests", Ann. Statist. 41 (2013); the variance of an order
   * statistic by Maritz and Jarrett, "A Note on Estimating the Variance of the Sample Median", JASA 73 (1978).
   */
  readonly studentised: (arms: SpreadArms) => number
}

/** The distances that a limit is about. */
export function distancesOf({ limit: { operator }, relative }: RelativeCase): Distances {
  const worse = isUpper(operator) ? 1 : -1
  if (relative.kind === 'amount') {
    const plain = ({ candidate, baseline }: Arms): number => worse * (candidate - baseline)
    return {
      plain,
      studentised: (arms) =>
        plain(arms) / Math.max(LEAST_POSITIVE, Math.sqrt(arms.candidateVariance + arms.baselineVariance)),
    }
  }
  const positive = (value: number): number => Math.max(value, LEAST_POSITIVE)
  const plain = ({ candidate, baseline }: Arms): number =>
    worse * (Math.log(positive(candidate)) - Math.log(positive(baseline)))
  return {
    plain,
    studentised: (arms) => {
      const candidate = arms.candidateVariance / positive(arms.candidate) ** 2
      const baseline = arms.baselineVariance / positive(arms.baseline) ** 2
      return plain(arms) / Math.max(LEAST_POSITIVE, Math.sqrt(candidate + baseline))
    },
  }
}

/**
 * The test of a regression: the distance after the margin is taken off the candidate, labels permuted within rounds; and one set of
 * resampled rounds for the upper bounds. Seeded by the case's name.
 * @param comparisons - of the run: the smallest p that Holm can ask for must be drawn well enough
 */
export function testArms(arms: TwoArms, compared: RelativeCase, comparisons: number): PairedTest {
  const { budgetCase, limit, relative } = compared
  const alpha = alphaOf(budgetCase)
  const draws = Math.max(LEAST_DRAWS, Math.ceil((20 * comparisons) / alpha))
  const worse = isUpper(limit.operator) ? 1 : -1
  const seed = (what: string): (() => number) =>
    seededRandom(0, what, budgetCase.budget, budgetCase.probe, budgetCase.target, budgetCase.prompt)
  const { plain, studentised } = distancesOf(compared)
  const withMargin = (value: number): number =>
    relative.kind === 'ratio' ? value * (1 + relative.by) : value + relative.by
  const difference = ({ candidate, baseline }: Arms): number => worse * (withMargin(candidate) - baseline)
  const measured = pairedArms(arms.pairs, compared)
  const observed = measured.observed()
  const [marginBound = Infinity, differenceBound = Infinity] = measured.bootstrapUpperBounds(
    [plain, difference],
    alpha,
    draws,
    seed('bootstrap'),
  )
  const { worse: pValue, better } = measured.permutationPValues(studentised, draws, seed('permutation'))
  // Delay can only make the candidate look worse: what is not significant as measured needs no second look.
  const favourablePValue =
    pValue > alpha
      ? pValue
      : pairedArms(favourableArms(arms, limit), compared).permutationPValues(studentised, draws, seed('permutation'))
          .worse
  const floor = budgetCase.floor ?? 0
  // Of a percentile that rests on a few samples the bootstrap knows too little: it would call 9 % of the regressions at the margin of a p99
  // of 100 rounds none. What the permutations do not confirm is no bound.
  const isBelow = marginBound <= 0
  const isBetter = better <= alpha
  const bound =
    relative.kind === 'ratio' ? Math.exp(worse * marginBound) * (1 + relative.by) : worse * marginBound + relative.by
  return {
    arms: { candidate: withMargin(observed.candidate), baseline: observed.baseline },
    pValue,
    favourablePValue,
    bound: isBelow && !isBetter ? null : bound,
    withinMargin: isBelow && isBetter,
    withinFloor: floor > 0 && differenceBound <= floor,
    belowFloor: floor > 0 && difference(observed) < floor,
  }
}

/** Which verdicts requests that were cut off leave open. */
export interface CutRule {
  /** An arm rests on them too much to be a number: then only these verdicts are left. */
  readonly isTouched: boolean
  readonly mayFail: boolean
  readonly mayPass: boolean
  /** The candidate's number is one end of what it may be. */
  readonly isBound: boolean
}

/**
 * What is cut off is at least as bad as the number that stands for it.
 *
 * - The candidate's own can only make it worse: a regression that is significant stays one, and nothing passes that rests on them.
 * - Those of the baseline would make it worse, and so the candidate better. Where as many of the candidate's are cut off that changes no
 *   order, and a percentile may fail. Nothing else fails that rests on them; a pass stays one, if there are baseline numbers at all.
 */
export function cutRule(arms: TwoArms, { limit, budgetCase: { minSamples } }: RelativeCase): CutRule {
  const n = arms.pairs.length
  const cuts = cutsOf(arms)
  const candidate = isCutTooMuch(n, cuts.candidate, limit)
  const baseline = isCutTooMuch(n, cuts.baseline, limit)
  if (!candidate && !baseline) return { isTouched: false, mayFail: true, mayPass: true, isBound: false }
  const bounds = areBounds(limit, arms.isBounded)
  return {
    isTouched: true,
    mayFail: bounds && (!baseline || (shareOf(limit) !== null && cuts.candidate >= cuts.baseline)),
    mayPass: bounds && !candidate && n - cuts.baseline >= (minSamples ?? Infinity),
    isBound: candidate,
  }
}
