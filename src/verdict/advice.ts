import type { Sample } from '../sample/types.ts'
import { seededRandom } from '../schedule/index.ts'
import { quantile, sortSamples } from '../statistics/index.ts'
import { isAborted } from './censoring.ts'
import type { Advice, ServiceLevel } from './types.ts'

/** p99 of fewer samples is a guess. */
const LEAST_SAMPLES = 100
const FIRST_TOKEN_MARGIN = 1.4
const TOTAL_MARGIN = 1.2
/** Values that people set, in milliseconds. */
const ROUND_TIMES = [1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300, 450, 600, 900, 1200, 1800, 3600].map(
  (seconds) => seconds * 1000,
)
const RESAMPLES = 20_000
const BACKOFF_MS = [250, 1000] as const
const RETRIED_STATUS = 529
const RETRY_ON = [`http_status ${RETRIED_STATUS}`, 'first_token_timeout', 'empty'] as const

const P50 = { numerator: 1, denominator: 2 }
const P95 = { numerator: 19, denominator: 20 }
const P99 = { numerator: 99, denominator: 100 }

function roundUp(ms: number): number {
  return ROUND_TIMES.find((each) => each >= ms) ?? Math.ceil(ms / 3_600_000) * 3_600_000
}

function most(values: readonly number[]): number {
  return values.reduce((max, value) => Math.max(max, value), 0)
}

/** What one user's request came to. */
interface Outcome {
  readonly success: boolean
  /** Until the first token; `null` where none came. */
  readonly ttft: number | null
  /** Until the end of the answer, or of trying. */
  readonly total: number
}

function levelOf(outcomes: readonly Outcome[]): ServiceLevel | null {
  if (outcomes.length === 0) return null
  const good = outcomes.filter(({ success }) => success)
  const ttft = sortSamples(good.flatMap((each) => each.ttft ?? []))
  const totals = sortSamples(good.map(({ total }) => total))
  return {
    ttftP50: ttft === undefined ? null : quantile(ttft, P50),
    ttftP95: ttft === undefined ? null : quantile(ttft, P95),
    ttftP99: ttft === undefined ? null : quantile(ttft, P99),
    totalP99: totals === undefined ? null : quantile(totals, P99),
    successRate: good.length / outcomes.length,
    worstWaitMs: most(outcomes.map((each) => (each.success && each.ttft !== null ? each.ttft : each.total))),
  }
}

function asSampled(sample: Sample): Outcome {
  return { success: sample.outcome === 'ok', ttft: sample.ttft_ms ?? null, total: sample.total_ms ?? 0 }
}

interface Attempt extends Outcome {
  readonly retry: boolean
}

/** The sample as an attempt under a first-token timeout. */
function attemptOf(sample: Sample, timeoutMs: number): Attempt {
  const { ttft, total, success } = asSampled(sample)
  const waited = ttft ?? total
  const silent = ttft === null && sample.outcome === 'error' && sample.error_kind === 'first_token_timeout'
  if (waited > timeoutMs || silent) {
    return { success: false, ttft: null, total: Math.min(waited, timeoutMs), retry: true }
  }
  if (sample.outcome === 'ok') return { success, ttft, total, retry: false }
  const retry =
    sample.error_kind === 'empty' || (sample.error_kind === 'http_status' && sample.status === RETRIED_STATUS)
  return { success: false, ttft: null, total, retry }
}

interface Retried {
  readonly level: ServiceLevel | null
  readonly extraRequests: number
}

