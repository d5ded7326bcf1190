import type { Failure, Point } from './chart-data.ts'

/** Points of the body of the distribution, an even choice by TTFT. */
const BODY = 500
/** The slowest, each of them kept: tables list them. */
const SLOWEST = 60
/** The tail begins at p99. */
const TAIL_SHARE = 0.01
/** Places side by side that a drawing tells apart, and places above each other. */
const COLUMNS = 340
const ROWS = 204

/** The first and the last moment. */
export type Span = readonly [from: number, to: number]

/** From the first moment to the last one of several lists. */
export function spanOf(lists: readonly (readonly { readonly at: number }[])[]): Span {
  let from = Infinity
  let to = -Infinity
  for (const list of lists)
    for (const { at } of list) {
      if (Number.isNaN(at)) continue
      if (at < from) from = at
      if (at > to) to = at
    }
  return [from, to]
}

function placeIn(value: number, [from, to]: Span, places: number): number {
  return to > from && !Number.isNaN(value) ? Math.round(((value - from) / (to - from)) * places) : 0
}

/** The first item of each place. */
function firstOfEach<Item>(items: readonly Item[], placeOf: (item: Item) => number): Item[] {
  const first = new Map<number, Item>()
  for (const item of items) {
    const place = placeOf(item)
    if (!first.has(place)) first.set(place, item)
  }
  return [...first.values()]
}

function everySo<Item>(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items
  return Array.from({ length: most }, (_, at) => items[Math.floor((at * items.length) / most)]).filter(
    (item) => item !== undefined,
  )
}

/**
 * Points that look like all of them: every one of the slowest, of the rest beyond p99 one for each place that has any, and an even choice of the
 * body. In the order of time.
 */
export function thinnedPoints(points: readonly Point[], span: Span): Point[] {
  if (points.length <= BODY) return [...points]
  const slowFirst = points.toSorted((a, b) => b.ttft - a.ttft)
  const tail = slowFirst.slice(SLOWEST, Math.max(SLOWEST, Math.ceil(points.length * TAIL_SHARE)))
  const heights: Span = [Math.log(tail.at(-1)?.ttft ?? 1), Math.log(slowFirst[0]?.ttft ?? 1)]
  const placeOf = ({ at, ttft, prompt }: Point): number =>
    (placeIn(at, span, COLUMNS) * (ROWS + 1) + placeIn(Math.log(ttft), heights, ROWS)) * 1000 + prompt
  return [
    ...slowFirst.slice(0, SLOWEST),
    ...firstOfEach(tail, placeOf),
    ...everySo(slowFirst.slice(SLOWEST + tail.length), BODY - SLOWEST),
  ].toSorted((a, b) => a.at - b.at)
}

/** Crosses stand in one row: one for each place that has any looks like all of them. */
export function thinnedFailures(failures: readonly Failure[], span: Span): Failure[] {
  return firstOfEach(failures, ({ at }) => placeIn(at, span, COLUMNS))
}
