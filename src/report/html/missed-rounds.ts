import type { Sample } from '../../sample/types.ts'

/** Stretches shown at most. */
const MOST = 100

/** Where the beginnings of a run's rounds lie more than 1.5 usual distances apart; nothing for rounds back to back. */
function stretchesOf(starts: Iterable<number>): (readonly [number, number])[] {
  const times = [...starts].toSorted((a, b) => a - b)
  const between = times.slice(1).map((time, at) => time - (times[at] ?? time))
  const usual = between.toSorted((a, b) => a - b)[Math.floor(between.length / 2)] ?? 0
  // a grid is regular; rounds back to back are not
  const regular = between.filter((ms) => Math.abs(ms - usual) < usual * 0.02).length
  if (usual < 1000 || regular < between.length * 0.8) return []
  return between.flatMap((ms, at) =>
    ms > usual * 1.5 ? [[(times[at] ?? 0) + usual, times[at + 1] ?? 0] as const] : [],
  )
}

/**
 * Stretches in which a round should have begun and none did, as the rows of a probe tell it; each run has its own grid. How many rounds were
 * missed is what the run itself recorded: where it says none, there is nothing to look for.
 */
export function missedRounds(samples: readonly Sample[]): (readonly [number, number])[] {
  const runs = new Map<string, Map<number, number>>()
  for (const { run_id, round, due_at } of samples) {
    const at = Date.parse(due_at)
    let starts = runs.get(run_id)
    if (starts === undefined) runs.set(run_id, (starts = new Map<number, number>()))
    if (!Number.isNaN(at) && at < (starts.get(round) ?? Infinity)) starts.set(round, at)
  }
  return [...runs.values()].flatMap((starts) => stretchesOf(starts.values())).slice(0, MOST)
}