/** Draws users' requests from the samples; a retry is another draw of the same samples. */
function withRetry(samples: readonly Sample[], timeoutMs: number, random: () => number): Retried {
  const draw = (): Attempt | undefined => {
    const sample = samples[Math.floor(random() * samples.length)]
    return sample === undefined ? undefined : attemptOf(sample, timeoutMs)
  }
  const outcomes: Outcome[] = []
  let retries = 0
  for (let at = 0; at < RESAMPLES; at += 1) {
    const first = draw()
    if (first === undefined) break
    if (!first.retry) {
      outcomes.push(first)
      continue
    }
    retries += 1
    const before = first.total + BACKOFF_MS[0] + random() * (BACKOFF_MS[1] - BACKOFF_MS[0])
    const second = draw() ?? first
    outcomes.push({
      success: second.success,
      ttft: second.ttft === null ? null : before + second.ttft,
      total: before + second.total,
    })
  }
  return { level: levelOf(outcomes), extraRequests: retries / Math.max(1, outcomes.length) }
}

function p99Of(samples: readonly Sample[]): number | null {
  const sorted = sortSamples(samples.flatMap((sample) => (sample.outcome === 'ok' ? (sample.ttft_ms ?? []) : [])))
  return sorted === undefined || sorted.length < LEAST_SAMPLES ? null : quantile(sorted, P99)
}

function adviceFor(
  name: Pick<Advice, 'probe' | 'target' | 'prompt'>,
  samples: readonly Sample[],
  parts: readonly Advice[],
): Advice {
  const ttftP99 = p99Of(samples)
  const totals = samples.flatMap((sample) => (sample.outcome === 'ok' ? (sample.total_ms ?? []) : []))
  const slowestTotalMs = totals.length === 0 ? null : most(totals)
  const own = ttftP99 === null ? null : roundUp(ttftP99 * FIRST_TOKEN_MARGIN)
  // One timeout for all prompts must let the slowest of them live.
  const firstTokenTimeoutMs = own === null ? null : Math.max(own, ...parts.map((part) => part.firstTokenTimeoutMs ?? 0))
  const random = seededRandom(0, 'advice', name.probe, name.target, name.prompt)
  const retried = firstTokenTimeoutMs === null ? null : withRetry(samples, firstTokenTimeoutMs, random)
  return {
    ...name,
    n: samples.length,
    simulated: samples.some((sample) => sample.simulated !== undefined),
    firstTokenTimeoutMs,
    ttftP99,
    totalTimeoutMs: slowestTotalMs === null ? null : roundUp(slowestTotalMs * TOTAL_MARGIN),
    slowestTotalMs,
    asSampled: levelOf(samples.map(asSampled)),
    withRetry: retried?.level ?? null,
    retry:
      retried === null
        ? null
        : { on: RETRY_ON, backoffMs: BACKOFF_MS, extraRequests: retried.extraRequests, resamples: RESAMPLES },
  }
}

/** An order that no permutation of the samples changes. */
function inOrder(samples: readonly Sample[]): Sample[] {
  const key = ({ started_at, run_id, seq }: Sample): string => `${started_at} ${run_id} ${String(seq).padStart(9, '0')}`
  return samples
    .map((sample) => ({ sample, key: key(sample) }))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ sample }) => sample)
}

/**
 * What a first-token timeout, a total timeout and one retry would do, for each target and prompt in the order of their first sample; after
 * the prompts of a target all of them together, where there are several. The retry comes after a short, bounded backoff, on 529, a
 * first-token timeout and an empty stream, by seeded resampling. It assumes that a second attempt is as good as any: in an hour in which
 * everything is slow it is not.
 */
export function advise(samples: readonly Sample[]): Advice[] {
  const counted = inOrder(samples.filter((sample) => !isAborted(sample)))
  const targets = Map.groupBy(counted, ({ probe, target }) => JSON.stringify([probe, target]))
  return [...targets.values()].flatMap((own): Advice[] => {
    const [first] = own
    if (first === undefined) return []
    const { probe, target } = first
    const prompts = Map.groupBy(own, ({ prompt }) => prompt)
    const parts = [...prompts].map(([prompt, each]) => adviceFor({ probe, target, prompt }, each, []))
    return parts.length < 2 ? parts : [...parts, adviceFor({ probe, target, prompt: 'all' }, own, parts)]
  })
}
