import type { Flag, Sample } from '../sample/types.ts'
import { formatMs } from '../units.ts'
import { formatCount } from './numbers.ts'
import type { CellSummary, Note, RunSummary } from './types.ts'

/** A request that starts this much later than its time says that the runner, or a resumed run, was behind. */
const LATE_MS = 1000

/** Flags that are told per cell or target, with the words for them; `k of n …`. */
const FLAGS: readonly {
  readonly flag: Flag
  readonly code: string
  readonly per: 'cell' | 'target'
  readonly words: string
}[] = [
  { flag: 'cached', code: 'cached-prompts', per: 'cell', words: 'had over 5 % of their prompt served from a cache' },
  {
    flag: 'malformed',
    code: 'malformed-events',
    per: 'target',
    words: 'held malformed events, which were passed over',
  },
  {
    flag: 'usage_inconsistent',
    code: 'usage-inconsistent',
    per: 'target',
    words: 'report token counts that contradict each other',
  },
  {
    flag: 'buffered',
    code: 'buffered-streams',
    per: 'target',
    words: 'came in one burst: something between buffers the stream, and TTFT is not what the model took',
  },
  {
    flag: 'batched',
    code: 'batched-first-tokens',
    per: 'target',
    words: 'began with several tokens in one event: TTFT holds the time of all of them',
  },
]

function grouped(samples: readonly Sample[], keyOf: (sample: Sample) => readonly string[]): Sample[][] {
  const groups = new Map<string, Sample[]>()
  for (const sample of samples) {
    const key = JSON.stringify(keyOf(sample))
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [sample])
    else group.push(sample)
  }
  return [...groups.values()]
}

const byTarget = (sample: Sample): readonly string[] => [sample.probe, sample.target]
const byCell = (sample: Sample): readonly string[] => [sample.probe, sample.target, sample.prompt]

function ofAll(part: number, whole: number): string {
  return `${formatCount(part)} of ${formatCount(whole)} ${whole === 1 ? 'request' : 'requests'}`
}

function flagNotes(samples: readonly Sample[]): Note[] {
  if (samples.every((sample) => sample.flags.length === 0)) return []
  const groups = { cell: grouped(samples, byCell), target: grouped(samples, byTarget) }
  return FLAGS.flatMap(({ flag, code, per, words }) =>
    groups[per].flatMap((group): Note[] => {
      const flagged = group.filter((sample) => sample.flags.includes(flag))
      const [first] = flagged
      if (first === undefined) return []
      const place = per === 'cell' ? { prompt: first.prompt } : {}
      return [
        {
          code,
          message: `${ofAll(flagged.length, group.length)} ${words}`,
          probe: first.probe,
          target: first.target,
          ...place,
        },
      ]
    }),
  )
}

function servedModelNotes(samples: readonly Sample[]): Note[] {
  return grouped(samples, byTarget).flatMap((group): Note[] => {
    const models = new Map<string, { count: number; since: string }>()
    for (const { served_model: model, started_at: since } of group) {
      if (model === undefined) continue
      const seen = models.get(model)
      if (seen === undefined) models.set(model, { count: 1, since })
      else seen.count += 1
    }
    const [first] = group
    if (models.size < 2 || first === undefined) return []
    const told = [...models].map(([model, { count, since }]) => `${model} (×${formatCount(count)}, first at ${since})`)
    return [
      {
        code: 'served-model-changed',
        message: `the served model changed within the run: ${told.join(', ')}`,
        probe: first.probe,
        target: first.target,
      },
    ]
  })
}

function lagNotes(samples: readonly Sample[]): Note[] {
  const lagging = samples.filter((sample) => sample.flags.includes('lag'))
  if (lagging.length === 0) return []
  const worst = lagging.reduce((most, sample) => Math.max(most, sample.client_lag_ms), 0)
  return [
    {
      code: 'client-lag',
      message: `${ofAll(lagging.length, samples.length)} ${lagging.length === 1 ? 'is' : 'are'} flagged lag: this machine was late itself; the prober's own delay reached ${formatMs(worst)}`,
    },
  ]
}

function staleNotes(samples: readonly Sample[]): Note[] {
  const reopened = samples.filter((sample) => sample.stale_retries > 0).length
  if (reopened === 0) return []
  return [
    {
      code: 'stale-connections',
      message: `${ofAll(reopened, samples.length)} found their idle connection closed; it was reopened before the clock started`,
    },
  ]
}

function lateNotes(samples: readonly Sample[]): Note[] {
  const late = samples.filter((sample) => sample.lateness_ms > LATE_MS)
  const [first] = late
  if (first === undefined) return []
  const latest = late.reduce((most, sample) => (sample.lateness_ms > most.lateness_ms ? sample : most), first)
  return [
    {
      code: 'late-requests',
      message: `${ofAll(late.length, samples.length)} started over ${formatMs(LATE_MS)} after their time, the latest by ${formatMs(latest.lateness_ms)} (due ${latest.due_at})`,
    },
  ]
}

function simulatedNotes(samples: readonly Sample[], run: RunSummary): Note[] {
  if (!run.simulated) return []
  const simulated = samples.filter((sample) => sample.simulated !== undefined)
  const scales = [...new Set(simulated.map((sample) => sample.simulated))].map((scale) => `×${scale}`)
  if (simulated.length === 0)
    return [
      { code: 'simulated', message: 'SIMULATED, not measured: the built-in simulator was asked, and no sample came' },
    ]
  const which =
    simulated.length === samples.length
      ? 'every sample'
      : `${ofAll(simulated.length, samples.length)} (targets ${[...new Set(simulated.map(({ target }) => target))].join(', ')})`
  return [
    {
      code: 'simulated',
      message: `SIMULATED, not measured: ${which} came from the built-in simulator at time scale ${scales.join(', ')}`,
    },
  ]
}

function emptyCellNotes(cells: readonly CellSummary[]): Note[] {
  const empty = cells.filter((cell) => cell.n === 0)
  if (empty.length === 0) return []
  const named = empty.slice(0, 5).map(({ probe, target, prompt }) => `${probe}/${target}/${prompt}`)
  const more = empty.length > named.length ? ` and ${formatCount(empty.length - named.length)} more` : ''
  return [
    {
      code: 'cells-without-samples',
      message: `${formatCount(empty.length)} of ${formatCount(cells.length)} selected cells have no sample: ${named.join(', ')}${more}`,
    },
  ]
}

/**
 * What a reader of the numbers should know, told by the samples themselves.
 * @param samples - those that count: no aborted ones
 */
export function dataNotes(samples: readonly Sample[], cells: readonly CellSummary[], run: RunSummary): Note[] {
  return [
    ...simulatedNotes(samples, run),
    ...emptyCellNotes(cells),
    ...servedModelNotes(samples),
    ...lagNotes(samples),
    ...lateNotes(samples),
    ...flagNotes(samples),
    ...staleNotes(samples),
  ]
}
