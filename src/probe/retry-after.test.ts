import { expect, test } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

const NOW = Date.UTC(2026, 11, 1, 2, 0, 0)

test.each([
  ['seconds', { 'retry-after': '7' }, 7000],
  ['half a second', { 'retry-after': '0.5' }, 500],
  ['a date', { 'retry-after': 'Tue, 01 Dec 2026 02:00:30 GMT' }, 30_000],
  ['a date that has passed', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
  ['milliseconds, which are more exact', { 'retry-after': '2', 'retry-after-ms': '1500' }, 1500],
  ['Azure’s milliseconds', { 'x-ms-retry-after-ms': '250' }, 250],
  ['a spelled duration', { 'retry-after': '1m30s' }, 90_000],
  [
    'OpenAI: the limit that is used up',
    {
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-reset-requests': '8h0m0s',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '6m0.5s',
    },
    360_500,
  ],
  [
    'OpenAI: nobody says which limit',
    { 'x-ratelimit-reset-requests': '120ms', 'x-ratelimit-reset-tokens': '2s' },
    2000,
  ],
  [
    'Anthropic',
    {
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2026-12-01T02:01:00Z',
      'anthropic-ratelimit-tokens-remaining': '1000',
      'anthropic-ratelimit-tokens-reset': '2026-12-01T03:00:00Z',
    },
    60_000,
  ],
  ['OpenRouter: milliseconds since 1970', { 'x-ratelimit-reset': String(NOW + 4000) }, 4000],
  ['seconds since 1970', { 'x-ratelimit-reset': String(NOW / 1000 + 9) }, 9000],
  ['the standard to come', { 'ratelimit-reset': '12' }, 12_000],
  ['nothing', {}, undefined],
  ['noise', { 'retry-after': 'soon', 'x-ratelimit-reset': '-', 'retry-after-ms': '1e3' }, undefined],
  ['a sentence that an engine takes for a date', { 'retry-after': 'soon 5' }, undefined],
  ['a number without end', { 'retry-after': '9'.repeat(400) }, undefined],
  ['several times', { 'retry-after': ['3', '9'] }, 3000],
])('%s', (_name, headers, ms) => {
  expect(retryAfterMs({ status: 429, headers, body: '' }, NOW)).toBe(ms)
})

const said = (message: string): string => JSON.stringify({ error: { message: `Rate limit reached. ${message}` } })

test.each([
  ['Google', 429, '{"error":{"details":[{"@type":"google.rpc.RetryInfo","retryDelay": "48.5s"}]}}', 48_500],
  ['Google, behind a gateway', 429, JSON.stringify({ metadata: { raw: '{"retryDelay":"12s"}' } }), 12_000],
  ['a number of seconds', 429, '{"message":"You are being rate limited.","retry_after":0.75}', 750],
  ['seconds by name', 503, '{"error":{"retry_after_seconds": 30}}', 30_000],
  ['seconds as text', 400, '{"detail":{"retryAfter":"20"}}', 20_000],
  ['milliseconds, whatever stands before', 429, '{"retry_after":2,"retry_after_ms":1500}', 1500],
  ['OpenAI', 429, said('Please try again in 7.66s. Visit the docs.'), 7660],
  ['Groq', 429, said('Please try again in 1m30s.'), 90_000],
  ['milliseconds in a sentence', 429, said('Please try again in 6ms.'), 6],
  ['Azure', 429, said('Please retry after 20 seconds.'), 20_000],
  ['words', 529, said('Try your request again in 1 minute and 5 seconds'), 65_000],
  ['a sentence that goes on', 429, said('Try again in 20 seconds, or upgrade'), 20_000],
  ['a sentence that goes on with and', 429, said('Retry after 1h 5m and 3 requests'), 3_900_000],
  ['wait', 503, 'Please wait at least 2 min before the next one', 120_000],
  ['an error in a stream', 200, said('Retry in 3 sec'), 3000],
  [
    'OpenRouter',
    429,
    `{"error":{"metadata":{"headers":{"X-RateLimit-Limit":"20","X-RateLimit-Reset":"${NOW + 4000}"}}}}`,
    4000,
  ],
  ['OpenRouter, a header of the provider', 429, '{"error":{"metadata":{"headers":{"Retry-After":"9"}}}}', 9000],
  ['a sentence of who is not busy', 400, said('Please try again in 7.66s.'), undefined],
  ['a sentence without a unit', 429, said('Please try again in 5'), undefined],
  [
    'a sentence of other things',
    429,
    said('Limit 6000 in 60s, 3 months. Retries: 4. Try again in a few minutes'),
    undefined,
  ],
  ['nothing sane', 429, '{"retry_after":-1,"retry_after_ms":null,"retryDelay":"soon","retry_in":1e99}', undefined],
  ['a number that the end of the body cuts', 429, '{"retry_after":12', undefined],
  ['far behind', 429, `${' '.repeat(20_000)}{"retry_after":12}`, undefined],
])('in the body: %s', (_name, status, body, ms) => {
  expect(retryAfterMs({ status, headers: {}, body }, NOW)).toBe(ms)
})

test('a header goes before the body, and the body before the reset of a limit', () => {
  const body = '{"retry_after":20}'
  const reset = { 'x-ratelimit-reset-requests': '5s' }
  expect(retryAfterMs({ status: 429, headers: { ...reset, 'retry-after': '7' }, body }, NOW)).toBe(7000)
  expect(retryAfterMs({ status: 429, headers: reset, body }, NOW)).toBe(20_000)
  expect(retryAfterMs({ status: 429, headers: reset, body: '{}' }, NOW)).toBe(5000)
})

test('the limits that stand in the headers of a stream say nothing of an error in it', () => {
  expect(
    retryAfterMs({ status: 200, headers: { 'x-ratelimit-reset-requests': '5s' }, body: '{}' }, NOW),
  ).toBeUndefined()
})
