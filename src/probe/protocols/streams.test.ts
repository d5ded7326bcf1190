import { Buffer } from 'node:buffer'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contentDecoder } from '../content-coding.ts'
import { frameCodec } from '../framing/index.ts'
import { outcomeOf } from '../outcome.ts'
import { StreamReader } from '../stream-reader.ts'
import { awsEvent } from '../testing/aws-frames.ts'
import type { Protocol } from '../types.ts'
import { protocols } from './index.ts'
import { openaiChat } from './openai-chat.ts'

/** A whole stream of each format: event names and events, of every kind of token that the format has. */
const streams: Readonly<Record<string, readonly (readonly [event: string, json: object])[]>> = {
  'openai-chat': [
    ['message', { id: 'c', model: 'm', choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }],
    ['message', { choices: [{ delta: { reasoning: 'Hm', reasoning_details: [{ text: 'Hm' }] } }] }],
    ['message', { choices: [{ delta: { content: 'Grüße 🌍' } }, { index: 1, delta: { content: [{ text: 'Hi' }] } }] }],
    ['message', { choices: [{ delta: { tool_calls: [{ function: { name: 'look', arguments: '{"a":1}' } }] } }] }],
    ['message', { choices: [{ delta: {}, finish_reason: 'stop' }] }],
    ['message', { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } }],
  ],
  'openai-completions': [
    ['message', { id: 'c', model: 'm', choices: [{ text: 'Grüße', finish_reason: null }] }],
    [
      'message',
      { choices: [{ text: '', finish_reason: 'length' }], usage: { prompt_tokens: 3, completion_tokens: 4 } },
    ],
  ],
  'openai-responses': [
    ['response.created', { type: 'response.created', response: { id: 'r', model: 'm', status: 'in_progress' } }],
    ['response.reasoning_summary_text.delta', { type: 'response.reasoning_summary_text.delta', delta: 'Hm' }],
    ['response.output_item.added', { type: 'response.output_item.added', item: { type: 'function_call', name: 'l' } }],
    ['response.output_text.delta', { type: 'response.output_text.delta', delta: 'Grüße' }],
    [
      'response.completed',
      { type: 'response.completed', response: { status: 'completed', usage: { input_tokens: 3, output_tokens: 4 } } },
    ],
  ],
  'anthropic-messages': [
    ['message_start', { type: 'message_start', message: { id: 'i', content: [], usage: { input_tokens: 3 } } }],
    ['content_block_start', { type: 'content_block_start', content_block: { type: 'tool_use', name: 'l', input: {} } }],
    ['content_block_delta', { type: 'content_block_delta', delta: { thinking: 'Hm' } }],
    ['content_block_delta', { type: 'content_block_delta', delta: { text: 'Grüße' } }],
    ['message_delta', { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } }],
    ['message_stop', { type: 'message_stop' }],
  ],
  gemini: [
    ['message', { candidates: [{ content: { parts: [{ text: 'Hm', thought: true }] } }], modelVersion: 'm' }],
    [
      'message',
      { candidates: [{ content: { parts: [{ text: 'Grüße' }, { functionCall: { name: 'l', args: {} } }] } }] },
    ],
    ['message', { candidates: [{ finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 3, totalTokenCount: 7 } }],
  ],
  ollama: [
    ['message', { model: 'm', message: { content: '', thinking: 'Hm' }, done: false }],
    ['message', { message: { content: 'Grüße', tool_calls: [{ function: { name: 'l', arguments: { a: 1 } } }] } }],
    ['message', { message: { content: '' }, done: true, done_reason: 'stop', eval_count: 4, prompt_eval_count: 3 }],
  ],
  cohere: [
    ['message-start', { type: 'message-start', id: 'i' }],
    ['tool-plan-delta', { type: 'tool-plan-delta', delta: { message: { tool_plan: 'Hm' } } }],
    ['content-delta', { type: 'content-delta', delta: { message: { content: { text: 'Grüße' } } } }],
    [
      'message-end',
      { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: { tokens: { input_tokens: 3 } } } },
    ],
  ],
  'bedrock-converse': [
    ['contentBlockDelta', { delta: { reasoningContent: { text: 'Hm' } } }],
    ['contentBlockDelta', { delta: { text: 'Grüße' } }],
    ['contentBlockStart', { start: { toolUse: { name: 'l' } } }],
    ['messageStop', { stopReason: 'end_turn' }],
    ['metadata', { usage: { inputTokens: 3, outputTokens: 4 } }],
  ],
}

