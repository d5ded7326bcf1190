import { plainSample } from '../sample/index.ts'
import type { SampleStore } from '../sample/index.ts'
import type { RunStart, Sample } from '../sample/types.ts'
import { drawSeed, findResumable, planHash, plannedByCell, plannedSamples, runId } from '../schedule/index.ts'
import { isoTime } from '../units.ts'
import { checkPresentRows } from './present-rows.ts'
import type { SelectedProbe } from './messages.ts'
import { cellsOf, currenciesOf, scheduledProbes } from './selected.ts'
import { selectionOf } from './run-selection.ts'
import type { SessionOptions } from './session-types.ts'

const HOUR_MS = 3_600_000

/** The run that goes on, or a new one. */
export interface RunIdentity {
  readonly start: RunStart
  /** Samples of earlier sittings, aborted ones left out. */
  readonly present: readonly Sample[]
  /** `null`: a new run. */
  readonly resumed: { readonly nextSeq: number } | null
}

/** Looks for an unfinished run of the same plan; draws the seeds of a new one. */
export function identify(options: SessionOptions, store: SampleStore, probes: readonly SelectedProbe[]): RunIdentity {
  const { clock, environment, fresh, resumeWithinMs } = options
  const plan = planHash({ probes: probes.map((each) => each.probe), cells: cellsOf(probes) })
  const longest = Math.max(...probes.map((each) => each.probe.schedule.everyMs))
  const now = clock.wall()
  const found = fresh
    ? null
    : findResumable(store.runLines(), store.rows(), {
        plan,
        now,
        resumeWithinMs: resumeWithinMs ?? Math.max(HOUR_MS, 2 * longest),
      })
  if (found !== null) {
    checkPresentRows(store.file, found.samples, probes)
    // the tests' thread gets them, too
    return { start: found.start, present: found.samples.map(plainSample), resumed: { nextSeq: found.nextSeq } }
  }
  const seeds = Object.fromEntries(probes.map(({ probe }) => [probe.name, probe.schedule.seed ?? drawSeed()]))
  const scheduled = scheduledProbes(probes, seeds)
  const selection = selectionOf(options.budgets.parsed.file, probes)
  const start: RunStart = {
    type: 'start',
    run_id: runId(now),
    plan,
    started_at: isoTime(now),
    seeds,
    planned: plannedSamples(scheduled),
    cells: plannedByCell(scheduled),
    overrides: environment.overrides,
    versions: options.versions,
    currencies: currenciesOf(probes),
    ...(selection === null ? {} : { selection }),
  }
  return { start, present: [], resumed: null }
}
