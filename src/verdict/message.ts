import type { BudgetCase, Limit } from '../budget/types.ts'
import { isUpper, printValue } from '../budget/index.ts'
import { trim } from '../units.ts'
import { amount, counted, exactAmount } from './amounts.ts'
import type { Coverage, Decision } from './decide.ts'
import type { Tally } from './tally.ts'
import type { WorstSample } from './types.ts'

/** What a finding's sentence is made of. */
export interface MessageFacts {
  readonly budgetCase: BudgetCase
  readonly tally: Tally
  readonly decision: Decision
  readonly coverage: Coverage
  readonly samples: number
  readonly failed: number
  readonly currency: string | null
  /** The samples whose delay decides; empty unless the reason is `client-delay`. */
  readonly delayed: readonly Pick<WorstSample, 'seq'>[]
}

/** `p99 ttft`, `error_rate`, `share(ttft > 60s)`. */
function subject(limit: Limit): string {
  switch (limit.kind) {
    case 'statistic':
      return `${limit.statistic} ${limit.metric}`
    case 'rate':
      return limit.metric
    case 'share':
      return `share(${limit.metric} ${limit.threshold.operator} ${printValue(limit.threshold.value, limit.threshold.unit)})`
  }
}

function valueWords({ budgetCase: { limit }, tally, currency }: MessageFacts): string | null {
  const { value, valueIsBound } = tally
  if (value === null) return null
  const rounded = amount(value, limit.unit, currency)
  const hidden = value !== limit.value && rounded === amount(limit.value, limit.unit, currency)
  return `${valueIsBound ? '≥ ' : ''}${hidden ? exactAmount(value, limit.unit, currency) : rounded}`
}

/** On which side of the limit the value is, in words that are true at the limit itself too. */
function side({ budgetCase: { limit }, tally: { passes, value }, currency }: MessageFacts): string {
  const at = amount(limit.value, limit.unit, currency)
  if (passes === true) return `within the limit of ${at}`
  if (value === limit.value) return `not ${isUpper(limit.operator) ? 'below' : 'above'} the limit of ${at}`
  return `${isUpper(limit.operator) ? 'over' : 'under'} the limit of ${at}`
}

function cutWords({ censored }: Tally): string {
  return censored === 0 ? '' : ` (${censored} cut off by our timeouts)`
}

/** `4 of 120 beyond (3 cut off by our timeouts), 1.2 allowed`. */
function counts({ budgetCase: { limit }, tally }: MessageFacts): string {
  const { allowed } = limit
  const most = allowed === null ? '' : `, ${trim((tally.n * allowed.numerator) / allowed.denominator, 2)} allowed`
  return `${tally.beyond} of ${tally.n} beyond${cutWords(tally)}${most}`
}

function proof({ decision: { evidence }, tally: { passes } }: MessageFacts): string {
  if (evidence === null) return ''
  const at = `at ${trim(evidence.confidence * 100, 1)} %`
  if (evidence.proven === 'pass') return `; proven within ${at}, if requests are independent`
  if (evidence.proven === 'fail') return `; proven beyond ${at}, if requests are independent`
  if (passes !== true) return `; not proven ${at}`
  const { samplesMissing } = evidence
  if (samplesMissing === null) return '; likely within, no number of samples would prove it'
  return `; likely within: ${counted(samplesMissing, 'more clean sample')} would prove it ${at}`
}

function failures({ budgetCase: { limit, failures: rule }, failed, tally, samples }: MessageFacts): string {
  if (failed === 0 || limit.kind === 'rate' || rule === 'exceed') return ''
  const without = failed - tally.censored
  return without <= 0 ? '' : `; ${without} of ${counted(samples, 'request')} failed without a number`
}

/** Measured, but not enough for a verdict: what there is so far. */
function soFar(facts: MessageFacts): string {
  const value = valueWords(facts)
  const seen = counts(facts)
  return value === null ? `so far ${seen}` : `so far ${value}, ${seen}`
}

function why(facts: MessageFacts): string {
  const { budgetCase, tally, decision, coverage, samples, delayed } = facts
  const { limit, minSamples, cells } = budgetCase
  const asked = limit.kind === 'statistic' ? limit.statistic : subject(limit)
  switch (decision.reason) {
    case 'partial-selection': {
      const most = counted(cells.length, 'cell')
      const seen = tally.n === 0 ? 'no samples' : soFar(facts)
      return `partial selection, ${coverage.leftOut} of ${most} not sampled to the end; ${seen}`
    }
    case 'no-samples':
      if (samples === 0) return 'no samples'
      if (tally.n > 0)
        return `${coverage.empty} of ${counted(cells.length, 'cell')} without any sample; ${soFar(facts)}`
      return `none of ${counted(samples, 'sample')} counts for ${limit.kind === 'statistic' ? limit.metric : asked}`
    case 'too-few-samples':
      return minSamples === null
        ? `${asked} needs an explicit min_samples; ${soFar(facts)}`
        : `${counted(tally.n, 'sample')}, ${asked} needs ${minSamples}; ${soFar(facts)}`
    case 'censored': {
      const value = valueWords(facts)
      return `${tally.censored} of ${tally.n} cut off by our timeouts, so that ${asked} is open${value === null ? '' : `: ${value}`}`
    }
    case 'client-delay': {
      const named =
        delayed.length === 0
          ? ''
          : `: request${delayed.length === 1 ? '' : 's'} ${delayed.map(({ seq }) => `#${seq}`).join(', ')}`
      const measured = `${valueWords(facts) ?? 'no number'}, ${side(facts)}`
      return `${measured} as measured, but not if the runner's own delay is taken off, so the runner was slow and not the model${named}; ${counts(facts)}`
    }
    case null:
      return ''
  }
}

/** The one sentence of a finding. */
export function messageFor(facts: MessageFacts): string {
  const { budgetCase, decision, tally } = facts
  const { limit, probe, target, prompt } = budgetCase
  const what = `${subject(limit)} of ${[probe, target, prompt].join('/')}`
  const rest = failures(facts)
  if (decision.verdict === 'inconclusive') return `${what} inconclusive: ${why(facts)}${rest}`
  const value = valueWords(facts)
  if (value === null) {
    const at = amount(limit.value, limit.unit, facts.currency)
    const kept = decision.verdict === 'pass' ? `keeps the limit of ${at}` : `breaks the limit of ${at}`
    return `${what} has no number but ${kept}: ${counts(facts)}${proof(facts)}${rest}`
  }
  // Only a proof can fail a value that passes by itself.
  const position =
    decision.verdict === 'fail' && tally.passes === true ? `${side(facts)}, yet beyond it by proof` : side(facts)
  return `${what} is ${value}, ${position}: ${counts(facts)}${proof(facts)}${rest}`
}
