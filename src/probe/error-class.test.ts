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
  // where the fields stand differs from provider to provider
  ['auth', 400, '{"success":false,"errors":[{"code":10000,"message":"Authentication error"}],"result":null}'],
  ['auth', 400, '{"errors":[{"code":"authentication_token_not_valid","message":"sign in again"}],"trace":"t"}'],
  ['auth', 400, '{"error_code":110,"error_msg":"Access token invalid"}'],
  ['auth', 400, error({ code: 400, message: 'no', details: [{ reason: 'API_KEY_INVALID' }] })],
  ['auth', 400, error({ message: 'User location is not supported for the API use.', status: 'FAILED_PRECONDITION' })],
  ['overloaded', 500, '{"detail":{"error":"Model busy, retry later"}}'],
  ['bad_request', 400, '{"tpe":"invalid.request","errors":[{"description":"bad role","key":"k"}]}'],
  ['bad_request', 400, error({ code: 400, message: 'Invalid value at generation_config', status: 'INVALID_ARGUMENT' })],
  ['quota', 429, error({ code: '1113', message: '余额不足,请充值' })],
  ['quota', 429, error({ type: 'exceeded_current_quota_error', message: 'Your account is not active' })],
  ['quota', 403, '{"code":30001,"message":"Sorry, your account balance is insufficient","data":null}'],
  ['quota', 403, '{"code":403,"reason":"NOT_ENOUGH_BALANCE","message":"not enough balance"}'],
  ['quota', 400, '{"code":"Arrearage","message":"Access denied, please make sure your account is in good standing."}'],
  ['quota', 403, '{"code":"The caller does not have permission","error":"Your team has used all available credits"}'],
  ['quota', 400, error({ message: 'Budget has been exceeded! Current cost: 2, max: 1', type: 'budget_exceeded' })],
  ['quota', 412, error({ code: 'PRECONDITION_FAILED', message: 'Account suspended: the monthly spending limit' })],
  ['overloaded', 429, '{"message":"We are experiencing high traffic right now!","code":"queue_exceeded"}'],
  ['overloaded', 429, '{"error":"Model is overloaded","error_type":"overloaded"}'],
  ['overloaded', 429, '{"message":"Service tier capacity exceeded","type":"service_tier_capacity_exceeded"}'],
  ['overloaded', 400, error({ type: 'Service Unavailable', message: 'The request queue is full.' })],
  ['overloaded', 503, error({ code: 503, message: 'Loading model', type: 'unavailable_error' })],
  [
    'rate_limit',
    429,
    error({ message: 'Resource has been exhausted (e.g. check quota).', status: 'RESOURCE_EXHAUSTED' }),
  ],
  ['rate_limit', 400, '{"__type":"ServiceQuotaExceededException","message":"Your request exceeds the service quota."}'],
  ['rate_limit', 403, '{"error_code":"REQUEST_LIMIT_EXCEEDED","message":"slow down"}'],
  [
    'context_length',
    400,
    error({ message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).' }),
  ],
  ['context_length', 400, error({ message: 'input length and `max_tokens` exceed context limit: 9 + 1 > 8' })],
  ['context_length', 400, error({ message: 'the request exceeds the room', type: 'exceed_context_size_error' })],
  ['bad_request', 400, error({ message: 'max_tokens is too large: 9. This model takes at most 8 completion tokens' })],
  ['content_filter', 400, '{"code":"DataInspectionFailed","message":"Input data may contain things"}'],
  ['content_filter', 400, error({ code: 'SensitiveContentDetected', message: 'no' })],
  [
    'not_found',
    400,
    error({ message: "The requested model 'a/b' is not supported by any provider you have enabled." }),
  ],
  ['not_found', 400, error({ message: 'a/b is not a valid model ID', code: 400 })],
  ['not_found', 400, '{"message":"Invocation of model ID a.b with on-demand throughput isn’t supported."}'],
  ['not_found', 503, error({ code: 'model_not_found', message: 'no channel' })],
  ['not_found', 400, error({ code: '1211', message: '模型不存在,请检查模型代码。' })],
  ['bad_request', 400, error({ message: 'This model does not support temperature', type: 'invalid_request_error' })],
  ['server_error', 504, error({ code: 504, message: 'late', status: 'DEADLINE_EXCEEDED' })],
  ['gateway', 502, error({ code: 502, message: 'Provider returned error' })],
  [
    'quota',
    429,
    error({ message: 'Provider returned error', metadata: { raw: error({ code: 'insufficient_quota' }) } }),
  ],
  ['quota', 429, error({ code: '1311', message: 'Your current subscription plan does not yet include access to M' })],
  ['auth', 400, error({ code: 400, message: "You don't have access to this model", status: 'INVALID_ARGUMENT' })],
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
  ['bad_request', 'BadRequestError: a field'],
  ['bad_request', 'INVALID_ARGUMENT: a field'],
  ['overloaded', 'Service Unavailable: wait'],
  ['overloaded', 'insufficient_system_resource: what the stream finished with'],
  ['server_error', 'error: what the stream finished with'],
  ['rate_limit', 'throttlingException: Too many tokens, please wait before trying again.'],
  ['overloaded', 'modelNotReadyException: later'],
  ['server_error', 'modelStreamErrorException: it broke'],
  ['bad_request', 'validationException: a field'],
] as const)('%s: an event with %s', (wanted, text) => {
  expect(classOfEvent(text)).toBe(wanted)
})

test.each([
  ['gateway', PAGE],
  ['server_error', '{"error":{"message":"crashed","type":"server_error","code":500}}'],
  ['auth', '{"error":"Invalid API key"}'],
  [undefined, '{"id":"x","choices":[{"message":{"content":"hi"}}]}'],
  [undefined, 'Service starting'],
  ['bad_request', error({ code: 400, message: 'Invalid value', status: 'INVALID_ARGUMENT' })],
  ['overloaded', `[${error({ code: 503, message: 'later', status: 'UNAVAILABLE' })}]`],
  ['auth', '{"base_resp":{"status_code":1004,"status_msg":"login fail: authentication"}}'],
  ['auth', '{"Response":{"Error":{"Code":"AuthFailure.SecretIdNotFound","Message":"no such id"},"RequestId":"r"}}'],
  ['rate_limit', '{"error_code":18,"error_msg":"Open api qps request limit reached: too many requests"}'],
  ['auth', '{"detail":"Not authenticated"}'],
] as const)('%s: a 200 with %s', (wanted, text) => {
  expect(classOfForeign(text)).toBe(wanted)
})

test.each([
  ['content_filter', 'content_filter'],
  ['content_filter', 'SAFETY'],
  ['content_filter', 'blocked:OTHER'],
  [undefined, 'stop'],
  [undefined, undefined],
  ['content_filter', 'SPII'],
  ['content_filter', 'incomplete:content_filter'],
  ['content_filter', 'sensitive'],
  ['context_length', 'model_context_window_exceeded'],
  [undefined, 'MALFORMED_FUNCTION_CALL'],
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
