import { SloError } from './errors.ts'

/** A duration as users write it: a number and one of `ms s m h d`, as `'10s'` or `'1.5h'`. */
export type DurationText = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

/** Milliseconds in one of each unit of time. */
export const MS_PER: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

const DURATION = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/

/** Milliseconds of a duration text, or `undefined` where it is none. */
export function durationMs(text: string): number | undefined {
  const match = DURATION.exec(text.trim())
  const factor = match?.[2] === undefined ? undefined : MS_PER[match[2]]
  return match?.[1] === undefined || factor === undefined ? undefined : Number(match[1]) * factor
}

/**
 * Milliseconds of a duration text.
 * @param what - names the option in the error, as `timeouts.total`
 * @throws SloError `CONFIG_INVALID`
 */
export function parseDuration(text: string, what: string): number {
  const ms = typeof text === 'string' ? durationMs(text) : undefined
  if (ms !== undefined) return ms
  throw new SloError('CONFIG_INVALID', `${what}: ${JSON.stringify(text)} is not a duration`, {
    hint: 'write a number and a unit: 500ms, 10s, 5m, 48h, 7d',
  })
}

/** A duration for people: `'850 ms'`, `'13.65 s'`, `'5 min'`, `'2 h 05 min'`. */
export function formatMs(ms: number): string {
  const magnitude = Math.abs(ms)
  if (magnitude < 1) return `${trim(ms, 3)} ms`
  if (magnitude < 1000) return `${trim(ms, magnitude < 100 ? 1 : 0)} ms`
  if (magnitude < 600_000) return `${trim(ms / 1000, 2)} s`
  const minutes = Math.round(ms / 60_000)
  if (minutes < 120) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}

/** A number with at most `digits` decimals and no trailing zeros. */
export function trim(value: number, digits: number): string {
  const text = value.toFixed(digits)
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/** A ratio as percent: `0.0125` → `'1.25 %'`. */
export function formatRatio(ratio: number): string {
  return `${trim(ratio * 100, 2)} %`
}

/** UTC, ISO 8601, with milliseconds. */
export function isoTime(wallMs: number): string {
  return new Date(wallMs).toISOString()
}
