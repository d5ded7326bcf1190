import type { ValueMetric } from '../budget/types.ts'
import { isUpper } from '../budget/index.ts'
import { trim } from '../units.ts'
import { amount, counted, percent, pInWords } from './amounts.ts'
import { cutsOf } from './arms.ts'
import type { Compared, ComparedVerdict, Tested } from './compare.ts'
import { alphaOf } from './comparison.ts'
import { shareOf } from './cut-off.ts'
import { holds } from './readings.ts'

function holmWords({ pValue, pAdjusted, comparisons }: ComparedVerdict['comparison']): string {
  if (pValue === null || pAdjusted === null) return ''
  return comparisons > 1 ? `${pInWords(pAdjusted)} by Holm over ${comparisons} comparisons` : pInWords(pAdjusted)
}

/** `20 % above` or `150 ms below`. */
function apart(value: number, baseline: number, compared: Compared, currency: string | null): string {
  const { relative, limit } = compared
  const side = value >= baseline ? 'above' : 'below'
  if (relative.kind === 'ratio' && baseline > 0) return `${percent(Math.abs(value / baseline - 1))} ${side}`
  return `${amount(Math.abs(value - baseline), limit.unit, currency)} ${side}`
}

function boundWords(
  { comparison: { bound, baselineValue } }: ComparedVerdict,
  compared: Compared,
  currency: string | null,
): string {
  if (bound === null || baselineValue === null) return ''
  // nothing is so many per cent above 0
  if (compared.relative.kind === 'ratio' && baselineValue <= 0) return ''
  const at = `at ${trim((1 - alphaOf(compared.budgetCase)) * 100, 3)} %`
  if (compared.relative.kind === 'amount')
    return `; the difference is at most ${amount(bound, compared.limit.unit, currency)} ${at}`
  const by = bound - 1
  return `; ${at} no worse than ${percent(Math.abs(by))} ${by >= 0 ? 'above' : 'below'} the baseline`
}

function why(verdict: ComparedVerdict, compared: Compared): string {
  const { budgetCase, limit } = compared
  const { comparison, n } = verdict
  switch (verdict.reason) {
    case 'no-baseline':
      if (compared.kind === 'arms' && compared.arms.mixed) return 'one arm is simulated and the other is not'
      if (compared.kind === 'arms') return `no round has both arms${leftOut(compared)}`
      return comparison.kind === 'file'
        ? `${comparison.baseline} holds no passing run of these cells`
        : 'no passing run to compare with yet'
    case 'too-few-samples':
      return `${counted(n, compared.kind === 'arms' ? 'whole round' : 'sample')}, ${limit.statistic} needs ${budgetCase.minSamples ?? 'an explicit min_samples'}${leftOut(compared)}`
    case 'ended-early':
    case 'partial-selection':
      return `${verdict.reason === 'ended-early' ? 'the run ended early:' : 'partial selection,'} ${compared.pool.coverage.leftOut} of ${counted(budgetCase.cells.length * 2, 'cell')} not sampled to the end`
    case 'censored':
      return `more than 1 % of the estimate rests on requests that were cut off by our timeouts`
    case 'no-samples':
      return 'no samples'
    default:
      return ''
  }
}

/** What is left out of a comparison, and why. */
function leftOut(compared: Compared): string {
  if (compared.kind === 'nights') {
    const { answers, night } = compared
    const without = compared.budgetCase.failures === 'exclude' ? answers.lost - night.censored : 0
    return without === 0 ? '' : `, ${without} of ${counted(answers.asked, 'request')} left out for failures`
  }
  const { halfRounds, failedRounds, failed } = compared.arms
  const { target, baseline } = compared.budgetCase
  const current = baseline?.kind === 'target' ? baseline.target : 'the baseline'
  const half = halfRounds === 0 ? '' : `, ${halfRounds} left out because one arm is missing`
  const whose = `${failed.candidate} of ${target}, ${failed.baseline} of ${current}`
  return `${failedRounds === 0 ? '' : `, ${failedRounds} left out for failures (${whose})`}${half}`
}

/** Where requests stand that were cut off, if the verdict rests on them. */
function cutWords(compared: Compared, currency: string | null): string {
  if (compared.kind === 'nights') return compared.night.isBound ? '; cut-off requests count at their cut' : ''
  const { arms, cut, limit, budgetCase } = compared
  if (!cut.isTouched) return ''
  const { candidate, baseline } = cutsOf(arms)
  const current = budgetCase.baseline?.kind === 'target' ? budgetCase.baseline.target : 'the baseline'
  const whose = `${candidate} of ${budgetCase.target}, ${baseline} of ${current}`
  if (arms.cutAt !== null || shareOf(limit) === null) return `; cut-off requests count at their cut (${whose})`
  return `; cut-off requests count as the worst number of all, ${amount(arms.worst, limit.unit, currency)} (${whose})`
}

function rounds(compared: Compared): string {
  if (compared.kind === 'nights') return counted(compared.test.nights, 'night')
  const { pairs, cutAt } = compared.arms
  const cut = cutAt === null ? '' : `, both arms cut at ${amount(cutAt, compared.limit.unit, null)}`
  return `${counted(pairs.length, 'paired round')}${leftOut(compared)}${cut}`
}