type Events = readonly (readonly [event: string, json: string])[]

/** Every way in which events may be framed; AWS's keeps JSON as it is, byte for byte. */
const framings: Readonly<Record<string, (events: Events) => Buffer>> = {
  sse: (events) => Buffer.from(events.map(([event, json]) => `event: ${event}\ndata: ${json}\n\n`).join('')),
  'sse with CRLF': (events) =>
    Buffer.from(events.map(([event, json]) => `event:${event}\r\ndata:${json}\r\n\r\n`).join('')),
  lines: (events) => Buffer.from(events.map(([, json]) => `${json}\n`).join('')),
  array: (events) => Buffer.from(`[${events.map(([, json]) => json).join('\n,\r\n')}]`),
  frames: (events) => Buffer.concat(events.map(([event, json]) => awsEvent(event, parsed(json)))),
}

function framed(framing: string, events: Events): Buffer {
  return framings[framing]?.(events) ?? Buffer.alloc(0)
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

const codec = await frameCodec()

/** All that a sample takes from a stream, but the times. */
function reading(protocol: Protocol, chunks: readonly Buffer[]) {
  const reader = new StreamReader(protocol, { codec })
  for (const chunk of chunks) reader.feed(chunk, 1, 0)
  reader.flush()
  const { events, malformedEvents, halfEvent, firstTokenKind, firstCharacters, characters, usage } = reader
  const { finishReason, servedModel, bodyId, error, ended, oversize, tokenTimes } = reader
  const outcome = outcomeOf({ kind: 'end' }, 200, reader)
  const seen = { events, malformedEvents, halfEvent, firstTokenKind, firstCharacters, characters, usage }
  return { ...seen, finishReason, servedModel, bodyId, error, ended, oversize, tokens: tokenTimes.length, outcome }
}

function cutAt(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length))
}

/** Values that no provider should send, as JSON. */
const strange = fc.constantFrom(
  'null',
  '""',
  '0',
  '-1',
  '1e999',
  'true',
  '[]',
  '{}',
  '[[]]',
  '"\\ud800"',
  '"\\u0000"',
  '"[DONE]"',
  '"error"',
  '{"__proto__":{"text":"x"}}',
  '{"constructor":{"prototype":7}}',
  '[null,7,"x",{}]',
  '{"text":{"text":{}}}',
  '"😀"',
  '9007199254740993',
  '{"error":{"message":"no"}}',
  `${'['.repeat(3000)}${']'.repeat(3000)}`,
)

