/** A response's headers by lower-case name. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** A header's value; the first one where it came several times. */
export function headerOf(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name]
  const text = typeof value === 'object' ? value[0] : value
  return text === undefined || text.trim() === '' ? undefined : text.trim()
}

const REQUEST_ID = [
  'x-request-id',
  'request-id',
  'x-amzn-requestid',
  'x-amz-request-id',
  'x-ms-request-id',
  'apim-request-id',
  'x-goog-request-id',
  'x-correlation-id',
  'cf-ray',
]

/** The id by which a provider's support finds a request. */
export function requestIdOf(headers: ResponseHeaders): string | undefined {
  for (const name of REQUEST_ID) {
    const value = headerOf(headers, name)
    if (value !== undefined) return value
  }
  return undefined
}

/**
 * Milliseconds of `retry-after-ms` or `retry-after` (seconds, or a date of HTTP).
 * @param wallMs - now, for a date; one that has passed is 0
 */
export function retryAfterMs(headers: ResponseHeaders, wallMs: number): number | undefined {
  const ms = headerOf(headers, 'retry-after-ms')
  if (ms !== undefined && /^\d+(?:\.\d+)?$/.test(ms)) return finite(Number(ms))
  const value = headerOf(headers, 'retry-after')
  if (value === undefined) return undefined
  if (/^\d+(?:\.\d+)?$/.test(value)) return finite(Number(value) * 1000)
  if (!/[a-z]{3}/i.test(value)) return undefined
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - wallMs)
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined
}
