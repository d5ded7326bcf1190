import type { Sample } from '../../sample/types.ts'
import type { Finding } from '../../verdict/types.ts'
import { isTimeMetric } from '../../budget/index.ts'
import { quantile, sortSamples } from '../../statistics/index.ts'
import type { SortedSamples } from '../../statistics/index.ts'
import type { RunReport } from '../types.ts'
import { missedRounds } from './missed-rounds.ts'
import { spanOf, thinnedFailures, thinnedPoints } from './thinning.ts'

/** What the charts draw: plain JSON, thinned, so that a million samples make a page of the same size. */
export interface ChartData {
  readonly targets: readonly TargetCharts[]
  readonly health: ClientHealth
}

/** One point of a distribution: so much of all is at most `value`. */
export type Step = readonly [value: number, share: number]

/** A distribution: its steps to draw, and quantiles (type 7) at {@link SHARES}. */
export interface Distribution {
  readonly steps: readonly Step[]
  readonly quantiles: readonly number[]
}

/** In hundredths. */
export const SHARES = [5, 25, 50, 75, 95, 99, 100]

/** The distributions of one prompt. */
export interface PromptCharts {
  readonly prompt: string
  readonly n: number
  readonly ttft: Distribution
  readonly speed: Distribution
  readonly firstAnswer: Distribution
}

/** One success in the timeline and the scatter. */
export interface Point {
  readonly at: number
  readonly ttft: number
  readonly tokens: number | null
  /** Index of its prompt. */
  readonly prompt: number
}

/** One failure in the timeline. */
export interface Failure {
  readonly at: number
  readonly kind: string
}

/** A line that a budget draws. */
export interface LimitLine {
  readonly value: number
  readonly text: string
}

export interface TargetCharts {
  readonly probe: string
  readonly target: string
  readonly prompts: readonly PromptCharts[]
  readonly points: readonly Point[]
  /** Successes with a TTFT, of which `points` are the slowest and an even choice of the others. */
  readonly pointsOf: number
  /** One of each place of the drawing that has any. */
  readonly failures: readonly Failure[]
  readonly failuresOf: number
  /** Stretches in which a round should have begun and none did. */
  readonly gaps: readonly (readonly [number, number])[]
  readonly ttftLimits: readonly LimitLine[]
  readonly speedLimits: readonly LimitLine[]
}

/** How the machine that asked was doing; milliseconds. */
export interface ClientHealth {
  readonly n: number
  readonly lagging: number
  readonly worstLag: number
  readonly worstTtftError: number | null
  readonly worstLateness: number
  readonly lateOverSecond: number
  readonly reopened: number
  readonly reused: number
  readonly connectP50: number | null
  readonly worstSend: number | null
}

const STEPS = 160
const TAIL = 25

function distributionOf(values: readonly (number | undefined)[]): Distribution {
  const sorted = sortSamples(values.filter((value) => value !== undefined))
  if (sorted === undefined) return { steps: [], quantiles: [] }
  return {
    steps: stepsOf(sorted),
    quantiles: SHARES.map((numerator) => quantile(sorted, { numerator, denominator: 100 })),
  }
}

function stepsOf(sorted: SortedSamples): Step[] {
  const n = sorted.length
  const wanted = new Set<number>()
  for (let step = 0; step < STEPS; step += 1) wanted.add(Math.floor((step * n) / STEPS))
  for (let rank = Math.max(0, n - TAIL); rank < n; rank += 1) wanted.add(rank)
  return [...wanted]
    .filter((rank) => rank < n)
    .toSorted((a, b) => a - b)
    .map((rank) => [sorted[rank] ?? 0, (rank + 1) / n])
}

function limitsOf(findings: readonly Finding[], probe: string, target: string, metric: string): LimitLine[] {
  const own = findings.filter(
    (finding) =>
      finding.probe === probe && (finding.target === target || finding.target === 'all') && finding.metric === metric,
  )
  const lines = own.flatMap((finding): LimitLine[] => {
    if (finding.threshold !== null) return [{ value: finding.threshold.value, text: finding.text }]
    return finding.unit === 'ms' || finding.unit === 'tok/s' ? [{ value: finding.limit, text: finding.text }] : []
  })
  return [...new Map(lines.map((line) => [line.text, line])).values()].filter(
    ({ value }) => value > 0 && (metric === 'decode_tps' || isTimeMetric(metric)),
  )
}