/** What a request of each metric has to come to; the others need its end. */
const CAME_TO: Partial<Readonly<Record<ValueMetric, string>>> = {
  ttft: 'got a first token',
  first_answer: 'got a token of the answer',
  headers: 'got headers',
  first_chunk: 'got a first event',
  connect: 'got a connection',
}

/** Why a candidate fails that lost its requests. */
function lostWords(compared: Compared, { comparison: { baselineValue } }: ComparedVerdict): string {
  const { limit, budgetCase, lost, pool } = compared
  if (lost === null) return ''
  const { asked, numbers } = lost
  const few = numbers === 0 ? '' : `, and ${limit.statistic} needs ${budgetCase.minSamples ?? 'more'}`
  const who = `${numbers === 0 ? 'none' : numbers} of ${counted(asked, 'request')} of ${budgetCase.target}`
  const came = CAME_TO[limit.metric] ?? `came to a ${limit.metric}`
  const value = amount(baselineValue ?? 0, limit.unit, pool.currency)
  if (compared.kind === 'nights') {
    return `${who} ${came}${few}; the median of ${counted(compared.test.nights, 'night')} is ${value}`
  }
  const { baseline } = compared.arms.answers
  const current = budgetCase.baseline?.kind === 'target' ? budgetCase.baseline.target : 'the baseline'
  return `${who} ${came}${few}; ${baseline.numbers} of ${baseline.asked} of ${current} did, ${value}`
}

function nightsHint(compared: Compared, comparisons: number): string {
  if (compared.kind !== 'nights') return ''
  const needed = Math.ceil(comparisons / alphaOf(compared.budgetCase) - 1e-9) - 1
  return compared.test.nights < needed ? `; under ${needed} nights it can only warn` : ''
}

/** The samples alone leave a worsening beyond the margin possible: the floor makes it a pass. */
function isFloorNeeded({ comparison: { bound } }: ComparedVerdict, { budgetCase, relative }: Compared): boolean {
  if ((budgetCase.floor ?? 0) <= 0 || bound === null) return false
  return relative.kind === 'ratio' ? bound - 1 > Math.abs(relative.by) : bound > Math.abs(relative.by)
}

/** The one sentence of a comparison. */
export function comparisonMessage({ compared, comparisons }: Tested, verdict: ComparedVerdict): string {
  const { budgetCase, limit, pool } = compared
  const { comparison, value, reason } = verdict
  const { probe, target, prompt } = budgetCase
  const what = `${limit.statistic} ${limit.metric} of ${[probe, target, prompt].join('/')}`
  const { baselineValue } = comparison
  if (compared.lost !== null) return `${what} fails: ${lostWords(compared, verdict)}`
  if (value === null || baselineValue === null || verdict.limit === null)
    return `${what} inconclusive: ${why(verdict, compared)}`
  const whose = comparison.kind === 'target' ? comparison.baseline : `the median of ${rounds(compared)}`
  const atLeast = verdict.isBound ? `at ${isUpper(limit.operator) ? 'least' : 'most'} ` : ''
  const measured = `${atLeast}${amount(value, limit.unit, pool.currency)}, ${apart(value, baselineValue, compared, pool.currency)} ${whose} (${amount(baselineValue, limit.unit, pool.currency)})`
  const margin = `${limit.operator} ${comparison.margin}`
  const over = comparison.kind === 'target' ? `; ${rounds(compared)}` : leftOut(compared)
  const cuts = cutWords(compared, pool.currency)
  const bound = `${boundWords(verdict, compared, pool.currency)}${cuts}`
  if (verdict.verdict === 'fail')
    return `${what} is ${measured}: a regression beyond \`${margin}\`, ${holmWords(comparison)}${cuts}${over}`
  const floor = `by less than the floor of ${amount(budgetCase.floor ?? 0, limit.unit, pool.currency)}`
  if (verdict.verdict === 'pass') {
    const within = holds(value, limit.operator, verdict.limit)
      ? `within \`${margin}\`${isFloorNeeded(verdict, compared) ? `, surely so but for differences below the floor of ${amount(budgetCase.floor ?? 0, limit.unit, pool.currency)}` : ''}`
      : `beyond \`${margin}\`, ${floor}`
    return `${what} is ${measured}: ${within}${bound}${over}`
  }
  const isSignificant = (comparison.pAdjusted ?? 1) <= alphaOf(budgetCase)
  const open =
    reason === 'client-delay'
      ? `beyond \`${margin}\` as measured, but not if the runner's own delay is taken off`
      : reason === 'not-significant'
        ? isSignificant
          ? `a regression beyond \`${margin}\` (${holmWords(comparison)}), but not surely more than the floor: here ${floor}`
          : `neither a regression beyond \`${margin}\` (${holmWords(comparison)}) nor surely within it`
        : why(verdict, compared)
  return `${what} inconclusive: ${measured}; ${open}${bound}${over}${nightsHint(compared, comparisons)}`
}
