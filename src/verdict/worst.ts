import type { Unit } from '../budget/types.ts'
import type { Sample } from '../sample/types.ts'
import { VALUE } from './observed.ts'
import { readingAt } from './readings.ts'
import type { Reading, Readings } from './readings.ts'
import type { WorstSample } from './types.ts'

const SHOWN = 5

/** An order of samples that no permutation of them changes. */
function byTime(a: Sample, b: Sample): number {
  return (
    compare(a.started_at, b.started_at) ||
    compare(a.run_id, b.run_id) ||
    a.seq - b.seq ||
    compare(a.probe, b.probe) ||
    compare(a.target, b.target) ||
    compare(a.prompt, b.prompt)
  )
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** The first few of `items` by `order`, in one pass. */
function firstFew<Item>(items: Iterable<Item>, order: (a: Item, b: Item) => number): Item[] {
  const kept: Item[] = []
  for (const item of items) keepFirst(kept, item, order)
  return kept
}

/** Puts `item` in its place among the first few, or nowhere. */
function keepFirst<Item>(kept: Item[], item: Item, order: (a: Item, b: Item) => number): void {
  const last = kept[SHOWN - 1]
  if (last !== undefined && order(item, last) >= 0) return
  const at = kept.findIndex((other) => order(item, other) < 0)
  kept.splice(at === -1 ? kept.length : at, 0, item)
  if (kept.length > SHOWN) kept.pop()
}

/** Cut-off and failed ones are worse than every number; a cut-off one with its time comes first, since it says more. */
function worstFirst(highIsBad: boolean): (a: Reading, b: Reading) => number {
  return (a, b) => {
    const rank = (reading: Reading): number => (reading.kind === 'value' ? 0 : 1)
    const number = ({ value, kind }: Reading): number => {
      if (value === null) return -Infinity
      // Where it was cut off, later is worse whatever the limit.
      return highIsBad || kind === 'censored' ? value : -value
    }
    const [left, right] = [number(a), number(b)]
    return rank(b) - rank(a) || (left === right ? 0 : right - left) || byTime(a.sample, b.sample)
  }
}

/**
 * The five readings to look at first, worst first.
 * @param highIsBad - large values are the bad ones
 */
export function worstReadings(readings: Iterable<Reading>, highIsBad: boolean): readonly Reading[] {
  return firstFew(readings, worstFirst(highIsBad))
}

/**
 * The same of the places that are candidates. Nearly all of a million places are passed over by their number alone, before a reading is
 * made of them.
 */
export function worstPlaces(
  readings: Readings,
  isCandidate: (place: number) => boolean,
  highIsBad: boolean,
): readonly Reading[] {
  const { kinds, values } = readings.observed
  const order = worstFirst(highIsBad)
  const kept: Reading[] = []
  const isBetter = (place: number, { kind, value: edge }: Reading): boolean => {
    if (kinds[place] !== VALUE) return false
    if (kind !== 'value') return true
    const value = values[place] ?? NaN
    return edge !== null && (highIsBad ? value < edge : value > edge)
  }
  for (let place = 0; place < kinds.length; place += 1) {
    const last = kept[SHOWN - 1]
    if (!isCandidate(place) || (last !== undefined && isBetter(place, last))) continue
    const reading = readingAt(readings, place)
    if (reading !== undefined) keepFirst(kept, reading, order)
  }
  return kept
}

/** The five readings that `delay` puts furthest off, where it puts them off at all. */
export function mostDelayed(readings: Iterable<Reading>, delay: (reading: Reading) => number): readonly Reading[] {
  const late = Array.from(readings, (reading) => ({ reading, by: delay(reading) })).filter(({ by }) => by > 0)
  return firstFew(late, (a, b) => b.by - a.by || byTime(a.reading.sample, b.reading.sample)).map(
    ({ reading }) => reading,
  )
}

/**
 * A reading as a finding shows it.
 * @param unit - of the reading's value; `null` where it has none
 * @param isRate - the finding's own unit is a ratio, so that the value is shown as `measured`
 */
export function worstSample({ sample, kind, value }: Reading, unit: Unit | null, isRate: boolean): WorstSample {
  const { probe, target, prompt, seq, started_at } = sample
  return {
    probe,
    target,
    prompt,
    seq,
    started_at,
    value: isRate ? null : value,
    censored: kind === 'censored' && value !== null && !isRate,
    error_kind: sample.outcome === 'error' ? sample.error_kind : null,
    request_id: sample.request_id ?? null,
    ...(isRate && value !== null && unit !== null ? { measured: { value, unit } } : {}),
  }
}
