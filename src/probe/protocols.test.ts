import { Buffer } from 'node:buffer'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Asker } from './asker.ts'
import { frameCodec } from './framing/index.ts'
import { protocols } from './protocols/index.ts'
import { StreamReader } from './stream-reader.ts'
import { awsEvent, awsFrame } from './testing/aws-frames.ts'
import { goodStream } from './testing/events.ts'
import { orderTo } from './testing/orders.ts'
import { CHUNKED, LAST_CHUNK, head, httpChunk, scriptedServer, whole } from './testing/scripted-server.ts'
import type { Incoming, ScriptedServer } from './testing/scripted-server.ts'

const signal = new AbortController().signal
const asker = new Asker()
let server: ScriptedServer | undefined
let dir = ''

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'slo protocols '))
})
afterEach(async () => {
  delete process.env['SLO_TEST_KEY']
  delete process.env['SLO_TEST_SECRET']
  await server?.close()
  await rm(dir, { recursive: true, force: true })
})

/** Asks a server that answers with these bytes in pieces, each its own chunk of HTTP. */
async function ask(
  protocol: string,
  body: readonly (string | Buffer)[],
  target: object = {},
  type = 'text/event-stream',
) {
  const requests: Incoming[] = []
  server = await scriptedServer((incoming) => {
    requests.push(incoming)
    incoming.socket.write(head(200, { 'content-type': type, ...CHUNKED }))
    for (const piece of body) incoming.socket.write(httpChunk(piece))
    incoming.socket.write(LAST_CHUNK)
  })
  const sample = await asker.ask(orderTo(server.url, { protocol, model: 'm', ...target }), signal)
  return { sample, request: requests[0] }
}

function event(name: string, json: object): string {
  return `event: ${name}\ndata: ${JSON.stringify({ type: name, ...json })}\n\n`
}

test('messages of Anthropic: its own header for the key, the prompt with its cached part', async () => {
  process.env['SLO_TEST_KEY'] = 'sk-ant-test-1234'
  const { sample, request } = await ask(
    'anthropic-messages',
    [
      event('message_start', {
        message: {
          id: 'i',
          model: 'served',
          usage: { input_tokens: 2, cache_read_input_tokens: 90, cache_creation_input_tokens: 8, output_tokens: 1 },
        },
      }),
      event('content_block_delta', { delta: { type: 'thinking_delta', thinking: 'Hm' } }),
      event('content_block_delta', { delta: { type: 'text_delta', text: 'Hi' } }),
      event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 12 } }),
      event('message_stop', {}),
    ],
    { apiKeyEnv: 'SLO_TEST_KEY' },
  )
  expect(request?.requestLine).toBe('POST /v1/messages HTTP/1.1')
  expect(request?.headers).toMatchObject({ 'x-api-key': 'sk-ant-test-1234', 'anthropic-version': '2023-06-01' })
  expect(request?.headers).not.toHaveProperty('authorization')
  expect(sample).toMatchObject({
    outcome: 'ok',
    protocol: 'anthropic-messages',
    first_token_kind: 'reasoning',
    token_events: 2,
    prompt_tokens: 100,
    prompt_tokens_raw: 2,
    cached_tokens: 90,
    completion_tokens: 12,
    finish_reason: 'end_turn',
  })
  expect(sample.flags).toContain('cached')
})

test('an overload inside a stream of 200 keeps what was measured', async () => {
  const { sample } = await ask('anthropic-messages', [
    event('content_block_delta', { delta: { type: 'text_delta', text: 'Hi' } }),
    event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
  ])
  expect(sample).toMatchObject({
    outcome: 'error',
    error_kind: 'error_event',
    error_message: 'overloaded_error: Overloaded',
    token_events: 1,
  })
  expect(sample.ttft_ms).toBeGreaterThan(0)
})

test('Gemini as one array: closed, it is whole even without a finish reason; reasoning is added', async () => {
  const part = { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 1 }] }
  const usage = { usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 5, thoughtsTokenCount: 6 } }
  const text = JSON.stringify([part, usage], null, 2)
  const { sample, request } = await ask('gemini', [text.slice(0, 40), text.slice(40)], {}, 'application/json')
  expect(request?.requestLine).toBe('POST /v1/models/m:streamGenerateContent?alt=sse HTTP/1.1')
  expect(sample).toMatchObject({
    outcome: 'ok',
    token_events: 1,
    completion_tokens: 11,
    completion_tokens_raw: 5,
    reasoning_tokens: 6,
  })

  await server?.close()
  const cut = await ask('gemini', [text.slice(0, -2)], {}, 'application/json')
  expect(cut.sample).toMatchObject({ outcome: 'error', error_kind: 'truncated', token_events: 1 })
})

