import type { Sample } from '../sample/types.ts'
import type { SlotQueue } from '../schedule/index.ts'
import type { SelectedProbe } from './messages.ts'
import type { ProgressState, TargetProgress } from './progress.ts'
import { isAborted, scheduledProbes } from './selected.ts'
import type { SessionOptions } from './session-types.ts'
import { nextRoundAt, runEndsAt } from './time-left.ts'
import type { Standing } from './time-left.ts'

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

/** What is known when a sitting begins. */
export interface Sitting {
  readonly queue: SlotQueue
  /** Start of the run, wall-clock milliseconds. */
  readonly startedAt: number
  /** Samples of earlier sittings of the same run. */
  readonly present: readonly Sample[]
}

/** Counts what comes, and hands the printer a new state with every sample. */
export function createTracker(
  { clock, printer }: SessionOptions,
  probes: readonly SelectedProbe[],
  { queue, startedAt, present }: Sitting,
): RunTracker {
  const scheduled = scheduledProbes(probes, {})
  const waits = scheduled.some(({ everyMs }) => everyMs > 0)
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
  /** Wall clock that the requests of this sitting took. */
  let busyMs = 0
  const begun = new Map<string, number>()
  /** Samples of the newest round of a probe. */
  const ofRound = new Map<string, number>()

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
    const before = begun.get(sample.probe) ?? 0
    if (sample.round >= before) {
      begun.set(sample.probe, sample.round + 1)
      ofRound.set(sample.probe, 1)
    } else if (sample.round === before - 1) ofRound.set(sample.probe, (ofRound.get(sample.probe) ?? 0) + 1)
  }
  for (const sample of present) count(sample)

  const standing = (): Standing => ({
    startedAt,
    now: clock.wall(),
    begun: (probe) => begun.get(probe) ?? 0,
    left: queue.planned === null ? null : queue.planned - samples.length,
    requestMs: here === 0 ? null : (waits ? busyMs : clock.wall() - begunAt) / here,
  })
  const isBetweenRounds = (): boolean =>
    scheduled.every(({ probe, cells, everyMs }) => everyMs > 0 && ofRound.get(probe) === cells.length)
  const state = (): ProgressState => ({
    planned: queue.planned,
    done: samples.length,
    failed,
    rounds: rounds.every((each) => each !== null) ? Math.max(...rounds) : null,
    round: Math.max(1, round),
    missedRounds: queue.missedRounds(),
    endsAt: runEndsAt(scheduled, standing()),
    nextRoundAt: isBetweenRounds() ? nextRoundAt(scheduled, standing()) : null,
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
      busyMs += (sample.total_ms ?? 0) / (sample.simulated ?? 1)
      printer.update(state())
    },
    samples: () => samples,
    cost: () => cost,
  }
}
