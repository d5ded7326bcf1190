import type { Sample } from '../sample/types.ts'

/** Failed samples by kind, `http_status` split by status; the most frequent first. */
export function failuresByKind(samples: readonly Sample[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const sample of samples) {
    if (sample.outcome === 'ok') continue
    const { error_kind, status } = sample
    const kind = error_kind === 'http_status' && status !== undefined ? `${error_kind} ${status}` : error_kind
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return Object.fromEntries([...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)))
}
