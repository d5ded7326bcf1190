import { Buffer } from 'node:buffer'
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { outcomeOf } from './outcome.ts'
import { loadProtocol } from './protocol-loading.ts'
import { StreamReader } from './stream-reader.ts'
import { awsEvent, awsFrame } from './testing/aws-frames.ts'

const folder = new URL('../../fixtures/protocols/', import.meta.url)

function sse(event: string | undefined, data: unknown): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text.replaceAll('\n', '\ndata: ')}\n\n`
}

/** A small stream for each module: a token or two, usage where the format has any, an end. */
const streams: Readonly<Record<string, readonly [stream: string | Buffer, reading: object]>> = {
  'tgi-generate': [
    sse(undefined, { token: { text: 'Hi', special: false }, generated_text: null, details: null }) +
      sse(undefined, {
        token: { text: '</s>', special: true },
        generated_text: 'Hi',
        details: { finish_reason: 'eos_token', generated_tokens: 2 },
      }),
    { tokens: 1, finishReason: 'eos_token', ended: true, usage: { completionTokens: 2 } },
  ],
  'gemini-interactions': [
    sse('interaction.created', {
      event_type: 'interaction.created',
      interaction: { id: 'i', model: 'm', status: 'in_progress' },
    }) +
      sse('step.delta', { event_type: 'step.delta', delta: { type: 'thought_summary', content: { text: 'Hm' } } }) +
      sse('step.delta', { event_type: 'step.delta', delta: { type: 'thought_signature', signature: 'gA' } }) +
      sse('step.delta', { event_type: 'step.delta', delta: { type: 'text', text: 'Hi' } }) +
      sse('interaction.completed', {
        event_type: 'interaction.completed',
        interaction: {
          status: 'completed',
          usage: { total_input_tokens: 3, total_output_tokens: 2, total_thought_tokens: 5, total_tokens: 10 },
        },
      }) +
      sse('done', '[DONE]'),
    {
      tokens: 2,
      kind: 'reasoning',
      finishReason: 'completed',
      ended: true,
      usage: { completionTokens: 7, rawCompletionTokens: 2 },
    },
  ],
  'openai-assistants': [
    sse('thread.run.step.delta', {
      object: 'thread.run.step.delta',
      delta: { step_details: { tool_calls: [{ code_interpreter: { input: 'print' } }] } },
    }) +
      sse('thread.message.delta', { object: 'thread.message.delta', delta: { content: [{ text: { value: 'Hi' } }] } }) +
      sse('thread.run.completed', {
        id: 'r',
        object: 'thread.run',
        model: 'm',
        status: 'completed',
        usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
      }) +
      sse('done', '[DONE]'),
    {
      tokens: 2,
      kind: 'tool',
      finishReason: 'completed',
      ended: true,
      usage: { promptTokens: 3, completionTokens: 2 },
    },
  ],
  'bedrock-converse-ndjson': [
    `${JSON.stringify({ contentBlockDelta: { delta: { text: 'Hi' } } })}\n` +
      `${JSON.stringify({ messageStop: { stopReason: 'end_turn' } })}\n` +
      `${JSON.stringify({ metadata: { usage: { inputTokens: 2, outputTokens: 3, cacheReadInputTokens: 7 } } })}\n`,
    {
      tokens: 1,
      finishReason: 'end_turn',
      ended: true,
      usage: { promptTokens: 9, rawPromptTokens: 2, completionTokens: 3 },
    },
  ],
  'bedrock-invoke': [
    Buffer.concat(
      [
        { type: 'message_start', message: { id: 'i', usage: { input_tokens: 2, cache_read_input_tokens: 7 } } },
        { type: 'content_block_start', content_block: { type: 'tool_use', name: 'look' } },
        { type: 'content_block_delta', delta: { partial_json: '{}' } },
        { type: 'content_block_delta', delta: { text: 'Hi' } },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
        { type: 'message_stop', 'amazon-bedrock-invocationMetrics': { inputTokenCount: 2 } },
      ].map((event) => awsEvent('chunk', { bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: 'ab' })),
    ),
    {
      tokens: 3,
      kind: 'tool',
      finishReason: 'end_turn',
      ended: true,
      usage: { promptTokens: 9, rawPromptTokens: 2, completionTokens: 3 },
    },
  ],
  watsonx: [
    sse('message', { id: 'c', model_id: 'm', choices: [{ delta: { role: 'assistant', content: '' } }] }) +
      sse('message', { choices: [{ delta: { content: 'Hi' }, finish_reason: null }] }) +
      sse('message', { choices: [{ delta: {}, finish_reason: 'stop' }] }) +
      sse('message', { choices: [], usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 } }),
    {
      tokens: 1,
      kind: 'answer',
      finishReason: 'stop',
      ended: false,
      usage: { promptTokens: 4, completionTokens: 2 },
    },
  ],
  replicate: [
    sse('output', 'Hi') + sse('output', '\n') + sse('output', ' there ') + sse('done', '{}'),
    { tokens: 3, finishReason: undefined, ended: true, usage: undefined },
  ],
}

test('every module has its stream here', () => {
  expect(readdirSync(folder).sort()).toEqual(
    Object.keys(streams)
      .map((name) => `${name}.ts`)
      .sort(),
  )
})

test.each(Object.keys(streams))('%s is a protocol of its own', async (name) => {
  const { protocol, codec } = await loadProtocol(new URL(`${name}.ts`, folder).href)
  const [stream, reading] = streams[name] ?? ['', {}]
  const reader = new StreamReader(protocol, { codec })
  for (const byte of typeof stream === 'string' ? Buffer.from(stream) : stream) reader.feed(Buffer.from([byte]), 1, 0)
  reader.flush()
  const { finishReason, ended, usage, firstTokenKind: kind } = reader
  expect({ tokens: reader.tokenTimes.length, kind, finishReason, ended, usage }).toMatchObject(reading)
  expect(outcomeOf({ kind: 'end' }, 200, reader)).toBeNull()
  expect(protocol.name).toBe(name)
  const request = { maxTokens: 5, temperature: null, cache: 'cold', body: {} } as const
  expect(
    JSON.stringify(protocol.body({ model: 'm', messages: [{ role: 'user', content: 'Hello' }], request })),
  ).toMatch(/Hello/)
})

test.each([
  [
    'bedrock-invoke',
    awsFrame({ ':message-type': 'exception', ':exception-type': 'throttlingException' }, { message: 'slow' }),
    'throttlingException: slow',
  ],
  [
    'openai-assistants',
    sse('thread.run.cancelled', { object: 'thread.run', status: 'cancelled', last_error: null }),
    'cancelled: no reason given',
  ],
  ['watsonx', sse('error', { errors: [{ code: 'token_quota_reached', message: 'no' }] }), 'token_quota_reached: no'],
])('%s: an error in the stream', async (name, stream, error) => {
  const { protocol, codec } = await loadProtocol(new URL(`${name}.ts`, folder).href)
  const reader = new StreamReader(protocol, { codec })
  reader.feed(typeof stream === 'string' ? Buffer.from(stream) : stream, 1, 0)
  expect(reader.error).toBe(error)
})
