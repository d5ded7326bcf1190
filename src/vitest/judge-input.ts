import type { CellKey } from '../budget/types.ts'
import type { SampleStore } from '../sample/index.ts'
import type { RunStart, Sample } from '../sample/types.ts'
import type { JudgeInput } from '../verdict/types.ts'
import { historyOf } from './baselines.ts'
import type { Baselines } from './baselines.ts'
import { earlierRows, looksBack } from './earlier-runs.ts'
import type { SelectedProbe } from './messages.ts'
import { allCellsOf, cellsOf, currenciesOf, inCell, sameCell } from './selected.ts'
import type { SessionOptions } from './session-types.ts'

/** What a run is judged with, beside its samples. */
export interface RunMaterial {
  readonly options: SessionOptions
  readonly store: SampleStore
  readonly probes: readonly SelectedProbe[]
  readonly start: RunStart
  /** CSVs that budgets name. */
  readonly baselines: Baselines
}

/**
 * Cells that a filter left out, and those that a run which was cut short left without all their planned samples (where the
 * clock ends the run nobody knows how many those are: without any).
 */
function incompleteCells(
  probes: readonly SelectedProbe[],
  start: RunStart,
  samples: readonly Sample[],
  cutShort: boolean,
): readonly CellKey[] {
  const selected = cellsOf(probes)
  const unselected = allCellsOf(probes).filter((cell) => !selected.some((each) => sameCell(each, cell)))
  if (!cutShort) return unselected
  const short = selected.filter((cell) => {
    const planned = start.cells.find((each) => sameCell(each, cell))?.planned ?? 1
    return samples.filter((each) => inCell(each, cell)).length < planned
  })
  return [...unselected, ...short]
}

/**
 * Everything that a verdict on a run rests on.
 * @param samples - of the run, aborted ones left out
 * @param cutShort - it ended before its schedule did, and not because everything was decided
 */
export function judgeInput(
  { options, store, probes, start, baselines }: RunMaterial,
  samples: readonly Sample[],
  cutShort: boolean,
): JudgeInput {
  const { file } = options.budgets.parsed
  const compares = file.budgets.some(({ baseline }) => baseline?.kind === 'history')
  return {
    samples,
    earlier: looksBack(file) ? earlierRows({ rows: store.rows(), lines: store.runLines() }, start.run_id) : [],
    baselines: [...baselines, ...(compares ? historyOf(store.rows(), store.runLines(), start.run_id) : [])],
    incomplete: incompleteCells(probes, start, samples, cutShort),
    interrupted: cutShort,
    timezone: file.timezone,
    currencies: currenciesOf(probes),
  }
}
