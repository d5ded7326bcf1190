import type { Sample } from '../sample/types.ts'
import type { SlotQueue } from '../schedule/index.ts'
import type { SelectedProbe } from './messages.ts'
import type { ProgressState, TargetProgress } from './progress.ts'
import { isAborted } from './selected.ts'
import type { SessionOptions } from './session-types.ts'

/** Holds the samples of a run as they come, and keeps the progress up to date. */
export interface RunTracker {
  begin(): void
  add(sample: Sample): void
  /** All samples of the run, those of earlier sittings first. */
  samples(): readonly Sample[]
  /** Sum of `cost`; `null` where no sample has one. */
  cost(): number | null
}

interface TargetCount {
  n: number
  failed: number
  readonly ttft: number[]
}

/** @param present - samples of earlier sittings of the same run */
export function createTracker(
  options: SessionOptions,
  probes: readonly SelectedProbe[],
  queue: SlotQueue,
  present: readonly Sample[],
): RunTracker {
  const { clock, printer } = options
  const begunAt = clock.wall()
  const samples: Sample[] = []
  const targets = new Map<string, TargetCount>()
  const currency =
    probes.flatMap(({ probe }) => probe.targets.flatMap((target) => target.price?.currency ?? []))[0] ?? null
  const rounds = probes.map(({ probe }) => probe.schedule.rounds)
  let cost: number | null = null
  let failed = 0
  let round = 0
  let here = 0

  const count = (sample: Sample): void => {
    if (isAborted(sample)) return
    samples.push(sample)
    const target = targets.get(sample.target) ?? { n: 0, failed: 0, ttft: [] }
    targets.set(sample.target, target)
    target.n += 1
    if (sample.outcome === 'error') {
      target.failed += 1
      failed += 1
    } else if (sample.ttft_ms !== undefined) target.ttft.push(sample.ttft_ms)
    if (sample.cost !== undefined) cost = (cost ?? 0) + sample.cost
    round = Math.max(round, sample.round + 1)
  }
  for (const sample of present) count(sample)

  const eta = (): number | null => {
    const planned = queue.planned
    if (planned === null || here === 0) return null
    const left = planned - samples.length
    const byPace = ((clock.wall() - begunAt) / here) * left
    return Math.max(0, Math.min(byPace, Number.MAX_SAFE_INTEGER))
  }
  const state = (): ProgressState => ({
    planned: queue.planned,
    done: samples.length,
    failed,
    rounds: rounds.every((each) => each !== null) ? Math.max(...rounds) : null,
    round: Math.max(1, round),
    missedRounds: queue.missedRounds(),
    elapsedMs: clock.wall() - begunAt,
    etaMs: eta(),
    cost,
    currency,
    simulated: probes.some(({ probe }) => probe.targets.some((target) => target.kind === 'simulated')),
    last: samples.at(-1) ?? null,
    targets: [...targets].map(([name, each]): TargetProgress => ({ name, ...each })),
  })
  return {
    begin: () => printer.update(state()),
    add(sample) {
      count(sample)
      here += 1
      printer.update(state())
    },
    samples: () => samples,
    cost: () => cost,
  }
}
