import type { CellKey } from '../budget/types.ts'
import { SloError } from '../errors.ts'
import type { Note, RunSummary } from '../report/types.ts'
import type { Sample } from '../sample/types.ts'
import { isoTime } from '../units.ts'
import type { Baselines } from '../vitest/baselines.ts'
import { eachRunOnce } from './earlier-rows.ts'
import type { LoadedRun } from './load-runs.ts'

/** Several runs as one to judge; one run as it was judged itself. */
export interface MergedRuns {
  readonly run: RunSummary
  readonly samples: readonly Sample[]
  /** Of runs before them, for windows. */
  readonly earlier: readonly Sample[]
  /** Passing runs before them, for baselines. */
  readonly history: Baselines
  /** Sampled, or selected to be. */
  readonly cells: readonly CellKey[]
  /** Those that budgets pool over: with the ones that a narrowed run left out. */
  readonly allCells: readonly CellKey[]
  /** Budgets' tests that a narrowed run left out. */
  readonly skipped: ReadonlySet<string>
  readonly incomplete: readonly CellKey[]
  /** Some run ended before its schedule did, as far as anybody knows. */
  readonly cutShort: boolean
  /** A run ended because something of ours broke. */
  readonly broken: string | null
  readonly currencies: readonly { readonly probe: string; readonly target: string; readonly currency: string }[]
  readonly notes: readonly Note[]
}

/** Reasons to end early that are no fault of ours. */
const WANTED = new Set(['interrupted', 'max-cost'])

/** One text for a cell. */
export const cellId = ({ probe, target, prompt }: CellKey): string => JSON.stringify([probe, target, prompt])

function unique(cells: Iterable<CellKey>): CellKey[] {
  const seen = new Map<string, CellKey>()
  for (const { probe, target, prompt } of cells) {
    const cell = { probe, target, prompt }
    if (!seen.has(cellId(cell))) seen.set(cellId(cell), cell)
  }
  return [...seen.values()]
}

interface CellFacts {
  readonly cell: CellKey
  n: number
  bytes: number
  simulated: number
}

function factsOf(samples: readonly Sample[]): Map<string, CellFacts> {
  const facts = new Map<string, CellFacts>()
  for (const sample of samples) {
    const id = cellId(sample)
    let of = facts.get(id)
    if (of === undefined) {
      of = { cell: { probe: sample.probe, target: sample.target, prompt: sample.prompt }, n: 0, bytes: 0, simulated: 0 }
      facts.set(id, of)
    }
    of.n += 1
    of.bytes += sample.prompt_bytes
    if (sample.simulated !== undefined) of.simulated += 1
  }
  return facts
}

