import type { BudgetCase, Limit } from '../budget/types.ts'
import { isUpper, printValue } from '../budget/index.ts'
import { trim } from '../units.ts'
import { amount, counted, exactAmount } from './amounts.ts'
import type { Coverage, Decision } from './decide.ts'
import type { Tally } from './tally.ts'
import type { PooledWindow, WorstSample } from './types.ts'

/** What a finding's sentence is made of. */
export interface MessageFacts {
  readonly budgetCase: BudgetCase
  readonly tally: Tally
  readonly decision: Decision
  readonly coverage: Coverage
  readonly samples: number
  /** Failed samples that bring nothing to the statistic. */
  readonly unheard: number
  readonly currency: string | null
  /** The samples whose delay decides; empty unless the reason is `client-delay`. */
  readonly delayed: readonly Pick<WorstSample, 'seq'>[]
  readonly moreDelayed: boolean
  readonly window: PooledWindow | null
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
function side({ budgetCase: { limit }, tally, currency }: MessageFacts): string {
  const { passes, value, valueIsBound } = tally
  const at = amount(limit.value, limit.unit, currency)
  const upper = isUpper(limit.operator)
  if (valueIsBound && value !== null && (passes === true || value <= limit.value)) {
    return `${passes === true ? 'within' : 'beyond'} the limit of ${at} by count`
  }
  if (passes === true) return `within the limit of ${at}`
  if (value === limit.value) return `not ${upper ? 'below' : 'above'} the limit of ${at}`
  return `${upper ? 'over' : 'under'} the limit of ${at}`
}

/** What K counts, in words. */
function beyondWords(limit: Limit): string {
  const upper = isUpper(limit.operator)
  switch (limit.metric) {
    case 'error_rate':
      return upper ? 'failed' : 'did not fail'
    case 'answered_rate':
      return upper ? 'answered' : 'without an answer'
    case 'length_rate':
      return upper ? 'ended at the token cap' : 'ended before the token cap'
    case 'cache_hit_rate':
      return upper ? 'came from the cache' : 'did not come from the cache'
    case 'stall_rate':
      return upper ? 'stalled' : 'did not stall'
    default:
      return 'beyond'
  }
}

function cutWords({ censored }: Tally): string {
  return censored === 0 ? '' : ` (${censored} cut off by our timeouts)`
}

/** `1 allowed`: the largest count that keeps the limit; of a percentile ⌊e·n⌋. A strict rate must stay below e·n. */
function allowedWords(limit: Limit, n: number): string {
  if (limit.allowed === null) return ''
  const most = (n * limit.allowed.numerator) / limit.allowed.denominator
  const strict = limit.kind !== 'statistic' && (limit.operator === '<' || limit.operator === '>')
  return `, ${strict ? Math.max(0, Math.ceil(most) - 1) : Math.floor(most)} allowed`
}

/** `4 of 120 beyond (3 cut off by our timeouts), 1 allowed`. */
function counts({ budgetCase: { limit }, tally }: MessageFacts): string {
  return `${tally.beyond} of ${tally.n} ${beyondWords(limit)}${cutWords(tally)}${allowedWords(limit, tally.n)}`
}

/** `if requests are independent`, or what the samples say against it. */
function clumpWords({ decision: { evidence }, tally: { n, beyond } }: MessageFacts): string {
  const clumps = evidence?.clumps
  if (clumps === undefined) return ''
  const { hour, beyondInHour, designEffect } = clumps
  const weight = Math.floor(n / designEffect)
  return `; the ${beyond} beyond clump (${beyondInHour} in the hour from ${hour}:00Z), so ${counted(n, 'sample')} weigh like ${weight}`
}

function proof(facts: MessageFacts): string {
  const { evidence } = facts.decision
  const { passes } = facts.tally
  if (evidence === null) return ''
  const at = `at ${trim(evidence.confidence * 100, 3)} %`
  const clumps = clumpWords(facts)
  const provided = clumps === '' ? 'if requests are independent' : 'with that taken off'
  if (evidence.proven === 'pass') return `${clumps}; proven within ${at}, ${provided}`
  if (evidence.proven === 'fail') return `${clumps}; proven beyond ${at}, ${provided}`
  if (passes !== true) return `${clumps}; not proven ${at}`
  const { samplesMissing } = evidence
  if (samplesMissing === null) return `${clumps}; likely within, no number of samples would prove it`
  return `${clumps}; likely within: ${counted(samplesMissing, 'more clean sample')} would prove it ${at}`
}

/** What `confidence` still waits for. */
function unproven(facts: MessageFacts): string {
  const { evidence } = facts.decision
  const value = valueWords(facts)
  const measured = value === null ? '' : `${value} is ${side(facts)}, but `
  const missing = evidence?.samplesMissing ?? null
  const way = missing === null ? '' : `: ${counted(missing, 'more clean sample')} would prove it kept`
  return `${measured}neither side is proven at ${trim((evidence?.confidence ?? 0) * 100, 3)} %${way}; ${counts(facts)}${clumpWords(facts)}`
}

function failures({ budgetCase: { limit }, unheard, samples }: MessageFacts): string {
  if (unheard === 0 || limit.kind === 'rate') return ''
  return `; ${unheard} of ${counted(samples, 'request')} failed without a number`
}

/** How many nights a window pooled. */
function windowWords({ window }: MessageFacts): string {
  if (window === null || window.runs === 0) return ''
  const { runs, earlierSamples, since } = window
  const from = since.slice(0, 16)
  if (runs === 1) return `; no earlier run is in its window (since ${from}Z)`
  return `; pooled over ${counted(runs, 'run')} since ${from}Z (${counted(earlierSamples, 'earlier request')})`
}

/** Measured, but not enough for a verdict: what there is so far. */
function soFar(facts: MessageFacts): string {
  const value = valueWords(facts)
  const seen = counts(facts)
  return value === null ? `so far ${seen}` : `so far ${value}, ${seen}`
}

function delayedWords({ delayed, moreDelayed }: MessageFacts): string {
  if (delayed.length === 0) return ''
  const named = delayed.map(({ seq }) => `#${seq}`).join(', ')
  return `: request${delayed.length === 1 ? '' : 's'} ${named}${moreDelayed ? ' and others' : ''}`
}

function why(facts: MessageFacts): string {
  const { budgetCase, tally, decision, coverage, samples } = facts
  const { limit, minSamples, cells } = budgetCase
  const asked = limit.kind === 'statistic' ? limit.statistic : subject(limit)
  switch (decision.reason) {
    case 'ended-early':
    case 'partial-selection': {
      const most = counted(cells.length, 'cell')
      const seen = tally.n === 0 ? 'no samples' : soFar(facts)
      const cause = decision.reason === 'ended-early' ? 'the run ended early:' : 'partial selection,'
      return `${cause} ${coverage.leftOut} of ${most} not sampled to the end; ${seen}`
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
      return `${tally.censored} of ${tally.n} cut off by our timeouts, so the ${asked} is open${value === null ? '' : `: it is ${value}`} (a percentile counts them as beyond)`
    }
    case 'client-delay': {
      const measured = `${valueWords(facts) ?? 'no number'}, ${side(facts)}`
      return `${measured} as measured, but not if the runner's own delay is taken off, so the runner may be slow and not the model${delayedWords(facts)}; ${counts(facts)}`
    }
    case 'not-proven':
      return unproven(facts)
    // Comparisons have sentences of their own.
    case 'no-baseline':
    case 'not-significant':
    case null:
      return ''
  }
}

/** The one sentence of a finding. */
export function messageFor(facts: MessageFacts): string {
  const { budgetCase, decision, tally } = facts
  const { limit, probe, target, prompt } = budgetCase
  // Only samples of several probes, given directly, have such a name.
  const whose = probe === 'all' ? 'the given samples' : [probe, target, prompt].join('/')
  const what = `${subject(limit)} of ${whose}`
  const rest = `${failures(facts)}${windowWords(facts)}`
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
