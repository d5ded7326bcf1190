import { headerOf } from './response-headers.ts'
import type { ResponseHeaders } from './response-headers.ts'

/** Longer than a year is a mistake of the server's. */
const LONGEST_MS = 366 * 86_400_000
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function sane(ms: number): number | undefined {
  return Number.isFinite(ms) && ms <= LONGEST_MS ? Math.max(0, ms) : undefined
}

/** `6m0s`, `1.5s`, `500ms`: how some providers write a duration. */
function spelledMs(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(text)) return undefined
  let sum = 0
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    sum += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0)
  return sane(sum)
}

/** Milliseconds until what a header says: seconds, a spelled duration, seconds or milliseconds since 1970, a date. */
function untilMs(text: string, wallMs: number): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    const value = Number(text)
    if (value > 1e11) return sane(value - wallMs)
    if (value > 1e9) return sane(value * 1000 - wallMs)
    return sane(value * 1000)
  }
  const spelled = spelledMs(text)
  if (spelled !== undefined) return spelled
  // a date has a name of a month, or the T of ISO 8601
  if (!/[a-z]{3}|\dT\d/i.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : sane(at - wallMs)
}

/** When limits of several kinds are full again: of those that are used up, else of all, the last one. */
function resetMs(headers: ResponseHeaders, wallMs: number): number | undefined {
  const resets: { readonly ms: number; readonly empty: boolean }[] = []
  for (const name of Object.keys(headers)) {
    if (!/ratelimit/i.test(name) || !/reset/i.test(name)) continue
    const value = headerOf(headers, name)
    const ms = value === undefined ? undefined : untilMs(value, wallMs)
    if (ms === undefined) continue
    const left = headerOf(headers, name.replace(/reset/i, 'remaining'))
    resets.push({ ms, empty: left !== undefined && Number(left) <= 0 })
  }
  const counting = resets.some(({ empty }) => empty) ? resets.filter(({ empty }) => empty) : resets
  return counting.length === 0 ? undefined : Math.max(...counting.map(({ ms }) => ms))
}

/** Google writes it into the body. */
function bodyMs(body: string): number | undefined {
  const [, delay] = /"retryDelay"\s*:\s*"([^"]{1,30})"/.exec(body) ?? []
  return delay === undefined ? undefined : spelledMs(delay)
}

/**
 * Milliseconds after which a provider wants to be asked again: `retry-after-ms` (Azure, OpenAI), `retry-after` (seconds, or a date of
 * HTTP), Google's `retryDelay`, else the reset of the rate limits in whatever spelling. A date that has passed is 0.
 * @param wallMs - now
 * @param body - the first bytes of the body
 */
export function retryAfterMs(headers: ResponseHeaders, wallMs: number, body = ''): number | undefined {
  for (const name of ['retry-after-ms', 'x-ms-retry-after-ms']) {
    const ms = headerOf(headers, name)
    if (ms !== undefined && /^\d+(?:\.\d+)?$/.test(ms)) return sane(Number(ms))
  }
  const value = headerOf(headers, 'retry-after')
  const said = value === undefined ? undefined : untilMs(value, wallMs)
  return said ?? bodyMs(body) ?? resetMs(headers, wallMs)
}