/** Where nobody tells the order: probes and targets by name, prompts from the shortest to the longest; any order of rows gives the same. */
function orderedCells(facts: ReadonlyMap<string, CellFacts>): CellKey[] {
  return [...facts.values()]
    .toSorted(
      (a, b) =>
        compare(a.cell.probe, b.cell.probe) ||
        compare(a.cell.target, b.cell.target) ||
        a.bytes / a.n - b.bytes / b.n ||
        compare(a.cell.prompt, b.cell.prompt),
    )
    .map(({ cell }) => cell)
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** When the last request was over; `''` where no row has a time. */
function lastMoment(samples: readonly Sample[]): string {
  let latest = Number.NEGATIVE_INFINITY
  for (const sample of samples) {
    const at = Date.parse(sample.started_at)
    if (at > latest) latest = at
  }
  return Number.isFinite(latest) ? isoTime(latest) : ''
}

function firstMoment(samples: readonly Sample[]): string {
  let first = Number.POSITIVE_INFINITY
  for (const sample of samples) {
    const at = Date.parse(sample.started_at)
    if (at < first) first = at
  }
  return Number.isFinite(first) ? isoTime(first) : ''
}

interface OneRun extends MergedRuns {
  readonly loaded: LoadedRun
}

function single(loaded: LoadedRun, timezone: string): OneRun {
  const { start, end, selection, samples, aborted } = loaded
  const facts = factsOf(samples)
  const told = start === null ? null : start.cells.map(({ probe, target, prompt }) => ({ probe, target, prompt }))
  const cells = told ?? unique([...orderedCells(facts), ...aborted])
  const sampled = [...facts.values()].map(({ cell }) => cell)
  const allCells = unique([...(selection?.cells ?? []), ...cells, ...sampled])
  // a log without an end: the run was killed, or is still going on
  const lost = end === null ? 0 : end.sampled - samples.length
  const isUnfinished = end !== null && (!end.complete || end.reason !== undefined)
  const cutShort = (start === null ? aborted.length > 0 : end === null) || isUnfinished || lost > 0
  const selected = new Set(cells.map(cellId))
  const left = (selection?.cells ?? []).filter((cell) => !selected.has(cellId(cell)))
  const short = cells.filter((cell) => {
    // which cell lacks rows nobody can tell where the plan is gone
    if (start === null && (isUnfinished || lost > 0)) return true
    const planned = start?.cells.find((each) => cellId(each) === cellId(cell))?.planned ?? 1
    return (facts.get(cellId(cell))?.n ?? 0) < planned
  })
  const scales = new Set<number>()
  for (const { simulated } of samples) if (simulated !== undefined) scales.add(simulated)
  const [scale] = scales
  const isSimulated = scales.size > 0 || start?.overrides['SLO_SIMULATE'] === '1'
  return {
    loaded,
    samples,
    earlier: loaded.earlier,
    history: loaded.history,
    cells,
    allCells,
    skipped: new Set((selection?.skipped ?? []).map((each) => JSON.stringify([each.budget, cellId(each)]))),
    incomplete: cutShort ? [...left, ...short] : left,
    cutShort,
    broken: end?.reason !== undefined && !WANTED.has(end.reason) ? end.reason : null,
    currencies: start?.currencies ?? [],
    notes: [
      ...(end?.notes ?? (start === null ? [unknownNote(loaded)] : [unendedNote(loaded)])),
      ...(lost > 0 ? [lostNote(loaded, lost)] : []),
    ],
    run: {
      id: loaded.id,
      startedAt: start?.started_at ?? firstMoment(samples),
      endedAt: end?.ended_at ?? lastMoment(samples),
      planned: start?.planned ?? null,
      sampled: samples.length,
      missedRounds: end?.missed_rounds ?? null,
      complete: end === null ? (start === null ? null : false) : end.complete && lost <= 0,
      interrupted: end === null ? null : end.interrupted,
      ...(end?.stopped_early === true ? { stoppedEarly: true } : {}),
      simulated: isSimulated,
      ...(scales.size === 1 && scale !== undefined ? { timeScale: scale } : {}),
      timezone,
    },
  }
}

function unknownNote({ file }: LoadedRun): Note {
  const message = `no runs.jsonl beside ${file} knows the run: what was planned, missed rounds, and whether it was complete are unknown`
  return { code: 'unknown-run', message }
}

function lostNote({ id, file }: LoadedRun, lost: number): Note {
  const message = `${file} lacks ${lost} of the samples that run ${id} ended with: rows were lost since`
  return { code: 'lost-rows', message }
}

function unendedNote({ id }: LoadedRun): Note {
  return { code: 'unended-run', message: `run ${id} wrote no end: it was killed, or still goes on` }
}

/** @throws SloError `USAGE` where practice and real samples of one cell would be pooled */
function checkUnmixed(runs: readonly OneRun[]): void {
  const seen = new Map<string, { readonly simulated: boolean; readonly id: string }>()
  for (const { samples, loaded } of runs) {
    for (const { cell, simulated, n } of factsOf(samples).values()) {
      const before = seen.get(cellId(cell)) ?? { simulated: simulated > 0, id: loaded.id }
      seen.set(cellId(cell), before)
      if ((simulated === 0 || simulated === n) && before.simulated === simulated > 0) continue
      const place = `${cell.probe}/${cell.target}/${cell.prompt}`
      throw new SloError(
        'USAGE',
        `simulated and measured samples of ${place} would be pooled (runs ${before.id}, ${loaded.id})`,
        {
          hint: 'judge them apart: name one of them with --run',
        },
      )
    }
  }
}

function sumOrUnknown(values: readonly (number | null)[]): number | null {
  return values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0)
}

