import type { BudgetWindow } from '../budget/types.ts'
import type { Sample } from '../sample/types.ts'
import type { PooledWindow } from './types.ts'

/** Rows of earlier runs that join a cell's own. */
interface Joined {
  readonly samples: readonly Sample[]
  readonly pooled: PooledWindow
}

function latestOf(samples: readonly Sample[]): string | null {
  return samples.reduce<string | null>(
    (latest, { started_at }) => (latest === null || started_at > latest ? started_at : latest),
    null,
  )
}

/** What must be the same for two samples of one cell to be asked of the same thing. */
function kindOf({ model, simulated, labels }: Sample, same: readonly string[]): string {
  return JSON.stringify([model, simulated !== undefined, ...same.map((label) => labels[label] ?? null)])
}

/**
 * Earlier samples in the window, of the same model, the same labels where they are named, and simulated only where the run's own are.
 * Which those are is told by the run's own samples, so a cell without any takes none.
 * @param own - of one cell, of this run
 * @param earlier - of the same cell, of other runs
 * @param latest - start of the last sample of the pool, from which the window counts back
 */
function joining(
  own: readonly Sample[],
  earlier: readonly Sample[],
  { forMs, same }: BudgetWindow,
  latest: string,
): readonly Sample[] {
  const since = Date.parse(latest) - forMs
  const runs = new Set(own.map((sample) => sample.run_id))
  const kinds = new Set(own.map((sample) => kindOf(sample, same)))
  return earlier.filter((sample) => {
    const at = Date.parse(sample.started_at)
    return at >= since && sample.started_at <= latest && !runs.has(sample.run_id) && kinds.has(kindOf(sample, same))
  })
}

/**
 * The samples of a pool with those that its window adds.
 * @param cells - of each cell its own samples and those of earlier runs
 */
export function joinWindow(
  cells: readonly { readonly own: readonly Sample[]; readonly earlier: readonly Sample[] }[],
  window: BudgetWindow,
): Joined {
  const own = cells.flatMap((cell) => cell.own)
  const latest = latestOf(own)
  if (latest === null) return { samples: [], pooled: { runs: 0, earlierSamples: 0, since: '' } }
  const added = cells.flatMap((cell) => joining(cell.own, cell.earlier, window, latest))
  const samples = [...own, ...added]
  return {
    samples,
    pooled: {
      runs: new Set(samples.map((sample) => sample.run_id)).size,
      earlierSamples: added.length,
      since: new Date(Date.parse(latest) - window.forMs).toISOString(),
    },
  }
}
