import { expect, test } from 'vitest'
import { refusedFieldMessage } from '../sample/refused-field.ts'
import type { FailedSample, Sample } from '../sample/types.ts'
import { watchHope } from './hopeless.ts'

function failed(change: Partial<FailedSample>): Sample {
  return { outcome: 'error', error_kind: 'http_status', error_message: 'no', ...change } as FailedSample
}

const REFUSED = failed({
  status: 400,
  error_class: 'bad_request',
  error_message: refusedFieldMessage('temperature', 'leave it out', 'no'),
})
const OK = { outcome: 'ok' } as Sample
const KEY = failed({ status: 401, error_class: 'auth' })

function verdictOf(samples: readonly Sample[], cells = 2): string | null {
  const watch = watchHope(cells)
  return samples.map((sample) => watch.add(sample)).findLast((said) => said !== null) ?? null
}

test('twice as many requests as cells, all refused alike', () => {
  expect(verdictOf([KEY, KEY, KEY])).toBeNull()
  expect(verdictOf([KEY, KEY, KEY, KEY])).toBe('all of the first 4 requests failed alike: http_status 401: no')
})

test.each([
  ['401 and 403', [KEY, failed({ status: 403, error_class: 'auth' })]],
  ['a wrong key under 400', [failed({ status: 400, error_class: 'auth' }), KEY]],
  ['404', [failed({ status: 404 }), failed({ status: 400, error_class: 'not_found' })]],
  ['a field that is refused', [REFUSED, REFUSED]],
  ['a name that nobody knows', [failed({ error_kind: 'dns' }), failed({ error_kind: 'dns' })]],
])('%s stay what they are', (_name, samples) => {
  expect(verdictOf(samples, 1)).not.toBeNull()
})

test.each([
  ['one success at first', [OK, KEY, KEY, KEY, KEY, KEY]],
  ['one success later', [KEY, KEY, OK, KEY, KEY, KEY, KEY, KEY]],
  ['another reason', [KEY, KEY, failed({ status: 404, error_class: 'not_found' }), KEY, KEY, KEY, KEY]],
  ['what may heal', Array.from({ length: 9 }, () => failed({ status: 503, error_class: 'overloaded' }))],
  [
    'a bad request that may be of one prompt',
    Array.from({ length: 9 }, () => failed({ status: 400, error_class: 'bad_request' })),
  ],
  ['too many requests', Array.from({ length: 9 }, () => failed({ status: 429, error_class: 'rate_limit' }))],
  ['a host that is down', Array.from({ length: 9 }, () => failed({ error_kind: 'connect' }))],
])('%s leaves hope', (_name, samples) => {
  expect(verdictOf(samples)).toBeNull()
})