test('an answer of Ollama that is one object a line', async () => {
  const { sample, request } = await ask('ollama', [
    '{"message":{"content":"Hi"},"done":false}\n{"mess',
    'age":{"content":""},"done":true,"done_reason":"stop","eval_count":3,"prompt_eval_count":7}\n',
  ])
  expect(request?.requestLine).toBe('POST /v1/api/chat HTTP/1.1')
  expect(sample).toMatchObject({ outcome: 'ok', token_events: 1, completion_tokens: 3, prompt_tokens: 7 })
})

test('an error of Ollama behind its first tokens', async () => {
  const { sample } = await ask('ollama', ['{"message":{"content":"Hi"}}\n{"error":"out of memory"}\n'])
  expect(sample).toMatchObject({ error_kind: 'error_event', error_message: 'out of memory', token_events: 1 })
})

test('Bedrock in frames, signed', async () => {
  process.env['SLO_TEST_KEY'] = 'AKIDEXAMPLE'
  process.env['SLO_TEST_SECRET'] = 'wJalrXUtnFEMI'
  const body = Buffer.concat([
    awsEvent('messageStart', { role: 'assistant' }),
    awsEvent('contentBlockDelta', { delta: { text: 'Grüße' } }),
    awsEvent('messageStop', { stopReason: 'end_turn' }),
    awsEvent('metadata', { usage: { inputTokens: 2, outputTokens: 3, totalTokens: 5 } }),
  ])
  const signing = {
    service: 'bedrock',
    region: 'eu-west-1',
    accessKeyIdEnv: 'SLO_TEST_KEY',
    secretAccessKeyEnv: 'SLO_TEST_SECRET',
    sessionTokenEnv: 'SLO_TEST_NONE',
  }
  const pieces = Array.from(body, (_byte, at) => body.subarray(at, at + 1))
  const { sample, request } = await ask('bedrock-converse', pieces, { signing }, 'application/octet-stream')
  expect(request?.requestLine).toBe('POST /v1/model/m/converse-stream HTTP/1.1')
  expect(request?.headers['authorization']).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request/,
  )
  expect(request?.headers['accept']).toBe('application/vnd.amazon.eventstream')
  expect(sample).toMatchObject({ outcome: 'ok', token_events: 1, completion_tokens: 3, finish_reason: 'end_turn' })
})

test('an exception of Bedrock is named', async () => {
  const frame = awsFrame(
    { ':message-type': 'exception', ':exception-type': 'throttlingException' },
    { message: 'slow' },
  )
  const { sample } = await ask('bedrock-converse', [awsEvent('contentBlockDelta', { delta: { text: 'a' } }), frame])
  expect(sample).toMatchObject({
    error_kind: 'error_event',
    error_message: 'throttlingException: slow',
    token_events: 1,
  })
})

test('one answer in JSON, though a stream was asked for, is no stream in any protocol but those of lines', async () => {
  const answer = JSON.stringify({ choices: [{ text: 'Hi', message: { content: 'Hi' }, finish_reason: 'stop' }] })
  for (const protocol of ['openai-chat', 'openai-completions', 'anthropic-messages', 'cohere']) {
    const { sample } = await ask(protocol, [answer])
    expect(sample, protocol).toMatchObject({ outcome: 'error', error_kind: 'not_a_stream' })
    await server?.close()
  }
})

test('an error next to counts is one, and the counts are kept', async () => {
  const counts = {
    prompt_tokens: 43,
    completion_tokens: 10,
    total_tokens: 53,
    completion_tokens_details: { reasoning_tokens: 11 },
  }
  const { sample } = await ask('openai-chat', [
    `data: ${JSON.stringify({ choices: [{ delta: { content: 'Hi' }, finish_reason: 'length' }] })}\n\n`,
    `data: ${JSON.stringify({ error: { code: 400, message: 'Token limit reached' }, choices: [{ delta: { content: '' }, finish_reason: null }], usage: counts })}\n\n`,
    'data: [DONE]\n\n',
  ])
  expect(sample).toMatchObject({
    error_kind: 'error_event',
    error_message: '400: Token limit reached',
    finish_reason: 'length',
    completion_tokens: 10,
  })
  expect(sample.flags).toContain('usage_inconsistent')
})

test('an error in a field of its own is no clean end', async () => {
  const { sample } = await ask('openai-chat', [
    `data: ${JSON.stringify({ choices: [{ delta: { content: 'Hi' } }] })}\n\n`,
    'error: {"code":500,"message":"out of slots","type":"server_error"}\n\ndata: [DONE]\n\n',
  ])
  expect(sample).toMatchObject({
    error_kind: 'error_event',
    error_message: 'server_error: out of slots',
    token_events: 1,
  })
})

