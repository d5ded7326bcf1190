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
  ['a number without end', { 'retry-after': '9'.repeat(400) }, undefined],
  ['several times', { 'retry-after': ['3', '9'] }, 3000],
])('%s', (_name, headers, ms) => {
  expect(retryAfterMs(headers, NOW)).toBe(ms)
})

test('Google writes it into the body', () => {
  const body =
    '{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay": "48.939935699s"}]}}'
  expect(retryAfterMs({}, NOW, body)).toBeCloseTo(48_939.936, 2)
})
