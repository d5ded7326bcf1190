import type { BudgetCase, BudgetDefaults, CellKey, Limit } from '../budget/types.ts'
import { cappedOnInconclusive, isUpper } from '../budget/index.ts'
import { SloError } from '../errors.ts'
import type { Sample } from '../sample/types.ts'
import { isAborted } from './censoring.ts'
import { delayBoundMs } from './client-delay.ts'
import { compareAll } from './compare.ts'
import { comparisonFinding } from './comparison-finding.ts'
import { decide } from './decide.ts'
import type { Coverage, Decision } from './decide.ts'
import { lenient } from './leniency.ts'
import { messageFor } from './message.ts'
import { cellKey, pooledOf, poolKey, poolOf, samplesOf } from './pool.ts'
import type { Pool, Pooled } from './pool.ts'
import { PooledSamples } from './pooled-samples.ts'
import { readingsAt, readingsOf } from './readings.ts'
import type { Reading, Readings } from './readings.ts'
import { tallyOf } from './tally.ts'
import type { Tally } from './tally.ts'
import type { Finding, JudgeInput } from './types.ts'
import { mostDelayed, worstPlaces, worstReadings, worstSample } from './worst.ts'

interface Judged {
  readonly tally: Tally
  readonly decision: Decision
  readonly readings: Readings
  /** Whose delay decides, worst first, five at most; empty unless it does. */
  readonly delayed: readonly Reading[]
  /** There are more than those. */
  readonly moreDelayed: boolean
}

function highIsBad({ limit }: BudgetCase): boolean {
  if (limit.kind !== 'share') return isUpper(limit.operator) || limit.kind === 'rate'
  // A sample is bad on the far side of the inner comparison where hits are wanted, else where it is true.
  return isUpper(limit.operator) !== isUpper(limit.threshold.operator)
}

/** Of two sets of readings of the same samples: those that delay alone put beyond the limit, or else those that it moved most. */
function delayedReadings(
  budgetCase: BudgetCase,
  measured: Readings,
  favourable: Readings,
): Pick<Judged, 'delayed' | 'moreDelayed'> {
  const turned = [...readingsAt(measured, (place) => measured.beyond[place] === 1 && favourable.beyond[place] === 0)]
  if (turned.length > 0) {
    const delayed = worstReadings(turned, highIsBad(budgetCase))
    return { delayed, moreDelayed: turned.length > delayed.length }
  }
  const { limit } = budgetCase
  if (limit.kind === 'rate') return { delayed: [], moreDelayed: false }
  return {
    delayed: mostDelayed(readingsAt(measured), ({ sample }) => delayBoundMs(sample, limit.metric)),
    moreDelayed: false,
  }
}

/**
 * Judged twice (point 5). Delay only ever lengthens times, so moving them to the favourable end can only turn a failure; a verdict that it
 * turns is inconclusive.
 */
function judgeTwice(budgetCase: BudgetCase, pooled: PooledSamples, coverage: Coverage): Judged {
  const readings = readingsOf(budgetCase, pooled, 'measured')
  const tally = tallyOf(budgetCase, readings)
  const decision = decide(budgetCase, tally, coverage)
  if (decision.verdict !== 'fail' || !pooled.isDelayed)
    return { tally, decision, readings, delayed: [], moreDelayed: false }
  const favourable = readingsOf(budgetCase, pooled, 'favourable')
  const second = decide(budgetCase, tallyOf(budgetCase, favourable), coverage)
  if (second.verdict === 'fail') return { tally, decision, readings, delayed: [], moreDelayed: false }
  return {
    tally,
    decision: {
      verdict: 'inconclusive',
      reason: 'client-delay',
      // What only late stamps prove is not proven.
      evidence: decision.evidence === null ? null : { ...decision.evidence, proven: null, samplesMissing: null },
    },
    readings,
    ...delayedReadings(budgetCase, readings, favourable),
  }
}

function worstOf(budgetCase: BudgetCase, { readings, delayed }: Judged): Finding['worst'] {
  const isRate = budgetCase.limit.kind !== 'statistic'
  // A good sample is nobody's worst where samples only count; where they have a number the largest are of interest in a pass too.
  const isCandidate = (place: number): boolean => !isRate || readings.beyond[place] === 1
  return [...delayed, ...worstPlaces(readings, isCandidate, highIsBad(budgetCase))]
    .filter(({ sample }, place, all) => all.findIndex((each) => each.sample === sample) === place)
    .slice(0, 5)
    .map((reading) => worstSample(reading, readings.unit, isRate))
}

function statisticName(limit: Limit): string {
  return limit.kind === 'statistic' ? limit.statistic : limit.kind
}

