import { isUpper } from '../budget/index.ts'
import { beyondOfArms, beyondOfNight } from './beyond.ts'
import { verdictOf } from './compare.ts'
import type { Tested } from './compare.ts'
import { comparisonMessage } from './comparison-message.ts'
import type { Finding } from './types.ts'
import { worstSample } from './worst.ts'

/** The finding of a relative case. */
export function comparisonFinding(tested: Tested): Finding {
  const { compared } = tested
  const { budgetCase, limit, pool } = compared
  const { budget, probe, target, prompt, severity, onInconclusive, source } = budgetCase
  const judged = verdictOf(tested)
  const { beyond, worst } =
    compared.kind === 'arms'
      ? beyondOfArms(compared.arms, limit, judged.limit)
      : beyondOfNight(budgetCase, pool.pooled, limit, judged.limit)
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
    beyond,
    failed: pool.pooled.failed,
    censored: judged.censored,
    evidence: null,
    source,
    message: comparisonMessage(tested, judged),
    onInconclusive,
    text: limit.text,
    ...(judged.reason === null ? {} : { reason: judged.reason }),
    // what is at most so much is no lower bound
    valueIsBound: judged.isBound && isUpper(limit.operator),
    worst: worst.map((reading) => worstSample(reading, limit.unit, false)),
    failures: pool.pooled.failures,
    currency: pool.currency,
    broken: pool.broken,
    comparison: judged.comparison,
  }
}
