import { Buffer } from 'node:buffer'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { awsEvent, awsFrame } from '../testing/aws-frames.ts'
import type { WireEvent } from '../types.ts'
import { BodyFraming, EVENT_LIMIT, frameCodec } from './index.ts'

const codec = await frameCodec()

/** All that a body gives, in order: data of events, `<malformed>`, stray JSON in angle brackets, comments behind a colon. */
function framed(chunks: readonly Buffer[]) {
  const found: string[] = []
  const tooMuch: string[] = []
  const show = ({ event, data }: WireEvent): string => (event === undefined ? data : `${event}|${data}`)
  const body = new BodyFraming(
    {
      event: (event) => found.push(show(event)),
      stray: (event) => found.push(`<${show(event).replaceAll(/\s+/g, '')}>`),
      malformed: () => found.push('<malformed>'),
      comment: (text) => found.push(`:${text}`),
      tooMuch: (what) => tooMuch.push(what),
    },
    codec,
  )
  for (const chunk of chunks) if (chunk.length > 0) body.feed(chunk)
  body.end()
  return { found, kind: body.kind, closed: body.closed, tooMuch }
}

function bytewise(bytes: Buffer): readonly Buffer[] {
  return Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1))
}

function cutAt(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length))
}

const delta = '{"delta":{"text":"Grüße 🌍"}}'
const frames = Buffer.concat([
  awsEvent('messageStart', { role: 'assistant' }),
  awsEvent('contentBlockDelta', { delta: { text: 'Grüße 🌍' } }),
])
const exception = awsFrame(
  { ':message-type': 'exception', ':exception-type': 'throttlingException' },
  { message: 'slow down' },
)
const broken = Buffer.from(frames)
broken.writeUInt8((broken.at(-1) ?? 0) ^ 0xff, broken.length - 1)

test.each<readonly [string, string | Buffer, string, readonly string[]]>([
  ['LF', 'data: 1\n\ndata: 2\n\n', 'sse', ['1', '2']],
  ['CRLF', 'data: 1\r\n\r\ndata: 2\r\n\r\n', 'sse', ['1', '2']],
  ['CR alone', 'data: 1\r\rdata: 2\r\r', 'sse', ['1', '2']],
  ['a byte order mark', '\uFEFFdata: 1\n\n', 'sse', ['1']],
  ['blank lines before anything', '\r\n\n\ndata: 1\n\n', 'sse', ['1']],
  ['no space after the colon', 'data:1\n\ndata:  2\n\n', 'sse', ['1', ' 2']],
  ['data over several lines', 'data: {"a":\ndata: 1}\n\ndata: \ndata: \n\n', 'sse', ['{"a":\n1}', '\n']],
  ['a last block without its blank line', 'data: 1\n\ndata: 2\n', 'sse', ['1', '2']],
  ['a last line without its end', 'data: 1\n\ndata: 2', 'sse', ['1', '2']],
  ['names, ids, retry', 'event: x\nid: 7\nretry: 9\ndata: 1\n\nid: 8\n\nevent: y\n\n', 'sse', ['x|1']],
  ['data that is empty is no event', 'data:\n\ndata\n\ndata: 1\n\n', 'sse', ['1']],
  ['comments', ':\n\n: ping\ndata: 1\n: glued\n\n', 'sse', [':', ':ping', ':glued', '1']],
  [
    'a field called error',
    'data: 1\n\nerror: {"code":500}\n\ndata: [DONE]\n\n',
    'sse',
    ['1', '<error|{"code":500}>', '[DONE]'],
  ],
  ['JSON between events', 'data: 1\n\n{"error":{"m":2}}\n\ndata: 3\n\n', 'sse', ['1', '<{"error":{"m":2}}>', '3']],
  ['JSON over several lines', 'data: 1\n\n{\n  "error": {\n    "m": 2\n  }\n}\n', 'sse', ['1', '<{"error":{"m":2}}>']],
  ['words between events', 'data: 1\n\noops\nupstream: gone\n\ndata: 2\n\n', 'sse', ['1', '2']],
  [
    'one JSON object a line',
    `${delta}\n\n${delta}\r\n{oops\n${delta}`,
    'json-lines',
    [delta, `${delta}\r`, '{oops', delta],
  ],
  ['one object alone', ' {"error":"no"}', 'json-lines', ['{"error":"no"}']],
  [
    'an object over several lines',
    '{\n "error": {\n  "code": "]}"\n }\n}\n',
    'json-document',
    ['<{"error":{"code":"]}"}}>'],
  ],
  [
    'an array',
    '[{"a":"]}\\"["}\n,\r\n{"b":[1,{}]},3,"x"]\n',
    'json-document',
    ['{"a":"]}\\"["}', '{"b":[1,{}]}', '3', '"x"'],
  ],
  ['an array cut short', '[{"a":1},{"b"', 'json-document', ['{"a":1}', '{"b"']],
  ['a page', '<html>\n<p>data: x</p>\n\n</html>', 'sse', []],
  ['frames of AWS', frames, 'aws-event-stream', ['messageStart|{"role":"assistant"}', `contentBlockDelta|${delta}`]],
  [
    'an exception of AWS',
    exception,
    'aws-event-stream',
    ['error|{"type":"throttlingException","message":"slow down"}'],
  ],
  ['a frame with a wrong checksum', broken, 'aws-event-stream', ['messageStart|{"role":"assistant"}', '<malformed>']],
  [
    'half a frame',
    frames.subarray(0, frames.length - 3),
    'aws-event-stream',
    ['messageStart|{"role":"assistant"}', '<malformed>'],
  ],
  ['a frame that is none', Buffer.from([0, 0, 0, 3, 1, 2, 3, 4]), 'aws-event-stream', ['<malformed>']],
])('%s', (_name, text, kind, found) => {
  const bytes = Buffer.from(text as string)
  expect(framed([bytes])).toMatchObject({ kind, found, tooMuch: [] })
  expect(framed(bytewise(bytes))).toMatchObject({ kind, found, tooMuch: [] })
})

