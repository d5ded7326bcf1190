import { OTHER_WORDS, RATE_METRICS, VALUE_METRICS } from './metrics.ts'
import { nearestWord } from './nearest-word.ts'
import { isPercentile } from './limit-statistic.ts'
import type { ValueMetric } from './types.ts'

/** The words of a limit, and what to say where another stands. */

export const METRIC_WORDS = [...Object.keys(VALUE_METRICS), ...Object.keys(RATE_METRICS)]
export const STATISTIC_WORDS = ['p50', 'p90', 'p95', 'p99', 'mean', 'min', 'max']

/** The word among `candidates` that was meant, as a hint. */
export function didYouMean(word: string, candidates: readonly string[], otherwise: string): string {
  if (isPercentile(word.toLowerCase())) return `did you mean \`${word.toLowerCase()}\`?`
  const other = Object.hasOwn(OTHER_WORDS, word.toLowerCase()) ? OTHER_WORDS[word.toLowerCase()] : undefined
  const bare = word.toLowerCase().replace(/_ms$/, '')
  const nearest = other !== undefined && candidates.includes(other) ? other : nearestWord(bare, candidates)
  return nearest === undefined ? otherwise : `did you mean \`${nearest}\`?`
}

/** A limit on `metric`, for a hint. */
export function exampleOf(metric: ValueMetric): string {
  const { unit } = VALUE_METRICS[metric]
  if (unit === 'ms') return `p99 ${metric} < 10s`
  return unit === 'tok/s' ? `p5 ${metric} > 5` : `p95 ${metric} < 2000`
}

/** Every metric, for a hint. */
export function metricList(): string {
  return `metrics are ${METRIC_WORDS.join(', ')}`
}
