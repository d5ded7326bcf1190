import { headerOf } from './response-headers.ts'
import type { ResponseHeaders } from './response-headers.ts'

/** Longer than a year is a mistake of the server's. */
const LONGEST_MS = 366 * 86_400_000
/** Characters of a body that are looked at. */
const LONGEST_BODY = 16_384

const AMOUNT = String.raw`\d+(?:\.\d+)?`
const UNIT = '(?:ms|milliseconds?|s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?)(?![a-z])'
const PART = String.raw`${AMOUNT}\s{0,2}${UNIT}`
const SPELLED = `${PART}(?:(?:,? (?:and )?)?${PART})*`

function sane(ms: number): number | undefined {
  return Number.isFinite(ms) && ms <= LONGEST_MS ? Math.max(0, ms) : undefined
}

function unitMs(unit: string): number {
  if (/^m(?:s|illi)/i.test(unit)) return 1
  return { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit.charAt(0).toLowerCase()] ?? Number.NaN
}

/** `6m0s`, `1.5s`, `500ms`, `1 minute and 30 seconds`: how providers write a duration. */
function spelledMs(text: string): number | undefined {
  if (!new RegExp(`^${SPELLED}$`, 'i').test(text)) return undefined
  let sum = 0
  for (const [, amount, unit = ''] of text.matchAll(new RegExp(String.raw`(${AMOUNT})\s*(${UNIT})`, 'gi')))
    sum += Number(amount) * unitMs(unit)
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
  // a date has a year of four digits: of less the engine makes a date of its own
  if (!/\b\d{4}\b/.test(text)) return undefined
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

/** The headers of whoever stood behind a gateway, which it hands on in the body. */
function headersIn(body: string): ResponseHeaders {
  const [, fields = ''] = /"headers"\s*:\s*\{([^{}]*)\}/i.exec(body) ?? []
  const pairs = fields.matchAll(/"([\w-]+)"\s*:\s*"?([^",]*)"?/g)
  return Object.fromEntries(Array.from(pairs, ([, name = '', value = '']) => [name.toLowerCase(), value]))
}

/** In a body that may be cut off, or be JSON in JSON; a whole value ends with what ends it. */
function field(names: string): RegExp {
  return new RegExp(String.raw`"retry[_-]?${names}\\*"\s*:\s*\\*"?([^\s"\\,}\]]{1,40})[\s"\\,}\]]`, 'i')
}

/** How a body says it. `unitMs`: of a number without a unit; `null`: it always has one. `busy`: said of other things, too, elsewhere. */
const BODY_SAYS: readonly { readonly pattern: RegExp; readonly unitMs: 1 | 1000 | null; readonly busy?: true }[] = [
  { pattern: field('after[_-]?(?:ms|millis|milliseconds)'), unitMs: 1 },
  { pattern: field('(?:after|delay|in)(?:[_-]?(?:s|secs?|seconds))?'), unitMs: 1000 },
  {
    pattern: new RegExp(
      String.raw`\b(?:retry(?:ing)?|try(?: \w+){0,3} again|wait)(?: your request| again)?(?: in| after| for)?:?(?: at least| about)? (${SPELLED})`,
      'i',
    ),
    unitMs: null,
    busy: true,
  },
]

function bodyMs(body: string, isBusy: boolean, wallMs: number): number | undefined {
  for (const { pattern, unitMs, busy } of BODY_SAYS) {
    const value = busy === true && !isBusy ? undefined : pattern.exec(body)?.[1]
    if (value === undefined) continue
    const ms = unitMs === 1 && /^\d+(?:\.\d+)?$/.test(value) ? sane(Number(value)) : untilMs(value, wallMs)
    if (ms !== undefined) return ms
  }
  return undefined
}

/** Statuses with which a provider says that it has no room now; a 200 stands for an error inside of it. */
const BUSY: ReadonlySet<number> = new Set([200, 429, 503, 529])

/** An answer that is a failure. */
export interface Refusal {
  readonly status: number
  readonly headers: ResponseHeaders
  /** Its first bytes, or what an error in a stream stood in. */
  readonly body: string
}

/**
 * Milliseconds after which a provider wants to be asked again: `retry-after-ms` (Azure, OpenAI), `retry-after` (seconds, or a date of
 * HTTP), a field of the body such as `retry_after` or Google's `retryDelay`, the sentence of one that is busy ("try again in 7.66s"), else
 * the reset of the rate limits in whatever spelling. A date that has passed is 0.
 * @param wallMs - now
 */
export function retryAfterMs({ status, headers, body }: Refusal, wallMs: number): number | undefined {
  for (const name of ['retry-after-ms', 'x-ms-retry-after-ms']) {
    const ms = headerOf(headers, name)
    if (ms !== undefined && /^\d+(?:\.\d+)?$/.test(ms)) return sane(Number(ms))
  }
  const value = headerOf(headers, 'retry-after')
  const said = value === undefined ? undefined : untilMs(value, wallMs)
  const start = body.slice(0, LONGEST_BODY)
  return (
    said ??
    bodyMs(start, BUSY.has(status), wallMs) ??
    // every answer of some providers tells of its limits, and a stream's had not yet run into them
    (status === 200 ? undefined : resetMs(headers, wallMs)) ??
    resetMs(headersIn(start), wallMs)
  )
}