/** One value anywhere in a JSON text becomes another one, or its key does: the grammar stays. */
const mutation = fc.tuple(fc.nat(200), strange, fc.boolean()).map(([at, value, key]) => (json: string): string => {
  const places = [
    ...json.matchAll(key ? /"[\w-]+"(?=:)/g : /(?<=[:[,])(?:"(?:[^"\\]|\\.)*"|\d+|true|false|null)(?!:)/g),
  ]
  const place = places[at % Math.max(1, places.length)]
  if (place === undefined) return json
  const [old] = place
  const replacement = key ? '"__proto__"' : value
  return json.slice(0, place.index) + replacement + json.slice(place.index + old.length)
})

/** A stream that was valid: events changed, doubled, left out and exchanged; then its bytes cut off or spoilt. */
function spoiltStreams(events: readonly (readonly [string, object])[]) {
  return fc
    .record({
      order: fc.oneof(fc.constant([...events.keys()]), fc.array(fc.nat(events.length - 1), { maxLength: 8 })),
      mutations: fc.array(fc.tuple(fc.nat(20), mutation), { maxLength: 3 }),
      framing: fc.constantFrom(...Object.keys(framings)),
      spoilt: fc.array(fc.tuple(fc.nat(4000), fc.constantFrom(0, 10, 13, 0x22, 0x5c, 0x7b, 0x80, 0xff)), {
        maxLength: 2,
      }),
      length: fc.option(fc.nat(4000), { nil: Infinity }),
    })
    .map(({ order, mutations, framing, spoilt, length }) => {
      const texts = order.flatMap((at) => {
        const each = events[at]
        return each === undefined ? [] : [[each[0], JSON.stringify(each[1])] as [string, string]]
      })
      for (const [at, mutate] of mutations) {
        const text = texts[at % Math.max(1, texts.length)]
        if (text !== undefined) text[1] = mutate(text[1])
      }
      const bytes = framed(framing, texts)
      for (const [at, byte] of spoilt) if (at < bytes.length) bytes[at] = byte
      return bytes.subarray(0, length)
    })
}

test('every format has its stream here', () => {
  expect(Object.keys(streams).sort()).toEqual([...protocols.keys()].sort())
})

describe.each([...protocols.values()].map((protocol) => [protocol.name, protocol] as const))('%s', (name, protocol) => {
  const events = streams[name] ?? []
  const texts = events.map(([event, json]) => [event, JSON.stringify(json)] as const)

  test.each(Object.keys(framings))('says the same as %s', (framing) => {
    const wanted = name === 'bedrock-converse' ? 'frames' : 'sse'
    const read = reading(protocol, [framed(framing, texts)])
    const named = framing.startsWith('sse') || framing === 'frames'
    // Bedrock's events are told apart by their names, which only two framings carry
    if (name === 'bedrock-converse' && !named) return
    expect(read).toEqual(reading(protocol, [framed(wanted, texts)]))
    expect(read).toMatchObject({ outcome: null, malformedEvents: 0 })
  })

  test('however it is spoilt and cut, it says the same, and nothing that makes no sense', () => {
    fc.assert(
      fc.property(spoiltStreams(events), fc.array(fc.nat(4000), { maxLength: 12 }), (bytes, cuts) => {
        const whole = reading(protocol, [bytes])
        expect(reading(protocol, cutAt(bytes, cuts))).toEqual(whole)
        expect(whole.tokens).toBeLessThanOrEqual(whole.events)
        expect(whole.characters).toBeLessThanOrEqual(bytes.length)
        for (const count of Object.values(whole.usage ?? {})) expect(Number.isNaN(count)).toBe(false)
        if (whole.tokens === 0) expect(whole.outcome === null ? whole.finishReason : 'failed').toBeTruthy()
        expect(Object.keys(Object.prototype)).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const)('any cutting of a body in %s gives the same', async (coding, compress) => {
  const stream = spoiltStreams(streams[openaiChat.name] ?? []).filter((bytes) => bytes.length > 0)
  await fc.assert(
    fc.asyncProperty(stream, fc.array(fc.nat(4000), { maxLength: 8 }), async (bytes, cuts) => {
      const pieces: Buffer[] = []
      const failure = await new Promise((resolve) => {
        const decoder = contentDecoder(coding, (piece) => pieces.push(Buffer.from(piece)), resolve)
        for (const chunk of cutAt(compress(bytes), cuts)) decoder.write(chunk, 1, 0)
        decoder.end()
      })
      expect(failure).toBeNull()
      expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
    }),
    { numRuns: 40 },
  )
})

/** Streams that only a mistake or malice writes; a reader whose work grows with their square does not come back. */
test.each([
  ['many empty events', 'data:\n\n', 500_000, ''],
  ['many comments', ':\n', 500_000, ''],
  ['many empty objects', 'data: {}\n\n', 200_000, ''],
  ['many lines', '{}\n', 200_000, ''],
  ['an array of many elements', '[{}', 1, ',{}'.repeat(200_000)],
  ['one event with many choices', 'data: {"choices":[{}', 1, `${',{"delta":{"content":"a"}}'.repeat(200_000)}]}\n\n`],
  ['an event over many lines', 'data: {\n', 1, `${'data: \n'.repeat(200_000)}data: }\n\n`],
  ['names without data', 'event: x\nid: 1\n\n', 200_000, ''],
  ['lines that are no fields', 'oops\n', 40_000, ''],
  ['lines that open what is never closed', 'data: {}\n\n{\n', 1, '{\n'.repeat(40_000)],
])('%s', (_name, start, times, rest) => {
  const bytes = Buffer.from(start.repeat(times) + rest)
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; at += 16_384) chunks.push(bytes.subarray(at, at + 16_384))
  expect(reading(openaiChat, chunks).tokens).toBeLessThanOrEqual(1)
})