test('a field that was refused is named with its setting', async () => {
  const error = {
    error: { message: 'Unrecognized request argument supplied: stream_options', type: 'invalid_request_error' },
  }
  server = await scriptedServer(({ body, socket }) => {
    const refused = 'stream_options' in (JSON.parse(body) as object)
    socket.write(refused ? whole(JSON.stringify(error), 400) : whole(goodStream))
  })
  const sample = await asker.ask(orderTo(server.url), signal)
  expect(sample).toMatchObject({
    error_kind: 'http_status',
    error_message: expect.stringContaining(
      'the field stream_options was refused (leave it out: request: { body: { stream_options: undefined } }',
    ),
  })
  const request = { ...orderTo(server.url).request, omit: [['stream_options']] }
  expect(await asker.ask(orderTo(server.url, {}, { request }), signal)).toMatchObject({ outcome: 'ok' })
})

test("fields of the probe and the target are laid over the protocol's, object by object", async () => {
  const own = {
    body: { generationConfig: { topK: 3 }, labels: { a: 'b' } },
    omit: [['safetySettings']],
    maxTokensField: 'cap',
  }
  server = await scriptedServer(({ socket }) => socket.write(whole('data: {}\n\n')))
  const base = orderTo(server.url, { protocol: 'gemini', request: own })
  const request = {
    ...base.request,
    body: { generationConfig: { topP: 0.5 }, safetySettings: [], cachedContent: 'x' },
    omit: [['cachedContent']],
  }
  await asker.ask({ ...base, request }, signal)
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    contents: [{ role: 'user', parts: [{ text: 'Grüße' }] }],
    generationConfig: { cap: 64, temperature: 0.2, topP: 0.5, topK: 3 },
    labels: { a: 'b' },
  })
})

const MINE = `
type Reading = { tokens: string[], characters: number, end?: true }
export default {
  name: 'mine',
  keyHeader: 'X-Mine',
  headers: { 'X-Format': 'lines' },
  path: (model: string): string => '/say/' + model,
  body: ({ request }: { request: { maxTokens: number } }) => ({ limit: request.maxTokens }),
  read({ data }: { data: string }): Reading {
    if (data === 'over') return { tokens: [], characters: 0, end: true }
    if (data === 'bad') throw new Error('cannot read that')
    if (data === 'odd') return undefined as unknown as Reading
    return { tokens: ['answer'], characters: data.length }
  },
}
`

test("a user's own protocol is a module, in TypeScript or not", async () => {
  process.env['SLO_TEST_KEY'] = 'mine-1234'
  const file = join(dir, 'mine.ts')
  await writeFile(file, MINE)
  const url = `${pathToFileURL(file).href}?v=1`
  const { sample, request } = await ask(
    url,
    ['data: Hi\n\n', 'data: bad\n\ndata: odd\n\ndata: you\n\ndata: over\n\n'],
    {
      apiKeyEnv: 'SLO_TEST_KEY',
    },
  )
  expect(request?.requestLine).toBe('POST /v1/say/m HTTP/1.1')
  expect(request?.headers).toMatchObject({ 'x-mine': 'mine-1234', 'x-format': 'lines' })
  expect(JSON.parse(request?.body ?? '')).toEqual({ limit: 64 })
  // what it trips over is passed over, and said
  expect(sample).toMatchObject({ outcome: 'ok', protocol: 'mine', token_events: 2 })
  expect(sample.flags).toContain('malformed')
})

/** The text of a module that differs from a good one. */
function moduleOf(members: Readonly<Record<string, string>>): string {
  const all = {
    name: "'odd'",
    path: "() => '/say'",
    body: '() => ({})',
    read: '({ data }) => JSON.parse(data)',
    ...members,
  }
  return `export default { ${Object.entries(all)
    .map(([name, text]) => `${name}: ${text}`)
    .join(', ')} }`
}

const TOKEN = { tokens: ['answer'], characters: 2 }

