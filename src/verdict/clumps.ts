import { clumpingOf } from '../statistics/index.ts'
import type { Readings } from './readings.ts'

/** Exceedances that come together in time more than chance would bring them. Plain JSON. */
export interface Clumps {
  /** So many samples weigh like one independent sample. */
  readonly designEffect: number
  readonly pValue: number
  /** The hour with the most of them, UTC: `2026-12-01T03`. */
  readonly hour: string
  readonly beyondInHour: number
  readonly samplesInHour: number
}

/** Hours are called uneven where chance would make them so in one run of twenty. */
const ALPHA = 0.05
/** Tests the exceedances of `readings` by hour; `null` where they are spread as independent ones would be, or nobody can tell. */
export function clumpsOf({ pooled, observed, beyond: isBeyond }: Readings, beyond: number): Clumps | null {
  if (beyond < 2 || beyond === observed.size) return null
  const { names, of } = pooled.hours
  const counts = new Uint32Array(names.length)
  const exceedances = new Uint32Array(names.length)
  for (let place = 0; place < observed.size; place += 1) {
    const hour = of[observed.at[place] ?? 0] ?? 0
    counts[hour] = (counts[hour] ?? 0) + 1
    exceedances[hour] = (exceedances[hour] ?? 0) + (isBeyond[place] ?? 0)
  }
  // In the order of time, so that the same samples in any order draw the same.
  const hours = names
    .map((hour, at) => ({ hour, n: counts[at] ?? 0, beyond: exceedances[at] ?? 0 }))
    .filter(({ n }) => n > 0)
  const [first] = hours
  if (first === undefined || hours.length < 2) return null
  const found = clumpingOf(hours)
  if (found === null || found.pValue > ALPHA || found.designEffect <= 1) return null
  const worst = hours.reduce((most, each) => (each.beyond > most.beyond ? each : most), first)
  return { ...found, hour: worst.hour, beyondInHour: worst.beyond, samplesInHour: worst.n }
}
