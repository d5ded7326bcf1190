import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { classOfEvent, classOfFinish, classOfForeign, classOfStatus } from './error-class.ts'

const error = (fields: object): string => JSON.stringify({ error: fields })
const PAGE = '<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head></html>'

test.each([
  ['auth', 401, 'no body at all'],
  ['auth', 403, '{"message":"The security token included in the request is expired"}'],
  ['auth', 400, '{"code":"invalid-argument","error":"Incorrect API key provided: sk-***"}'],
  [
    'auth',
    400,
    error({ code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' }),
  ],
  ['auth', 401, '{"detail":"Unauthorized"}'],
  [
    'not_found',
    404,
    error({ message: 'The model `x` does not exist or you do not have access to it.', code: 'model_not_found' }),
  ],
  ['not_found', 404, PAGE],
  ['not_found', 400, '{"message":"The provided model identifier is invalid."}'],
  ['not_found', 400, error({ message: "The requested model 'gpt-9' does not exist.", type: 'invalid_request_error' })],
  [
    'bad_request',
    400,
    error({
      message: "Unsupported parameter: 'max_tokens' is not supported with this model.",
      type: 'invalid_request_error',
    }),
  ],
  ['bad_request', 422, '{"detail":[{"loc":["body","messages"],"msg":"field required"}]}'],
  ['context_length', 400, error({ code: 'context_length_exceeded', message: 'too long' })],
  [
    'context_length',
    400,
    error({ message: "This model's maximum context length is 8192 tokens.", type: 'invalid_request_error' }),
  ],
  ['context_length', 413, ''],
  [
    'rate_limit',
    413,
    error({ message: 'Request too large on tokens per minute (TPM)', type: 'tokens', code: 'rate_limit_exceeded' }),
  ],
  ['rate_limit', 429, error({ message: 'You exceeded your current quota', status: 'RESOURCE_EXHAUSTED' })],
  ['rate_limit', 429, PAGE],
  ['rate_limit', 400, '{"__type":"com.amazon.coral.availability#ThrottlingException","message":"Too many requests"}'],
  ['quota', 429, error({ type: 'insufficient_quota', message: 'Check your plan.' })],
  ['quota', 402, '{"error":{"message":"Insufficient credits"}}'],
  [
    'quota',
    400,
    error({ type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' }),
  ],
  ['overloaded', 529, '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'],
  ['overloaded', 503, error({ message: 'The model is overloaded.', status: 'UNAVAILABLE' })],
  ['overloaded', 429, error({ type: 'engine_overloaded_error', message: 'The engine is currently overloaded' })],
  ['overloaded', 500, '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'],
  [
    'content_filter',
    400,
    error({
      code: 'content_filter',
      message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    }),
  ],
  ['content_filter', 403, error({ message: 'Your prompt was flagged as hateful.' })],
  ['gateway', 502, PAGE],
  ['gateway', 520, PAGE],
  ['gateway', 524, 'error code: 524'],
  ['gateway', 403, '<html><body>Attention Required! | Cloudflare</body></html>'],
  ['gateway', 504, ''],
  ['gateway', 301, ''],
  [
    'server_error',
    500,
    error({ message: 'The server had an error while processing your request', type: 'server_error' }),
  ],
  ['server_error', 500, error({ message: 'no api key could be read from the vault' })],
  ['server_error', 500, ''],
] as const)('%s: status %i, %s', (wanted, status, body) => {
  expect(classOfStatus(status, body)).toBe(wanted)
})

test.each([
  ['overloaded', 'overloaded_error: Overloaded'],
  ['overloaded', '529: try again'],
  ['overloaded', 'server_error: The model is at capacity'],
  ['rate_limit', 'rate_limit_exceeded: slow down'],
  ['rate_limit', '429: Provider returned error'],
  ['quota', 'insufficient_quota: pay'],
  ['content_filter', 'content_filter: stopped'],
  ['auth', 'authentication_error: no'],
  ['bad_request', 'invalid_request_error: a field'],
  ['gateway', '502: upstream'],
  ['server_error', 'server_error: The model crashed.'],
  ['server_error', 'it broke'],
  ['server_error', '{"code":7}'],
] as const)('%s: an event with %s', (wanted, text) => {
  expect(classOfEvent(text)).toBe(wanted)
})

test.each([
  ['gateway', PAGE],
  ['server_error', '{"error":{"message":"crashed","type":"server_error","code":500}}'],
  ['auth', '{"error":"Invalid API key"}'],
  [undefined, '{"id":"x","choices":[{"message":{"content":"hi"}}]}'],
  [undefined, 'Service starting'],
] as const)('%s: a 200 with %s', (wanted, text) => {
  expect(classOfForeign(text)).toBe(wanted)
})

test.each([
  ['content_filter', 'content_filter'],
  ['content_filter', 'SAFETY'],
  ['content_filter', 'blocked:OTHER'],
  [undefined, 'stop'],
  [undefined, undefined],
] as const)('%s: finished with %s', (wanted, reason) => {
  expect(classOfFinish(reason)).toBe(wanted)
})

test('any status and any text have a class, soon', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 300, max: 599 }),
      fc.oneof(fc.string({ unit: 'binary', maxLength: 5000 }), fc.json()),
      (status, text) => {
        expect(classOfStatus(status, text)).toMatch(/^[a-z_]+$/)
        expect(classOfEvent(text)).toMatch(/^[a-z_]+$/)
      },
    ),
  )
  const long = 'model '.repeat(1_000_000)
  for (const text of [long, `{"error":"${long}`, '['.repeat(4_000_000)]) {
    expect(classOfStatus(400, text)).toMatch(/^[a-z_]+$/)
    expect(classOfEvent(text)).toMatch(/^[a-z_]+$/)
  }
})
