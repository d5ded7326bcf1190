import { expect, test } from 'vitest'
import type { EventReading } from '../types.ts'
import { openaiChat } from './openai-chat.ts'

function read(json: unknown, event?: string): EventReading | 'malformed' {
  return openaiChat.read({ data: typeof json === 'string' ? json : JSON.stringify(json), event })
}

function readDelta(delta: unknown): EventReading {
  return read({ choices: [{ index: 0, delta }] }) as EventReading
}

test.each([
  ['content', { content: 'Hi' }, ['answer'], 2],
  ['content in parts', { content: [{ type: 'text', text: 'Hi' }, 'ho'] }, ['answer'], 4],
  [
    'content with thinking',
    { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] },
    ['reasoning'],
    2,
  ],
  [
    'reasoning as a summary in parts',
    { content: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] }] },
    ['reasoning'],
    2,
  ],
  ['refusal', { refusal: 'No.' }, ['answer'], 3],
  ['reasoning_content', { reasoning_content: 'Hm' }, ['reasoning'], 2],
  ['reasoning', { reasoning: 'Hm' }, ['reasoning'], 2],
  ['reasoning twice', { reasoning: 'Hm', reasoning_details: [{ text: 'Hm' }] }, ['reasoning'], 2],
  ['a summary of reasoning', { reasoning_details: [{ type: 'reasoning.summary', summary: 'Sum' }] }, ['reasoning'], 3],
  ['tool name', { tool_calls: [{ index: 0, id: 'c', function: { name: 'look', arguments: '' } }] }, ['tool'], 4],
  ['tool arguments', { tool_calls: [{ index: 0, function: { arguments: '{"a' } }] }, ['tool'], 3],
  ['a function call of old', { function_call: { arguments: '{' } }, ['tool'], 1],
  ['several kinds', { reasoning: 'a', content: 'b' }, ['reasoning', 'answer'], 2],
  ['reasoning under a newer name', { reasoning_text: 'Hm' }, ['reasoning'], 2],
  ['reasoning as an object', { reasoning: { text: 'Hm' } }, ['reasoning'], 2],
  ['reasoning as thinking', { thinking: { content: 'Hm' } }, ['reasoning'], 2],
  [
    'thinking in blocks, and under another name',
    { reasoning_content: 'Hm', thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: 'gA' }] },
    ['reasoning'],
    2,
  ],
  ['content as one part', { content: { type: 'text', text: 'Hi' } }, ['answer'], 2],
  [
    'a part of reasoning in a field of its own',
    { content: [{ type: 'reasoning', reasoning: 'Hm' }] },
    ['reasoning'],
    2,
  ],
  ['a picture', { images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }] }, ['answer'], 26],
  ['arguments as an object', { tool_calls: [{ function: { name: 'look', arguments: { a: 1 } } }] }, ['tool'], 11],
  ['a call that is no list', { tool_calls: { function: { name: 'look' } } }, ['tool'], 4],
  [
    "what the provider's own tool is asked",
    { executed_tools: [{ arguments: '{"q":1}', output: 'found' }] },
    ['tool'],
    7,
  ],
])('%s is a token', (_name, delta, tokens, characters) => {
  expect(readDelta(delta)).toMatchObject({ tokens, characters })
})

test.each([
  ['role only', { role: 'assistant' }],
  ['empty content', { role: 'assistant', content: '' }],
  ['null', { content: null, reasoning_content: null, refusal: null, tool_calls: null }],
  ['an empty list', { content: [], tool_calls: [], reasoning_details: [] }],
  ['a call with an id alone', { tool_calls: [{ index: 0, id: 'c', type: 'function', function: { arguments: '' } }] }],
  ['sealed reasoning', { reasoning_details: [{ type: 'reasoning.encrypted', data: 'gAAA' }] }],
  ['a delta that is none', 7],
  ['a sealed block', { thinking_blocks: [{ type: 'redacted_thinking', data: 'gA' }] }],
  ['a source and a note', { annotations: [{ type: 'url_citation', url_citation: { title: 'T' } }], citations: ['u'] }],
])('%s is no token', (_name, delta) => {
  expect(readDelta(delta)).toMatchObject({ tokens: [], characters: 0 })
})

test('model, id and finish reason are as reported', () => {
  expect(read({ id: 'x', model: 'm', choices: [{ delta: {}, finish_reason: 'tool_calls' }] })).toEqual({
    tokens: [],
    characters: 0,
    finishReason: 'tool_calls',
    servedModel: 'm',
    requestId: 'x',
  })
})

test('usage is read as it was written', () => {
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 9,
    total_tokens: 19,
    prompt_tokens_details: { cached_tokens: 8 },
    completion_tokens_details: { reasoning_tokens: 4 },
  }
  expect(read({ choices: [], usage })).toMatchObject({
    usage: { promptTokens: 10, completionTokens: 9, totalTokens: 19, cachedTokens: 8, reasoningTokens: 4 },
  })
  for (const cached of [{ prompt_cache_hit_tokens: 2 }, { num_cached_tokens: 2 }, { cached_tokens: 2 }])
    expect(read({ choices: [], usage: { prompt_tokens: 3, ...cached } })).toMatchObject({
      usage: { promptTokens: 3, cachedTokens: 2 },
    })
})

