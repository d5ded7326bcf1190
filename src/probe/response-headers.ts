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
