import { scaleLinear, scaleLog } from 'd3-scale'
import { localTime } from '../local-time.ts'
import { trim } from '../../units.ts'
import { BOTTOM, LEFT, RIGHT, TOP } from './frame.ts'
import type { Axis } from './frame.ts'

/** A scale and its axis. */
export interface Scaled {
  readonly of: (value: number) => number
  readonly axis: Axis
}

const RANGES = { x: [LEFT, RIGHT], y: [BOTTOM, TOP] } as const

/** `850 ms`, `1.5 s`, `2 min`: short, for ticks. */
export function shortMs(ms: number): string {
  if (ms < 1000) return `${trim(ms, 1)} ms`
  if (ms < 60_000) return `${trim(ms / 1000, 1)} s`
  return `${trim(ms / 60_000, 1)} min`
}

function extent(values: Iterable<number>): readonly [number, number] {
  let low = Infinity
  let high = -Infinity
  for (const value of values) {
    if (!Number.isFinite(value)) continue
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  return Number.isFinite(low) ? [low, high] : [1, 10]
}

const LOG_STEPS = [[1, 2, 5], [1, 3], [1]]

/** Times on a log scale with round ticks. */
export function logTimes(label: string, side: 'x' | 'y', values: Iterable<number>): Scaled {
  const [low, high] = extent(values)
  const from = Math.max(low, 0.01) / 1.1
  const to = Math.max(high * 1.1, from * 2)
  const scale = scaleLog().domain([from, to]).range(RANGES[side])
  const inside = (steps: readonly number[]): number[] => {
    const ticks: number[] = []
    for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power += 1)
      for (const step of steps) {
        const tick = Number(`${step}e${power}`)
        if (tick >= from && tick <= to) ticks.push(tick)
      }
    return ticks
  }
  const ticks = LOG_STEPS.map(inside).find((found) => found.length <= 7) ?? inside([1])
  const shown = ticks.length >= 2 ? ticks : scale.ticks(4)
  return { of: scale, axis: { label, ticks: shown.map((value) => ({ at: scale(value), text: shortMs(value) })) } }
}

/** Numbers from 0 on. */
export function fromZero(
  label: string,
  side: 'x' | 'y',
  values: Iterable<number>,
  text = (value: number): string => trim(value, 2),
): Scaled {
  const [, high] = extent(values)
  const scale = scaleLinear()
    .domain([0, Math.max(high, 1e-9) * 1.05])
    .range(RANGES[side])
    .nice(5)
  return { of: scale, axis: { label, ticks: scale.ticks(5).map((value) => ({ at: scale(value), text: text(value) })) } }
}

/** Shares from 0 to 100 %. */
export function shares(label: string): Scaled {
  const scale = scaleLinear().domain([0, 1]).range(RANGES.y)
  const ticks = [0, 0.25, 0.5, 0.75, 0.95]
  return { of: scale, axis: { label, ticks: ticks.map((value) => ({ at: scale(value), text: `${value * 100} %` })) } }
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const STEPS = [1 / 60, 5 / 60, 0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080, 43_200].map(
  (minutes) => minutes * MINUTE,
)

/** Milliseconds by which the zone is ahead of UTC at an instant. */
function offsetAt(ms: number, timezone: string): number {
  const minute = Math.floor(ms / MINUTE) * MINUTE
  const local = Date.parse(`${localTime(new Date(minute).toISOString(), timezone).replace(' ', 'T')}:00Z`)
  return Number.isNaN(local) ? 0 : local - minute
}

/** Instants, with ticks at round times of day in the zone. */
export function instants(label: string, values: readonly number[], timezone: string): Scaled {
  const [low, high] = extent(values)
  const from = low
  const to = high > low ? high : low + 1000
  const scale = scaleLinear().domain([from, to]).range(RANGES.x)
  const offset = offsetAt(from, timezone)
  // round on the clocks of the zone, on both sides of a change of them
  const roundTimes = (step: number): number[] => {
    const times: number[] = []
    for (let local = Math.ceil((from + offset) / step) * step; local <= to + offsetAt(to, timezone); local += step) {
      const time = local - offsetAt(local - offset, timezone)
      // an hour that the clocks pass over is on none
      if (time >= from && time + offsetAt(time, timezone) === local) times.push(time)
    }
    return times
  }
  const widest = STEPS.findIndex((each) => (to - from) / each <= 5)
  const found = [STEPS[widest] ?? (to - from) / 4, STEPS[widest - 1]]
    .flatMap((step) => (step === undefined ? [] : [{ step, times: roundTimes(step) }]))
    .find(({ times }) => times.length > 1)
  // a short run lies between two round times: then its ends are told
  const ends = { step: to - from < 1000 ? 1 : 1000, times: high > low ? [from, to] : [from] }
  const { step, times } = found ?? ends
  const ticks = times.map((time) => {
    const text = new Date(time + offsetAt(time, timezone)).toISOString()
    const isDay = step >= 24 * HOUR || text.slice(11, 19) === '00:00:00'
    const ofDay = text.slice(11, step < 1000 ? 23 : step < MINUTE ? 19 : 16)
    return { at: scale(time), text: isDay ? text.slice(5, 10) : ofDay }
  })
  return { of: scale, axis: { label, ticks } }
}
