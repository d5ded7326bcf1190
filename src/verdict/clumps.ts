import { clumpingOf } from '../statistics/index.ts'
import type { Reading } from './readings.ts'

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
/** `2026-12-01T03` of an ISO time. */
const TO_THE_HOUR = 13

/** Tests the exceedances of `readings` by hour; `null` where they are spread as independent ones would be, or nobody can tell. */
export function clumpsOf(readings: readonly Reading[], beyond: number): Clumps | null {
  if (beyond < 2 || beyond === readings.length) return null
  const hours = new Map<string, { n: number; beyond: number }>()
  let key = ''
  let hour = { n: 0, beyond: 0 }
  for (const { sample, beyond: isBeyond } of readings) {
    // Samples come in the order of time, as a rule: most are of the hour of the one before.
    if (key === '' || !sample.started_at.startsWith(key)) {
      key = sample.started_at.slice(0, TO_THE_HOUR)
      hour = hours.get(key) ?? { n: 0, beyond: 0 }
      hours.set(key, hour)
    }
    hour.n += 1
    if (isBeyond) hour.beyond += 1
  }
  if (hours.size < 2) return null
  // In the order of time, so that the same samples in any order draw the same.
  const sorted = [...hours].sort(([a], [b]) => (a < b ? -1 : 1))
  const found = clumpingOf(sorted.map(([, hour]) => hour))
  if (found === null || found.pValue > ALPHA || found.designEffect <= 1) return null
  const [first] = sorted
  if (first === undefined) return null
  const [worstHour, worst] = sorted.reduce((most, each) => (each[1].beyond > most[1].beyond ? each : most), first)
  return { ...found, hour: worstHour, beyondInHour: worst.beyond, samplesInHour: worst.n }
}