test.each([
  ['null', null],
  ['no numbers', {}],
  ['words', { prompt_tokens: 'many' }],
])('usage: %s is none', (_name, usage) => {
  expect(read({ choices: [], usage })).not.toHaveProperty('usage')
})

test('usage in a choice, and beside it, is found', () => {
  expect(read({ choices: [{ delta: {}, usage: { prompt_tokens: 1, completion_tokens: 2 } }] })).toHaveProperty('usage')
  expect(read({ choices: [], x_groq: { usage: { prompt_tokens: 1, completion_tokens: 2 } } })).toHaveProperty('usage')
})

test.each([
  [{ error: { message: 'no', type: 'server_error', code: 500 } }, undefined, 'server_error: no'],
  [{ error: { code: 500 } }, undefined, '{"code":500}'],
  [{ error: true }, undefined, 'true'],
  [{ object: 'error', message: 'no', code: 400 }, undefined, '400: no'],
  [{ choices: [{ delta: {}, error: { message: 'no' } }] }, undefined, 'no'],
  ['[1]', 'error', '[1]'],
  [{ choices: [{ delta: {}, error: 'no' }] }, undefined, 'no'],
  [{ choices: [], x_groq: { id: 'r', error: 'over_capacity' } }, undefined, 'over_capacity'],
  [{ error: { error: { code: 'E1', message: 'no' } } }, undefined, 'E1: no'],
  [{ error: { http_status_code: 422, message: 'no' } }, undefined, '422: no'],
  [{ choices: null, base_resp: { status_code: 1002, status_msg: 'slow' } }, undefined, '1002: slow'],
  [{ code: 'DataInspectionFailed', message: 'no', request_id: 'r' }, undefined, 'DataInspectionFailed: no'],
  [{ error_code: 110, error_msg: 'no' }, undefined, '110: no'],
  [{ errors: [{ code: 5007, message: 'no' }], success: false }, undefined, '5007: no'],
  [{ code: 11200, message: 'no', sid: 's' }, undefined, '11200: no'],
])('%j is an error', (json, event, error) => {
  expect(read(json, event)).toMatchObject({ error })
})

test.each([
  { error: null },
  { error: '' },
  { error: false },
  { error: {} },
  { error: { code: null, message: '' } },
  { choices: [], code: 7, message: 'partly' },
  { code: 0, message: 'Success' },
  { message: 'still working' },
  { base_resp: { status_code: 0, status_msg: '' } },
])('%j is no error', (json) => {
  expect(read(json)).not.toHaveProperty('error')
})

test('the end marker and an empty event', () => {
  expect(read('[DONE]')).toMatchObject({ end: true })
  expect(read(' ')).toEqual({ tokens: [], characters: 0 })
})

test.each(['{oops', '[1]', '7', 'null', '"text"'])('%s is malformed', (data) => {
  expect(read(data)).toBe('malformed')
})

test('a body: the cap on tokens goes by the name that the target takes, no temperature is none', () => {
  const request = { maxTokens: 5, temperature: null, cache: 'cold', body: {} } as const
  expect(openaiChat.body({ model: 'm', messages: [], request })).toEqual({
    model: 'm',
    messages: [],
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 5,
  })
  const named = { ...request, temperature: 0.2, maxTokensField: 'max_tokens' }
  expect(openaiChat.body({ model: 'm', messages: [], request: named })).toMatchObject({
    max_tokens: 5,
    temperature: 0.2,
  })
})

test.each([
  'error',
  'aborted',
  'cancelled',
  'canceled',
  'USER_CANCEL',
  'network_error',
  'insufficient_system_resource',
])('to finish with %s is an error', (reason) => {
  expect(read({ choices: [{ delta: { content: 'a' }, finish_reason: reason }] })).toMatchObject({
    tokens: ['answer'],
    finishReason: reason,
    error: `${reason}: what the stream finished with`,
  })
})

test("an error's own words win over the reason to finish", () => {
  expect(
    read({ choices: [{ delta: {}, finish_reason: 'error' }], error: { code: 502, message: 'gone' } }),
  ).toMatchObject({
    error: '502: gone',
  })
})

test('usage by the newer names of its fields', () => {
  const usage = {
    input_tokens: 9,
    output_tokens: 8,
    total_tokens: 17,
    input_tokens_details: { cached_tokens: 4 },
    output_tokens_details: { reasoning_tokens: 5 },
  }
  expect(read({ choices: [], usage })).toMatchObject({
    usage: { promptTokens: 9, completionTokens: 8, totalTokens: 17, cachedTokens: 4, reasoningTokens: 5 },
  })
})

test('arguments nested deeper than a stack are arguments', () => {
  const deep = '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)
  expect(read(`{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":${deep}}}]}}]}`)).toMatchObject({
    tokens: ['tool'],
    toolArguments: true,
  })
  expect(read(`{"error":${deep}}`)).toHaveProperty('error')
})
