import { Buffer } from 'node:buffer'
import * as fc from 'fast-check'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import type { Sample } from '../sample/types.ts'
import { Asker } from './asker.ts'
import { protocols } from './protocols/index.ts'
import { delta } from './testing/events.ts'
import { orderTo } from './testing/orders.ts'
import { CHUNKED, httpChunk, scriptedServer, streamHead } from './testing/scripted-server.ts'
import type { ScriptedServer } from './testing/scripted-server.ts'

const asker = new Asker()
const signal = new AbortController().signal
const timeouts = { connect: 5000, firstToken: 1500, stall: 1000, total: 4000 }
let server: ScriptedServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

async function ask(answer: (socket: Socket) => void): Promise<Sample> {
  server = await scriptedServer(({ socket }) => answer(socket))
  return await asker.ask(orderTo(server.url, { timeouts }), signal)
}

/** Writes `piece` as long as the client reads; tells how many bytes went. */
function flood(socket: Socket, piece: Buffer): { sent: number } {
  const counter = { sent: 0 }
  const more = (): void => {
    let room = true
    while (room && !socket.destroyed) {
      room = socket.write(piece)
      counter.sent += piece.length
    }
    socket.once('drain', more)
  }
  more()
  return counter
}

test('a bomb is read no faster than it is unpacked: what waits is bounded', async () => {
  const bomb = httpChunk(gzipSync(`: ${'x'.repeat(4 * 1024 * 1024)}\n`))
  let counter = { sent: 0 }
  const sample = await ask((socket) => {
    socket.write(streamHead({ ...CHUNKED, 'content-encoding': 'gzip' }))
    counter = flood(socket, bomb)
  })
  expect(sample).toMatchObject({ outcome: 'error' })
  expect(counter.sent).toBeLessThan(64 * 1024 * 1024)
})

// what is passed over and not kept is bounded by the timeouts alone: Infinity
test.each([
  ['headers', 'HTTP/1.1 200 OK\r\n', `x-more: ${'y'.repeat(1000)}\r\n`, 8],
  ['one header', 'HTTP/1.1 200 OK\r\nx-more: ', 'y'.repeat(1000), 8],
  ['a status line', 'HTTP/1.1 200 ', 'y'.repeat(1000), Infinity],
  ['a chunk’s extension', `${streamHead(CHUNKED)}5;`, 'y'.repeat(1000), Infinity],
  [
    'trailers',
    `${streamHead(CHUNKED)}${httpChunk(delta({ content: 'a' })).toString()}0\r\n`,
    `x-more: ${'y'.repeat(1000)}\r\n`,
    300,
  ],
  ['comments', streamHead(), `: ${'c'.repeat(1000)}\n`, 600],
  ['empty lines', streamHead(), '\n'.repeat(1000), 600],
  ['lines of a field', streamHead(), `data: ${'d'.repeat(1000)}\n`, 300],
  ['half a line', `${streamHead()}data: `, 'd'.repeat(1000), 300],
  ['events that are noise', streamHead(), 'data: {"oops\n\n'.repeat(100), 600],
  ['the body of an error', 'HTTP/1.1 500 X\r\nconnection: close\r\n\r\n', 'z'.repeat(1000), 64],
])('%s without end: one failed sample, and no more is read than the bound', async (_name, before, piece, mib) => {
  let counter = { sent: 0 }
  const sample = await ask((socket) => {
    socket.write(before)
    counter = flood(socket, Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length))))
  })
  expect(sample).toMatchObject({ outcome: 'error' })
  expect(sample.outcome === 'error' && sample.error_message.length).toBeLessThanOrEqual(500)
  expect(counter.sent).toBeLessThan(mib * 1024 * 1024)
})

test.each([
  ['before the headers', 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-y: '],
  ['in the body', `${streamHead()}: `],
  ['in an event', `${streamHead()}data: {"choices":[{"delta":{"content":"`],
])('a byte now and then %s puts off no timeout', async (_name, before) => {
  let timer: NodeJS.Timeout | undefined
  const sample = await ask((socket) => {
    socket.write(before)
    timer = setInterval(() => socket.write('z'), 20)
  })
  clearInterval(timer)
  expect(sample).toMatchObject({ error_kind: 'first_token_timeout' })
})

const WORDS = [
  'choices',
  'delta',
  'content',
  'error',
  'message',
  'usage',
  'type',
  'code',
  'parts',
  'text',
  'index',
  'candidates',
  'tool_calls',
  'finish_reason',
  'response',
  'done',
  'output',
  'data',
  '__proto__',
  'toString',
]
const anyEvent = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.constantFrom(-1, 1e308, '', 'stop', 'error'),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...WORDS), tie('value'), { maxKeys: 6, noNullPrototype: true }),
  ),
})).value

test('whatever JSON an event holds, every protocol reads it', () => {
  fc.assert(
    fc.property(anyEvent, fc.constantFrom(undefined, 'error', 'message_start', 'ping'), (json, event) => {
      for (const protocol of protocols.values()) {
        const reading = protocol.read({ data: JSON.stringify(json), event })
        if (reading === 'malformed') continue
        expect(reading.characters).toBeGreaterThanOrEqual(0)
        expect(['string', 'undefined']).toContain(typeof reading.error)
      }
    }),
    { numRuns: 2000 },
  )
})

const anyPiece = fc.oneof(
  fc.constantFrom(
    'data:',
    'data: ',
    'event: error\n',
    'error: ',
    ':',
    '\n',
    '\n\n',
    '\r',
    '\r\n',
    '\uFEFF',
    '[DONE]',
    '{',
    '[',
    '}',
    ']',
    ',',
    '{"error":{"message":"x"}}',
    '\0',
    'id: 1\n',
    'retry: x\n',
  ),
  anyEvent.map((json) => `data: ${JSON.stringify(json)}\n\n`),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
)

test('whatever pieces a stream is made of, there is one sample and its texts are bounded', async () => {
  let body = ''
  const scripted = (server = await scriptedServer(({ socket }) => socket.end(streamHead() + body, 'latin1')))
  await fc.assert(
    fc.asyncProperty(fc.array(anyPiece, { maxLength: 12 }), async (pieces) => {
      body = pieces.join('')
      const sample = await asker.ask(orderTo(scripted.url, { timeouts }), signal)
      expect(['ok', 'error']).toContain(sample.outcome)
      if (sample.outcome === 'error') expect(sample.error_message.length).toBeLessThanOrEqual(500)
      for (const text of [sample.finish_reason, sample.served_model, sample.request_id])
        expect((text ?? '').length).toBeLessThanOrEqual(200)
    }),
    { numRuns: 200 },
  )
})
