import { seededRandom } from '../../src/schedule/index.ts'
import type { OkSample } from '../../src/sample/types.ts'

/** Latencies as they may truly be, and runs that sample them. */

/** How long one request takes to its first token, in milliseconds. */
export interface Distribution {
  readonly draw: (random: () => number) => number
  /** P(latency > ms). */
  readonly tail: (ms: number) => number
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/** P(Z > z), Abramowitz and Stegun 26.2.17. */
function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z)
  const t = 1 / (1 + 0.2316419 * z)
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series
}

function lognormal(medianMs: number, sigma: number): Distribution {
  return {
    draw: (random) => medianMs * Math.exp(sigma * normal(random)),
    tail: (ms) => normalTail(Math.log(ms / medianMs) / sigma),
  }
}

const BODY = lognormal(1300, 0.45)

/** The study's three quiet models: p50 about 1.1 s, p95 about 2 s. */
export const LOGNORMAL: Distribution = lognormal(1100, 0.36)

const PARETO_SHARE = 0.05
const PARETO_FROM = 4000
const PARETO_ALPHA = 1.2

/** The study's deepseek: one request in twenty comes from a Pareto tail that reaches minutes. */
const HEAVY: Distribution = {
  draw: (random) => (random() < PARETO_SHARE ? PARETO_FROM * (1 - random()) ** (-1 / PARETO_ALPHA) : BODY.draw(random)),
  tail: (ms) => PARETO_SHARE * Math.min(1, (ms / PARETO_FROM) ** -PARETO_ALPHA) + (1 - PARETO_SHARE) * BODY.tail(ms),
}

export type DistributionName = 'lognormal' | 'heavy tail'

/** By the names of the tables. */
export const DISTRIBUTIONS: Readonly<Record<DistributionName, Distribution>> = {
  lognormal: LOGNORMAL,
  'heavy tail': HEAVY,
}

export const DISTRIBUTION_NAMES: readonly DistributionName[] = ['lognormal', 'heavy tail']

/** The value that a share of `beyond` lies above, by bisection. */
export function thresholdFor(world: Distribution, beyond: number): number {
  let low = 1
  let high = 1e9
  for (let step = 0; step < 200; step += 1) {
    const middle = Math.sqrt(low * high)
    if (world.tail(middle) > beyond) low = middle
    else high = middle
  }
  return high
}

/**
 * How requests depend on each other. `iid`: not at all. `slow hours`: each hour is slow with a chance of 1 in 24, all exceedances come in slow
 * hours, and the share of all hours together is the same.
 */
export type Dependence = 'iid' | 'slow hours'

/** An hour is slow with this chance. */
export const SLOW_HOUR = 1 / 24

/** A run's samples, with their hours; a `rate` of them is beyond `limitMs` in the long run. */
export interface World {
  readonly distribution: Distribution
  readonly dependence: Dependence
}

let nextSeq = 0

function sample(at: number, perHour: number, ttft_ms: number): OkSample {
  nextSeq += 1
  const started = new Date(Date.UTC(2026, 11, 1) + Math.floor((at / perHour) * 3_600_000)).toISOString()
  return {
    run_id: 'calibration',
    plan: '',
    seq: nextSeq,
    round: at,
    probe: 'p',
    target: 't',
    prompt: 'q',
    model: 'm',
    protocol: 'openai-chat',
    labels: {},
    due_at: started,
    started_at: started,
    lateness_ms: 0,
    outcome: 'ok',
    stale_retries: 0,
    ttft_ms,
    client_lag_ms: 0,
    ttft_error_ms: 0,
    flags: [],
    prompt_bytes: 0,
    nonce: '',
  }
}

/**
 * One run of `n` samples over 24 hours. With slow hours a request of a slow hour is drawn anew from beyond the limit as often as keeps the
 * share of all requests at `beyond`; in other hours none is.
 */
export function runOf(world: World, n: number, limitMs: number, beyond: number, random: () => number): OkSample[] {
  const perHour = n / 24
  const { distribution, dependence } = world
  if (dependence === 'iid') return Array.from({ length: n }, (_, at) => sample(at, perHour, distribution.draw(random)))
  const slow = Array.from({ length: 24 }, () => random() < SLOW_HOUR)
  const within = (): number => {
    for (;;) {
      const drawn = distribution.draw(random)
      if (drawn < limitMs) return drawn
    }
  }
  return Array.from({ length: n }, (_, at) => {
    const isSlow = slow[Math.min(23, Math.floor(at / perHour))] === true
    const isBeyond = isSlow && random() < Math.min(1, beyond / SLOW_HOUR)
    return sample(at, perHour, isBeyond ? limitMs * 2 : within())
  })
}

/** A stream of its own for each cell of the table and each run in it. */
export function streamOf(...parts: readonly (string | number)[]): () => number {
  return seededRandom(20_261_201, 'calibration', ...parts)
}