function targetCharts(report: RunReport, samples: readonly Sample[], probe: string, target: string): TargetCharts {
  const order = report.study
    ?.find((each) => each.probe === probe && each.target === target)
    ?.prompts.map((each) => each.prompt)
  const names = order ?? [...new Set(samples.map((sample) => sample.prompt))]
  const ok = samples.filter((sample) => sample.outcome === 'ok')
  const points = ok.flatMap((sample): Point[] => {
    if (sample.ttft_ms === undefined) return []
    const at = Date.parse(sample.started_at)
    return [{ at, ttft: sample.ttft_ms, tokens: sample.prompt_tokens ?? null, prompt: names.indexOf(sample.prompt) }]
  })
  const failures = samples.flatMap((sample): Failure[] =>
    sample.outcome === 'error' ? [{ at: Date.parse(sample.started_at), kind: sample.error_kind }] : [],
  )
  const span = spanOf([points, failures])
  return {
    probe,
    target,
    prompts: names.map((prompt) => {
      const own = ok.filter((sample) => sample.prompt === prompt)
      return {
        prompt,
        n: own.length,
        ttft: distributionOf(own.map((sample) => sample.ttft_ms)),
        speed: distributionOf(own.map((sample) => sample.decode_tps)),
        firstAnswer: distributionOf(own.map((sample) => sample.first_answer_ms)),
      }
    }),
    points: thinnedPoints(points, span),
    pointsOf: points.length,
    failures: thinnedFailures(failures, span),
    failuresOf: failures.length,
    gaps: report.run.missedRounds === 0 ? [] : missedRounds(samples),
    ttftLimits: limitsOf(report.findings, probe, target, 'ttft'),
    speedLimits: limitsOf(report.findings, probe, target, 'decode_tps'),
  }
}

function healthOf(samples: readonly Sample[]): ClientHealth {
  const most = (of: (sample: Sample) => number | undefined): number | null =>
    samples.reduce<number | null>((worst, sample) => {
      const value = of(sample)
      return value === undefined || (worst !== null && value <= worst) ? worst : value
    }, null)
  const count = (test: (sample: Sample) => boolean): number =>
    samples.reduce((sum, sample) => sum + (test(sample) ? 1 : 0), 0)
  const connects = Float64Array.from(samples.flatMap((sample) => sample.connect_ms ?? [])).sort()
  return {
    n: samples.length,
    lagging: count((sample) => sample.flags.includes('lag')),
    worstLag: most((sample) => sample.client_lag_ms) ?? 0,
    worstTtftError: most((sample) => sample.ttft_error_ms),
    worstLateness: most((sample) => sample.lateness_ms) ?? 0,
    lateOverSecond: count((sample) => sample.lateness_ms > 1000),
    reopened: count((sample) => sample.stale_retries > 0),
    reused: count((sample) => sample.reused === true),
    connectP50: connects[Math.floor(connects.length / 2)] ?? null,
    worstSend: most((sample) => sample.send_ms),
  }
}

/** Targets whose charts are drawn; the others have their rows in the tables. */
export const CHARTED = 24

/**
 * Thins the samples of a run to what its charts need.
 * @param samples - those that count
 */
export function chartData(report: RunReport, samples: readonly Sample[]): ChartData {
  const counted = samples.filter((sample) => !(sample.outcome === 'error' && sample.error_kind === 'aborted'))
  const groups = Map.groupBy(counted, (sample) => JSON.stringify([sample.probe, sample.target]))
  const targets = (report.study ?? []).slice(0, CHARTED)
  return {
    targets: targets.map(({ probe, target }) =>
      targetCharts(report, groups.get(JSON.stringify([probe, target])) ?? [], probe, target),
    ),
    health: healthOf(counted),
  }
}
