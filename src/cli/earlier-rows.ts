import type { Sample } from '../sample/types.ts'

/**
 * Rows of earlier runs out of several files, each run once: files that are appended to night after night hold the same ones. Of two files the
 * one with more rows of a run knows it better.
 * @param judged - runs that are judged themselves, and so are not earlier
 */
export function eachRunOnce(files: readonly (readonly Sample[])[], judged: ReadonlySet<string>): readonly Sample[] {
  const fullest = new Map<string, readonly Sample[]>()
  for (const samples of files) {
    for (const [id, own] of Map.groupBy(samples, ({ run_id }) => run_id)) {
      if (!judged.has(id) && own.length > (fullest.get(id)?.length ?? 0)) fullest.set(id, own)
    }
  }
  return [...fullest.values()].flat()
}
