import { isUpper } from '../budget/index.ts'
import type { Compared, Tested } from './compare.ts'
import { verdictOf } from './compare.ts'
import { comparisonMessage } from './comparison-message.ts'
import { observe } from './censoring.ts'
import { failuresByKind } from './failures.ts'
import { holds } from './readings.ts'
import type { Reading } from './readings.ts'
import type { Finding } from './types.ts'
import { worstReadings, worstSample } from './worst.ts'

/** The candidate's samples as a finding shows them. */
function candidateReadings(compared: Compared, limit: number | null): Reading[] {
  if (compared.kind === 'arms') {
    return compared.arms.pairs.map(({ candidate }) => ({
      ...candidate,
      beyond: candidate.kind === 'censored' || isBeyond(candidate.value, compared, limit),
    }))
  }
  return compared.pool.samples.flatMap((sample): Reading[] => {
    const seen = observe(sample, compared.limit.metric)
    if (seen.kind === 'value')
      return [{ sample, kind: 'value', value: seen.value, beyond: isBeyond(seen.value, compared, limit) }]
    return seen.kind === 'censored' ? [{ sample, kind: 'censored', value: seen.cutAt, beyond: true }] : []
  })
}

function isBeyond(value: number | null, { limit: { operator } }: Compared, limit: number | null): boolean {
  return value !== null && limit !== null && !holds(value, operator, limit)
}

/** The finding of a relative case. */
export function comparisonFinding(tested: Tested): Finding {
  const { compared } = tested
  const { budgetCase, limit, pool } = compared
  const { budget, probe, target, prompt, severity, onInconclusive, source } = budgetCase
  const judged = verdictOf(tested)
  const readings = candidateReadings(compared, judged.limit)
  return {
    budget,
    probe,
    target,
    prompt,
    verdict: judged.verdict,
    severity,
    metric: limit.metric,
    statistic: limit.statistic,
    threshold: null,
    operator: limit.operator,
    limit: judged.limit ?? 0,
    value: judged.value,
    unit: limit.unit,
    n: judged.n,
    beyond: readings.filter(({ beyond }) => beyond).length,
    failed: pool.samples.filter(({ outcome }) => outcome === 'error').length,
    censored: judged.censored,
    evidence: null,
    source,
    message: comparisonMessage(tested, judged),
    onInconclusive,
    text: limit.text,
    ...(judged.reason === null ? {} : { reason: judged.reason }),
    valueIsBound: false,
    worst: worstReadings(readings, isUpper(limit.operator)).map((reading) => worstSample(reading, limit.unit, false)),
    failures: failuresByKind(pool.samples),
    currency: pool.currency,
    broken: pool.broken,
    comparison: judged.comparison,
  }
}
