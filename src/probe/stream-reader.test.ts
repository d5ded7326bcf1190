import { Buffer } from 'node:buffer'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { EVENT_LIMIT } from './framing/index.ts'
import { outcomeOf } from './outcome.ts'
import { gemini } from './protocols/gemini.ts'
import { ollama } from './protocols/ollama.ts'
import { openaiChat } from './protocols/openai-chat.ts'
import { BODY_LIMIT, StreamReader } from './stream-reader.ts'
import { delta, done, finish, goodStream, role, sse, usage } from './testing/events.ts'

/** All that a sample takes from a stream, but the times. */
function reading(chunks: readonly Buffer[]) {
  const reader = new StreamReader(openaiChat, { simulated: true })
  for (const chunk of chunks) reader.feed(chunk, 1, 0)
  reader.flush()
  return {
    tokens: reader.tokenTimes.length,
    characters: reader.characters,
    events: reader.events,
    malformed: reader.malformedEvents,
    half: reader.halfEvent,
    first: reader.firstTokenKind,
    firstCharacters: reader.firstCharacters,
    answered: reader.firstAnswerAt !== undefined,
    usage: reader.usage,
    finishReason: reader.finishReason,
    servedModel: reader.servedModel,
    bodyId: reader.bodyId,
    error: reader.error,
    ended: reader.ended,
    late: reader.simulatorLateMs,
    outcome: outcomeOf({ kind: 'end' }, 200, reader),
  }
}

function cutAt(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length))
}

const pieces = fc.array(
  fc.oneof(
    fc.constantFrom(
      role,
      delta({ reasoning_content: '思考' }),
      finish('stop'),
      usage,
      done,
      ': ping\n\n',
      '\n',
      '\r\n',
    ),
    fc.constantFrom(
      'data: {oops\n\n',
      'event: ping\ndata: {}\n\n',
      'id: 7\nretry: 10\n\n',
      ': slo-sim late_ms=1.25\n\n',
    ),
    fc.constantFrom('data: {"choices":\ndata: [{"delta":{"content":"two lines"}}]}\n\n', 'data: {"choices":[{"de'),
    fc.string({ unit: 'grapheme' }).map((content) => delta({ content })),
  ),
  { maxLength: 12 },
)
const streams = fc
  .tuple(pieces, fc.constantFrom('\n', '\r\n', '\r'), fc.boolean())
  .map(([parts, newline, bom]) => Buffer.from((bom ? '\uFEFF' : '') + parts.join('').replaceAll(/\r?\n/g, newline)))

test('any cutting of a stream gives the same reading', () => {
  fc.assert(
    fc.property(streams, fc.array(fc.nat(10_000), { maxLength: 40 }), (bytes, cuts) => {
      expect(reading(cutAt(bytes, cuts))).toEqual(reading([bytes]))
    }),
    { numRuns: 500 },
  )
})

test.each(['\n', '\r\n', '\r'])('byte by byte, with %j for a newline, no character is lost', (newline) => {
  const bytes = Buffer.from(`\uFEFF${goodStream.replaceAll('\n', newline)}`)
  const bytewise = reading(Array.from(bytes, (_byte, i) => bytes.subarray(i, i + 1)))
  expect(bytewise).toEqual(reading([bytes]))
  expect(bytewise).toMatchObject({
    tokens: 4,
    malformed: 0,
    ended: true,
    outcome: null,
    usage: { completionTokens: 4 },
  })
  expect(bytewise.characters).toBe('HmGrüße 世界 🌍'.length)
})

test('no bytes crash it', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 }), (chunks) => {
      expect(reading(chunks.map((chunk) => Buffer.from(chunk))).outcome).not.toBeNull()
    }),
    { numRuns: 500 },
  )
})

test('no JSON crashes it', () => {
  fc.assert(
    fc.property(fc.json(), fc.json(), fc.constantFrom('message', 'error'), (json, inner, event) => {
      const choice = `{"choices":[{"delta":${json},"finish_reason":${inner}}],"usage":${json},"error":${inner}}`
      reading([Buffer.from(`event: ${event}\ndata: ${json}\n\ndata: ${choice}\n\n`)])
    }),
    { numRuns: 500 },
  )
})