function every(values: readonly (boolean | null)[]): boolean | null {
  if (values.includes(false)) return false
  return values.includes(null) ? null : true
}

function idOf(runs: readonly OneRun[]): string {
  const shown = runs.slice(0, 3).map(({ loaded }) => loaded.id)
  return runs.length > shown.length ? `${shown.join(', ')} and ${runs.length - shown.length} more` : shown.join(', ')
}

function pooled(runs: readonly OneRun[], timezone: string): MergedRuns {
  checkUnmixed(runs)
  const incomplete = runs.map((each) => new Set(each.incomplete.map(cellId)))
  const known = runs.map((each) => new Set(each.allCells.map(cellId)))
  const allCells = unique(runs.flatMap((each) => each.allCells))
  const times = (of: 'startedAt' | 'endedAt'): string[] =>
    runs
      .map(({ run }) => run[of])
      .filter((text) => text !== '')
      .toSorted()
  const scales = new Set(runs.map(({ run }) => run.timeScale))
  const [scale] = scales
  const judged = new Set(runs.map(({ loaded }) => loaded.id))
  const histories = Map.groupBy(
    runs.flatMap(({ history }) => history),
    ({ file }) => file,
  )
  const count = `${runs.length} runs are pooled: ${idOf(runs)}`
  return {
    samples: runs.flatMap(({ samples }) => samples),
    earlier: eachRunOnce(
      runs.map(({ earlier }) => earlier),
      judged,
    ),
    history: [...histories].map(([file, parts]) => ({
      file,
      samples: eachRunOnce(
        parts.map(({ samples }) => samples),
        judged,
      ),
    })),
    cells: unique(runs.flatMap((each) => each.cells)),
    allCells,
    // a test that one run left out was judged by another
    skipped: new Set([...(runs[0]?.skipped ?? [])].filter((key) => runs.every((each) => each.skipped.has(key)))),
    // a cell counts as incomplete where no run has all of it
    incomplete: allCells.filter((cell) =>
      runs.every((_, at) => known[at]?.has(cellId(cell)) !== true || incomplete[at]?.has(cellId(cell)) === true),
    ),
    cutShort: runs.some((each) => each.cutShort),
    broken: runs.find((each) => each.broken !== null)?.broken ?? null,
    currencies: [
      ...new Map(runs.flatMap((each) => each.currencies.map((price) => [JSON.stringify(price), price]))).values(),
    ],
    notes: [
      { code: 'pooled-runs', message: count },
      ...runs.flatMap((each) =>
        each.notes.map((note) => ({ ...note, message: `run ${each.loaded.id}: ${note.message}` })),
      ),
    ],
    run: {
      id: idOf(runs),
      startedAt: times('startedAt')[0] ?? '',
      endedAt: times('endedAt').at(-1) ?? '',
      planned: sumOrUnknown(runs.map(({ run }) => run.planned)),
      sampled: runs.reduce((sum, { run }) => sum + run.sampled, 0),
      missedRounds: sumOrUnknown(runs.map(({ run }) => run.missedRounds)),
      complete: every(runs.map(({ run }) => run.complete)),
      interrupted: runs.some(({ run }) => run.interrupted === true)
        ? true
        : runs.some(({ run }) => run.interrupted === null)
          ? null
          : false,
      simulated: runs.some(({ run }) => run.simulated),
      ...(scales.size === 1 && scale !== undefined ? { timeScale: scale } : {}),
      timezone,
    },
  }
}

/**
 * One run as it was; several pooled.
 * @throws SloError `USAGE` where simulated and measured samples of a cell would be pooled
 */
export function mergeRuns(loaded: readonly LoadedRun[], timezone: string): MergedRuns {
  const runs = loaded.map((each) => single(each, timezone))
  const [only] = runs
  if (runs.length !== 1 || only === undefined) return pooled(runs, timezone)
  checkUnmixed(runs)
  const { loaded: _loaded, ...merged } = only
  return merged
}
