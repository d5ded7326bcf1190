import {
  brotliCompressSync,
  constants,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { Asker } from './asker.ts'
import { contentDecoder } from './content-coding.ts'
import { delta, done, goodStream } from './testing/events.ts'
import { orderTo } from './testing/orders.ts'
import { CHUNKED, LAST_CHUNK, httpChunk, scriptedServer, streamHead, whole } from './testing/scripted-server.ts'
import type { ScriptedServer } from './testing/scripted-server.ts'

const asker = new Asker()
const signal = new AbortController().signal
let server: ScriptedServer | undefined
afterEach(async () => {
  await server?.close()
})

test.each([
  ['gzip', gzipSync(goodStream)],
  ['deflate', deflateSync(goodStream)],
  ['deflate', deflateRawSync(goodStream)],
  ['br', brotliCompressSync(goodStream)],
  ['zstd', zstdCompressSync(goodStream)],
])('a stream compressed with %s, unasked, is read all the same', async (coding, body) => {
  server = await scriptedServer(({ socket }) => socket.write(whole(body, 200, { 'content-encoding': coding })))
  expect(await asker.ask(orderTo(server.url), signal)).toMatchObject({
    outcome: 'ok',
    token_events: 4,
    completion_tokens: 4,
  })
})

test('what is no gzip is malformed', async () => {
  server = await scriptedServer(({ socket }) => socket.write(whole(goodStream, 200, { 'content-encoding': 'gzip' })))
  expect(await asker.ask(orderTo(server.url), signal)).toMatchObject({ outcome: 'error', error_kind: 'malformed' })
})

test('a compressed stream that stops is truncated, with what came', async () => {
  const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH })
  server = await scriptedServer(({ socket }) => {
    socket.write(streamHead({ ...CHUNKED, 'content-encoding': 'gzip' }))
    gzip.on('data', (data: Buffer) => socket.write(httpChunk(data)))
    gzip.write(delta({ content: 'a' }), () => setTimeout(() => socket.write(LAST_CHUNK), 20))
  })
  expect(await asker.ask(orderTo(server.url), signal)).toMatchObject({ error_kind: 'truncated', token_events: 1 })
})

test('a bomb is oversize', async () => {
  const bomb = gzipSync(Buffer.concat([Buffer.from('data: '), Buffer.alloc(64 * 1024 * 1024, 'x'), Buffer.from(done)]))
  server = await scriptedServer(({ socket }) => socket.write(whole(bomb, 200, { 'content-encoding': 'gzip' })))
  expect(await asker.ask(orderTo(server.url), signal)).toMatchObject({ error_kind: 'oversize' })
})

test('every output has the stamp of the chunk that completed it', async () => {
  const pieces: Buffer[] = []
  const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH })
  for (const text of ['one', 'two', 'three']) {
    await new Promise<void>((resolve) => {
      gzip.write(text, () => resolve())
    })
    pieces.push(gzip.read() as Buffer)
  }
  const seen: string[] = []
  await new Promise<void>((resolve) => {
    const decoder = contentDecoder(
      'gzip',
      (bytes, at) => seen.push(`${at} ${bytes.toString()}`),
      () => resolve(),
    )
    pieces.forEach((piece, i) => decoder.write(piece, i, 0))
    decoder.end()
  })
  expect(seen).toEqual(['0 one', '1 two', '2 three'])
})