function findingOf(budgetCase: BudgetCase, { pooled, coverage, broken, currency, window }: Pool): Finding {
  const judged = judgeTwice(budgetCase, pooled, coverage)
  const { tally, decision } = judged
  const { limit, budget, probe, target, prompt } = budgetCase
  const { failed } = pooled
  return {
    budget,
    probe,
    target,
    prompt,
    verdict: decision.verdict,
    severity: budgetCase.severity,
    metric: limit.metric,
    statistic: statisticName(limit),
    threshold: limit.kind === 'share' ? limit.threshold : null,
    operator: limit.operator,
    limit: limit.value,
    value: tally.value,
    unit: limit.unit,
    n: tally.n,
    beyond: tally.beyond,
    failed,
    censored: tally.censored,
    evidence: decision.evidence,
    source: budgetCase.source,
    message: messageFor({
      budgetCase,
      tally,
      decision,
      coverage,
      samples: pooled.samples.length,
      unheard: failed - judged.readings.observed.unsuccessful,
      currency,
      delayed: judged.delayed.map(({ sample }) => sample),
      moreDelayed: judged.moreDelayed,
      window,
    }),
    onInconclusive: budgetCase.onInconclusive,
    text: limit.text,
    ...(decision.reason === null ? {} : { reason: decision.reason }),
    valueIsBound: tally.valueIsBound,
    worst: worstOf(budgetCase, judged),
    failures: pooled.failures,
    currency,
    broken,
    ...(window === null ? {} : { window }),
  }
}

/**
 * Every case judged on the samples of its cells, in the order of `cases`. Pure: the same samples in any order give the same findings,
 * so judging the CSV again gives what the run gave.
 */
export function judgeAll(cases: readonly BudgetCase[], input: JudgeInput): Finding[] {
  const samples = samplesOf(cases, input)
  const incomplete = new Set(input.incomplete.map(cellKey))
  const pool = (budgetCase: BudgetCase, pooled: Pooled): Pool => poolOf(budgetCase, pooled, samples, incomplete, input)
  const compared = compareAll(cases, samples, pool, input)
  const judged = (budgetCase: BudgetCase, at: number, pooled: Pooled): Finding => {
    const tested = compared.get(at)
    const finding = tested === undefined ? findingOf(budgetCase, pool(budgetCase, pooled)) : comparisonFinding(tested)
    const { failAfter = 1, acknowledge = [] } = budgetCase
    if (failAfter === 1 && acknowledge.length === 0) return finding
    return lenient(finding, budgetCase, samples, input, judge)
  }
  // Pool by pool, so that what is worked out of its samples is shared by its budgets, and held no longer than for them.
  const pools = Map.groupBy(
    cases.map((budgetCase, at) => ({ budgetCase, at })),
    ({ budgetCase }) => poolKey(budgetCase),
  )
  return [...pools.values()]
    .flatMap((members) => {
      const [first] = members
      if (first === undefined) return []
      const pooled = pooledOf(first.budgetCase, samples)
      return members.map(({ budgetCase, at }) => ({ at, finding: judged(budgetCase, at, pooled) }))
    })
    .sort((one, other) => one.at - other.at)
    .map(({ finding }) => finding)
}

/** One case judged; see {@link judgeAll}, which is faster for several, and adjusts comparisons for each other. */
export function judge(budgetCase: BudgetCase, input: JudgeInput): Finding {
  const [finding] = judgeAll([budgetCase], input)
  if (finding === undefined) throw new RangeError('one case gives one finding')
  return finding
}

/** A longer gap is a stall for `stall_rate`, where no budget says otherwise. */
const STALL_OVER_MS = 5000

/** The name that all samples share, or `'all'`. */
function sharedName(samples: readonly Sample[], part: keyof CellKey): string {
  const names = new Set(samples.map((sample) => sample[part]))
  const [only] = names
  return names.size === 1 && only !== undefined ? only : 'all'
}

/**
 * A limit judged on samples given directly, whatever their cells: what `expect(samples).toMeet('p99 ttft < 10s')` does. Points 1 to 5 hold
 * as for a budget; nothing is known of cells that were left out.
 * @returns a finding whose budget is the limit's text, and whose place is no file
 * @throws SloError `LIMIT_INVALID` for a limit that is relative to a baseline
 */
export function judgeLimit(limit: Limit, samples: readonly Sample[], defaults: BudgetDefaults): Finding {
  if (limit.kind === 'statistic' && limit.relative !== undefined) {
    throw new SloError('LIMIT_INVALID', `\`${limit.text}\`: given samples have no baseline`, {
      hint: 'write a fixed value, or the budget in slo.yaml',
    })
  }
  const counted = samples.filter((sample) => !isAborted(sample))
  const name = {
    probe: sharedName(counted, 'probe'),
    target: sharedName(counted, 'target'),
    prompt: sharedName(counted, 'prompt'),
  }
  const budgetCase: BudgetCase = {
    budget: limit.text,
    ...name,
    limit,
    severity: defaults.severity,
    onInconclusive: cappedOnInconclusive(defaults.severity, defaults.onInconclusive),
    minSamples: defaults.minSamples ?? limit.autoMinSamples,
    failures: defaults.failures,
    stallOverMs: STALL_OVER_MS,
    confidence: limit.allowed === null || limit.allowed.numerator === 0 ? null : (defaults.confidence ?? null),
    source: { file: 'toMeet', line: 1, column: 1 },
    cells: [name],
  }
  return findingOf(budgetCase, {
    pooled: new PooledSamples(counted),
    samples: counted,
    coverage: { leftOut: 0, empty: 0 },
    broken: false,
    currency: null,
    window: null,
  })
}
