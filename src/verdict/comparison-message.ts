import { trim } from '../units.ts'
import { amount, counted, percent } from './amounts.ts'
import type { Compared, ComparedVerdict, Tested } from './compare.ts'
import { alphaOf } from './comparison.ts'
import { holds } from './readings.ts'

function pWords(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${trim(p, 3)}`
}

function holmWords({ pValue, pAdjusted, comparisons }: ComparedVerdict['comparison']): string {
  if (pValue === null || pAdjusted === null) return ''
  return comparisons > 1 ? `${pWords(pAdjusted)} by Holm over ${comparisons} comparisons` : pWords(pAdjusted)
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
      if (compared.kind === 'arms') return `no round has both arms (${counted(compared.arms.halfRounds, 'half round')})`
      return comparison.kind === 'file'
        ? `${comparison.baseline} holds no passing run of these cells`
        : 'no passing run to compare with yet'
    case 'too-few-samples':
      return `${counted(n, compared.kind === 'arms' ? 'whole round' : 'sample')}, ${limit.statistic} needs ${budgetCase.minSamples ?? 'an explicit min_samples'}`
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

function rounds(compared: Compared): string {
  if (compared.kind === 'nights') return counted(compared.test.nights, 'night')
  const { pairs, halfRounds, cutAt } = compared.arms
  const half = halfRounds === 0 ? '' : `, ${halfRounds} left out because one arm is missing`
  const cut = cutAt === null ? '' : `, both arms cut at ${amount(cutAt, compared.limit.unit, null)}`
  return `${counted(pairs.length, 'paired round')}${half}${cut}`
}

function nightsHint(compared: Compared, comparisons: number): string {
  if (compared.kind !== 'nights') return ''
  const needed = Math.ceil(comparisons / alphaOf(compared.budgetCase) - 1e-9) - 1
  return compared.test.nights < needed ? `; under ${needed} nights it can only warn` : ''
}

/** The one sentence of a comparison. */
export function comparisonMessage({ compared, comparisons }: Tested, verdict: ComparedVerdict): string {
  const { budgetCase, limit, pool } = compared
  const { comparison, value, reason } = verdict
  const { probe, target, prompt } = budgetCase
  const what = `${limit.statistic} ${limit.metric} of ${[probe, target, prompt].join('/')}`
  const { baselineValue } = comparison
  if (value === null || baselineValue === null || verdict.limit === null)
    return `${what} inconclusive: ${why(verdict, compared)}`
  const whose = comparison.kind === 'target' ? comparison.baseline : `the median of ${rounds(compared)}`
  const measured = `${amount(value, limit.unit, pool.currency)}, ${apart(value, baselineValue, compared, pool.currency)} ${whose} (${amount(baselineValue, limit.unit, pool.currency)})`
  const margin = `${limit.operator} ${comparison.margin}`
  const over = comparison.kind === 'target' ? `; ${rounds(compared)}` : ''
  const bound = boundWords(verdict, compared, pool.currency)
  if (verdict.verdict === 'fail')
    return `${what} is ${measured}: a regression beyond \`${margin}\`, ${holmWords(comparison)}${bound}${over}`
  const floor = `by less than the floor of ${amount(budgetCase.floor ?? 0, limit.unit, pool.currency)}`
  if (verdict.verdict === 'pass') {
    const within = holds(value, limit.operator, verdict.limit)
      ? `within \`${margin}\``
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