test('the end of an array proves that nothing is missing', () => {
  expect(framed([Buffer.from('[{"a":1}]')]).closed).toBe(true)
  expect(framed([Buffer.from('[{"a":1}')]).closed).toBe(false)
  expect(framed([Buffer.from('data: 1\n\n')]).closed).toBe(false)
})

const piece = fc.oneof(
  fc.constantFrom(
    'data: ',
    'data:',
    'event: x',
    'error: ',
    ': c',
    '\n',
    '\n\n',
    '\r',
    '\r\n',
    '\uFEFF',
    '{',
    '}',
    '[',
    ']',
    ',',
    '"',
    '\\',
    delta,
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.json({ maxDepth: 2 }),
)
const texts = fc
  .tuple(fc.constantFrom('', 'data: ', '[', '{', '\uFEFF', ' \n'), fc.array(piece, { maxLength: 20 }))
  .map(([start, parts]) => Buffer.from(start + parts.join('')))
const binary = fc
  .array(
    fc.oneof(
      fc.constantFrom(frames, exception, broken),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 5 },
  )
  .map((parts) => Buffer.concat(parts))

test('any cutting of any body gives the same', () => {
  fc.assert(
    fc.property(fc.oneof(texts, binary), fc.array(fc.nat(5000), { maxLength: 20 }), (bytes, cuts) => {
      const whole = framed([bytes])
      expect(framed(cutAt(bytes, cuts))).toEqual(whole)
      expect(framed(bytewise(bytes))).toEqual(whole)
    }),
    { numRuns: 1000 },
  )
})

/** Bodies that never say where an event ends. */
test.each([
  ['data', 'data: ', 'x'],
  ['a comment', ': ', 'x'],
  ['a field nobody knows', 'unknown: ', 'x'],
  ['a line of JSON', '{"a":"', 'x'],
  ['an element of an array', '[{"a":"', 'x'],
  ['many lines of data', 'data: 1\n', `data: ${'x'.repeat(1000)}\n`],
])('%s without an end is given up at the limit, not kept', (_name, start, more) => {
  const tooMuch: string[] = []
  const sink = { event() {}, stray() {}, malformed() {}, comment() {}, tooMuch: (what: string) => tooMuch.push(what) }
  const body = new BodyFraming(sink, undefined)
  body.feed(Buffer.from(start))
  const chunk = Buffer.from(more.repeat(Math.ceil((4 * 1024 * 1024) / more.length)))
  for (let fed = 0; fed <= EVENT_LIMIT * 2; fed += chunk.length) body.feed(chunk)
  expect(tooMuch.length).toBeGreaterThan(0)
})

test('lines of 16 MiB come through whole in small pieces, in every framing', () => {
  const long = 'x'.repeat(16 * 1024 * 1024)
  for (const text of [`data: ${long}\n\n`, `{"a":"${long}"}\n{}\n`, `[{"a":"${long}"},{}]`]) {
    const bytes = Buffer.from(text)
    const chunks: Buffer[] = []
    for (let at = 0; at < bytes.length; at += 1400) chunks.push(bytes.subarray(at, at + 1400))
    expect(framed(chunks).found[0]?.length).toBeGreaterThanOrEqual(long.length)
  }
})