test('an event has the time of the chunk that completed it, and events of one chunk share it', () => {
  const reader = new StreamReader(openaiChat)
  const first = Buffer.from(delta({ content: 'a' }))
  reader.feed(first.subarray(0, first.length - 1), 10, 0.5)
  expect(reader.firstEventAt).toBeUndefined()
  reader.feed(Buffer.concat([first.subarray(-1), Buffer.from(delta({ content: 'b' }))]), 20, 0.7)
  reader.feed(Buffer.from(delta({ content: 'c' })), 30, 0.1)
  expect(reader.tokenTimes).toEqual([20, 20, 30])
  expect(reader).toMatchObject({ firstEventAt: 20, firstTokenErrorMs: 0.7, tokenChunks: 2 })
})

test.each([
  ['lines of JSON', ollama, ['{"message":{"content":"a"}}', '\n{"message":{"con', 'tent":"b"}}\n']],
  [
    'an array',
    gemini,
    [
      '[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]',
      '},{"candidates":[{"content":',
      '{"parts":[{"text":"b"}]}}]}\n]',
    ],
  ],
])('an event among %s has the time of the chunk that completed it', (_name, protocol, pieces) => {
  const reader = new StreamReader(protocol)
  for (const [index, piece] of pieces.entries()) reader.feed(Buffer.from(piece), 10 * (index + 1), 0)
  expect(reader.tokenTimes).toEqual([20, 30])
})

test('what comes after an error is not measured, but for counts', () => {
  const reader = new StreamReader(openaiChat)
  reader.feed(Buffer.from(delta({ content: 'a' })), 10, 0)
  reader.feed(Buffer.from(sse({ error: { message: 'no' } })), 20, 0)
  reader.feed(Buffer.from(delta({ content: 'b' }) + usage + done), 30, 0)
  reader.flush()
  expect(reader).toMatchObject({
    tokenTimes: [10],
    error: 'no',
    errorAt: 20,
    ended: true,
    usage: { completionTokens: 4 },
  })
})

test('an event that only the end completes has the time of its last byte', () => {
  const reader = new StreamReader(openaiChat)
  reader.feed(Buffer.from(delta({ content: 'a' }).trimEnd()), 10, 0)
  reader.flush()
  expect(reader.tokenTimes).toEqual([10])
})

test('usage may come in any event; the last object with numbers wins', () => {
  const counts = { prompt_tokens: 5, completion_tokens: 1 }
  const text = delta({ content: 'a' }, { usage: counts }) + delta({}, { usage: null }) + usage + sse({ usage: {} })
  expect(reading([Buffer.from(text)]).usage).toMatchObject({ promptTokens: 100, completionTokens: 4 })
})

test('nothing counts after the end marker', () => {
  expect(reading([Buffer.from(goodStream + sse({ error: 'late' }) + delta({ content: 'x' }))])).toMatchObject({
    tokens: 4,
    outcome: null,
  })
})

test('an event of 16 MiB comes through whole, in small pieces', () => {
  const content = 'x'.repeat(16 * 1024 * 1024)
  const bytes = Buffer.from(delta({ content }) + done)
  const chunks: Buffer[] = []
  for (let i = 0; i < bytes.length; i += 1400) chunks.push(bytes.subarray(i, i + 1400))
  expect(reading(chunks)).toMatchObject({ tokens: 1, characters: content.length, outcome: null })
})

test('an event over the limit is oversize, however it is cut, and a body too', () => {
  const chunk = Buffer.alloc(1024 * 1024, 'x')
  const reader = new StreamReader(openaiChat)
  reader.feed(Buffer.from(delta({ content: 'a' })), 1, 0)
  reader.feed(Buffer.from('data: '), 1, 0)
  for (let fed = 0; fed <= EVENT_LIMIT; fed += chunk.length) reader.feed(chunk, 2, 0)
  reader.flush()
  expect(outcomeOf({ kind: 'end' }, 200, reader)?.kind).toBe('oversize')
  expect(reader.tokenTimes).toEqual([1])

  const comments = new StreamReader(openaiChat)
  const lines = Buffer.from(`: ${'x'.repeat(1021)}\n`.repeat(1024))
  for (let fed = 0; fed <= BODY_LIMIT; fed += lines.length) comments.feed(lines, 1, 0)
  expect(outcomeOf({ kind: 'end' }, 200, comments)?.kind).toBe('oversize')
})

test('JSON nested deeper than a stack is an event like any other', () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000)
  const text = `data: {"error":${deep}}\n\n`
  expect(reading([Buffer.from(text)]).outcome?.kind).toBe('error_event')
})