test.each([
  ['a finish reason that is a number', { ...TOKEN, finishReason: 7 }, 'finishReason that is not a text'],
  ['an error that is an object', { ...TOKEN, error: { code: 7 } }, 'error that is not a text'],
  ['a negative count', { ...TOKEN, usage: { promptTokens: -1 } }, 'promptTokens that is not a number from 0'],
  ['a count that is a text', { ...TOKEN, usage: { completionTokens: '12' } }, 'completionTokens that is not a number'],
  ['usage that is a number', { ...TOKEN, usage: 12 }, 'usage that is not an object'],
  ['a kind that does not exist', { ...TOKEN, tokens: ['text'] }, 'tokens of other kinds than'],
  ['tokens in a text', { ...TOKEN, tokens: 'answer' }, 'tokens that are not a list'],
  ['no characters', { tokens: ['answer'] }, 'characters that are not a number from 0'],
  ['an end that is a text', { ...TOKEN, end: 'yes' }, 'end that is not true'],
  ['nothing', null, 'no reading'],
])('a reading of a protocol of its own that has %s is a malformed event', async (_name, reading, message) => {
  const file = join(dir, 'odd.mjs')
  await writeFile(file, moduleOf({}))
  const url = pathToFileURL(file).href
  const odd = `data: ${JSON.stringify(reading)}\n\n`
  const good = `data: ${JSON.stringify({ ...TOKEN, usage: { completionTokens: 2, promptTokens: null }, finishReason: '' })}\n\n`
  const end = `data: ${JSON.stringify({ tokens: [], characters: 0, finishReason: 'stop', end: true, error: null })}\n\n`
  const { sample } = await ask(url, [odd, good, end])
  expect(sample).toMatchObject({ outcome: 'ok', token_events: 1, completion_tokens: 2, finish_reason: 'stop' })
  expect(sample).not.toHaveProperty('prompt_tokens')
  expect(sample.flags).toContain('malformed')
  await server?.close()
  const { sample: alone } = await ask(url, [odd])
  expect(alone).toMatchObject({
    error_kind: 'malformed',
    error_message: expect.stringContaining(`read() gave ${message}`),
  })
  await server?.close()
  const { sample: endless } = await ask(url, [good, odd])
  expect(endless).toMatchObject({
    error_kind: 'truncated',
    error_message: expect.stringContaining(`read() gave ${message}`),
  })
})

test.each([
  ['export default { name: "x" }', 'has no default export with name, path, body and read'],
  [moduleOf({ framing: '"lines"' }), 'has a framing that is none of sse, ndjson, aws-event-stream'],
  [moduleOf({ keyHeader: '7' }), 'has a keyHeader that is no name'],
  [moduleOf({ headers: '{ a: 1 }' }), 'has headers that are not texts by name'],
  [moduleOf({ usage: '"apart"' }), 'has a usage that is no object'],
  [moduleOf({ path: '() => 7' }), 'bad.mjs gave no text'],
  [moduleOf({ body: '() => undefined' }), 'bad.mjs gave no object'],
  [moduleOf({ body: '({ nothing }) => nothing.there' }), 'bad.mjs threw: Cannot read properties of undefined'],
  ['export const x = ', 'cannot be loaded'],
])('a module that is none: %s', async (text, message) => {
  const file = join(dir, 'bad.mjs')
  await writeFile(file, text)
  const order = orderTo('http://127.0.0.1:9', { protocol: pathToFileURL(file).href })
  await expect(asker.ask(order, signal)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining(message),
  })
})

test('no JSON and no bytes crash any protocol, and no token count is ever negative', async () => {
  const codec = await frameCodec()
  const names = fc.constantFrom(
    'message',
    'error',
    'contentBlockDelta',
    'metadata',
    'message_start',
    'response.completed',
  )
  const fields = fc.constantFrom(
    'type',
    'choices',
    'delta',
    'usage',
    'usageMetadata',
    'candidates',
    'content',
    'parts',
    'message',
    'response',
    'error',
    'item',
    'tool_calls',
    'function',
    'output_tokens',
    'completion_tokens',
    'reasoning_tokens',
    'status',
    'done',
    'text',
  )
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), names, fc.double({ noNaN: true })),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fields, tie('tree'), { maxKeys: 5 }),
    ),
  }))
  fc.assert(
    fc.property(
      fc.constantFrom(...protocols.values()),
      names,
      tree,
      fc.uint8Array({ maxLength: 60 }),
      (protocol, name, json, bytes) => {
        const reader = new StreamReader(protocol, { codec })
        reader.feed(Buffer.from(`event: ${name}\ndata: ${JSON.stringify(json)}\n\n`), 1, 0)
        reader.feed(Buffer.from(bytes), 2, 0)
        reader.flush()
        for (const value of Object.values(reader.usage ?? {}))
          if (typeof value === 'number') expect(value).toBeGreaterThanOrEqual(0)
        const raw = new StreamReader(protocol, { codec })
        raw.feed(Buffer.from(bytes), 1, 0)
        raw.flush()
      },
    ),
    { numRuns: 1500 },
  )
})
