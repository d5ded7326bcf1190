import { expect, test } from 'vitest'
import { refusedField } from './refused-field.ts'

const sent = JSON.stringify({
  model: 'm',
  messages: [{ role: 'user', content: 'hi' }],
  stream: true,
  stream_options: { include_usage: true },
  max_completion_tokens: 16,
  temperature: 0.2,
})

test.each([
  [
    'a value that a reasoning model does not take',
    {
      error: {
        message:
          "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
        type: 'invalid_request_error',
        param: 'temperature',
        code: 'unsupported_value',
      },
    },
    'temperature',
    'request: { body: { temperature: undefined } }',
  ],
  [
    'an extra field, as pydantic names it',
    { detail: [{ type: 'extra_forbidden', loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' }] },
    'stream_options',
    'body: { stream_options: undefined }',
  ],
  [
    'an argument in a sentence',
    { error: { message: 'Unrecognized request argument supplied: stream_options', type: 'invalid_request_error' } },
    'stream_options',
    'body: { stream_options: undefined }',
  ],
  [
    'a field inside another',
    { message: 'Unknown field: include_usage' },
    'stream_options.include_usage',
    'body: { stream_options: { include_usage: undefined } }',
  ],
  [
    'the cap by its new name',
    { object: 'error', message: "max_completion_tokens: extra fields not permitted, use 'max_tokens'" },
    'max_completion_tokens',
    "maxTokensField: 'max_tokens'",
  ],
])('%s', (_name, answer, field, advice) => {
  const found = refusedField(400, JSON.stringify(answer), sent)
  expect(found?.field).toBe(field)
  expect(found?.advice).toContain(advice)
})

test('the cap by its old name is called by the one that the error asks for', () => {
  const answer = {
    error: {
      message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
      param: 'max_tokens',
    },
  }
  const body = JSON.stringify({ model: 'm', messages: [], max_tokens: 5 })
  expect(refusedField(400, JSON.stringify(answer), body)).toEqual({
    field: 'max_tokens',
    advice: "name the field on the target: maxTokensField: 'max_completion_tokens'",
  })
})

test('a page that is no JSON may name a field as well', () => {
  expect(refusedField(422, 'temperature is not supported', sent)?.field).toBe('temperature')
})

test.each([
  ['a bad value', 400, { error: { message: 'temperature must be at most 2', param: 'temperature' } }],
  ['another status', 401, { error: { message: 'Unsupported parameter: temperature', param: 'temperature' } }],
  ['no field of ours', 400, { error: { message: 'Unsupported parameter: logprobs', param: 'logprobs' } }],
  [
    'a message that is not supported',
    400,
    { error: { message: 'Image input is not supported; temperature is fine', param: 'messages[0]' } },
  ],
  ['an unknown model', 400, { error: { message: 'The model m is not supported' } }],
])('%s is no refused field', (_name, status, answer) => {
  expect(refusedField(status, JSON.stringify(answer), sent)).toBeUndefined()
})
