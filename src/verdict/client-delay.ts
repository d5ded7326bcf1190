import type { Operator, ValueMetric } from '../budget/types.ts'
import { isTimeMetric, isUpper } from '../budget/index.ts'
import type { Sample } from '../sample/types.ts'

/** Metrics that lie between two stamps, both of which may be late; the others run from t₀, which is not stamped late. */
const BETWEEN_STAMPS: ReadonlySet<ValueMetric> = new Set<ValueMetric>([
  'gap_p50',
  'gap_p99',
  'gap_max',
  'tpot',
  'decode_tps',
])

/**
 * How late the stamps of a sample may be for a metric, in milliseconds of the provider's time: `ttft_error_ms` for the first token,
 * `client_lag_ms` for every other. These columns are the client's own, real milliseconds; the times of a practice sample are
 * `simulated` times longer.
 */
export function delayBoundMs(sample: Sample, metric: ValueMetric): number {
  const real = metric === 'ttft' ? (sample.ttft_error_ms ?? sample.client_lag_ms) : sample.client_lag_ms
  return real * (sample.simulated ?? 1)
}

/** Some stamp of the sample may be late. */
export function isDelayed({ client_lag_ms, ttft_error_ms = 0 }: Sample): boolean {
  return client_lag_ms > 0 || ttft_error_ms > 0
}

/** Milliseconds from first to last token; `undefined` where they are not there or not apart. */
function decodeWindowMs(sample: Sample): number | undefined {
  if (sample.ttft_ms === undefined || sample.last_token_ms === undefined) return undefined
  const window = sample.last_token_ms - sample.ttft_ms
  return window > 0 ? window : undefined
}

function shiftedWindow(sample: Sample, by: number): number | undefined {
  const window = decodeWindowMs(sample)
  return window === undefined ? undefined : Math.max(0, window + by) / window
}

/**
 * The value at the end of its bound that helps the limit pass. A stamp is never early, so the true time is at most as long as the
 * measured one, and a limit from below gains nothing; between two stamps it is at most one delay longer or shorter.
 * Counts and costs have no delay.
 */
export function favourableValue(sample: Sample, metric: ValueMetric, value: number, operator: Operator): number {
  const bound = delayBoundMs(sample, metric)
  const shorter = isUpper(operator) !== (metric === 'decode_tps')
  if (metric === 'decode_tps' || metric === 'tpot') {
    const stretch = shiftedWindow(sample, shorter ? -bound : bound)
    if (stretch === undefined) return value
    return metric === 'tpot' ? value * stretch : Math.min(value / stretch, Number.MAX_SAFE_INTEGER)
  }
  if (!isTimeMetric(metric)) return value
  if (shorter) return Math.max(0, value - bound)
  return BETWEEN_STAMPS.has(metric) ? value + bound : value
}
