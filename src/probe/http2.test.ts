import { constants, createSecureServer } from 'node:http2'
import type { Http2SecureServer, ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AskOrder } from './types.ts'
import { Asker } from './asker.ts'
import { authority, serverIdentity } from './testing/certificate.ts'
import { delta, done, finish, goodStream } from './testing/events.ts'
import { orderTo } from './testing/orders.ts'

const signal = new AbortController().signal
let asker: Asker
let server: Http2SecureServer | undefined
beforeEach(() => {
  vi.stubEnv('PRIVATE_CA', authority)
  asker = new Asker()
})
afterEach(() => {
  vi.unstubAllEnvs()
  asker.close()
  server?.close()
})

const HEAD = { ':status': 200, 'content-type': 'text/event-stream' }

function good(stream: ServerHttp2Stream): void {
  stream.respond(HEAD)
  stream.end(goodStream)
}

/** Answers the requests by their number, over all connections; those without an answer of their own are good. */
async function serve(
  ...answers: ((stream: ServerHttp2Stream) => void)[]
): Promise<{ order: AskOrder; asked: () => number }> {
  let asked = 0
  server = createSecureServer(serverIdentity)
  server.on('sessionError', () => {})
  server.on('stream', (stream) => {
    stream.on('error', () => {})
    asked += 1
    const answer = answers[asked - 1] ?? good
    answer(stream)
  })
  await new Promise<void>((resolve) => {
    server?.listen(0, '127.0.0.1', resolve)
  })
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return { order: orderTo(url, { http: '2', tls: { ca: { env: 'PRIVATE_CA' } } }), asked: () => asked }
}

function resetsWith(code: number): (stream: ServerHttp2Stream) => void {
  return (stream) => stream.close(code)
}

test('send_ms is the end of the upload, and the body arrives whole', async () => {
  const content = 'x'.repeat(2 * 1024 * 1024)
  let received = 0
  const { order } = await serve((stream) => {
    stream.pause()
    setTimeout(() => stream.resume(), 200)
    stream.on('data', (data: Buffer) => {
      received += data.length
    })
    stream.on('end', () => good(stream))
  })
  const sample = await asker.ask({ ...order, messages: [{ role: 'user', content }] }, signal)
  expect(sample).toMatchObject({ outcome: 'ok', http_version: '2' })
  expect(received).toBeGreaterThan(content.length)
  expect(sample.send_ms).toBeGreaterThanOrEqual(150)
  expect(sample.ttft_ms).toBeGreaterThanOrEqual(sample.send_ms ?? Number.NaN)
})

test('a stream refused on a reused connection is asked once more on a new one', async () => {
  const { order, asked } = await serve(good, resetsWith(constants.NGHTTP2_REFUSED_STREAM))
  await asker.ask(order, signal)
  expect(await asker.ask(order, signal)).toMatchObject({ outcome: 'ok', stale_retries: 1, reused: false })
  expect(asked()).toBe(3)
})

test('a stream refused on a new connection is the provider’s, and not asked again behind our back', async () => {
  const { order, asked } = await serve(resetsWith(constants.NGHTTP2_REFUSED_STREAM))
  expect(await asker.ask(order, signal)).toMatchObject({ error_kind: 'reset', stale_retries: 0 })
  expect(asked()).toBe(1)
})

test('any other reset of a stream on a reused connection is the provider’s', async () => {
  const { order, asked } = await serve(good, resetsWith(constants.NGHTTP2_INTERNAL_ERROR))
  await asker.ask(order, signal)
  const sample = await asker.ask(order, signal)
  expect(sample).toMatchObject({ error_kind: 'reset', stale_retries: 0, reused: true })
  expect(sample.outcome === 'error' && sample.error_message).toContain('INTERNAL_ERROR')
  expect(asked()).toBe(2)
})

test('GOAWAY below our stream: it was never begun, and is asked once more on a new connection', async () => {
  const { order, asked } = await serve(good, (stream) => stream.session?.goaway(0, 1))
  await asker.ask(order, signal)
  expect(await asker.ask(order, signal)).toMatchObject({ outcome: 'ok', stale_retries: 1, reused: false })
  expect(asked()).toBe(3)
})

test('GOAWAY that covers our stream: the answer still comes, and the next request opens a connection', async () => {
  const { order } = await serve(good, (stream) => {
    stream.session?.goaway(0, stream.id ?? 0)
    setTimeout(() => good(stream), 50)
  })
  await asker.ask(order, signal)
  expect(await asker.ask(order, signal)).toMatchObject({ outcome: 'ok', stale_retries: 0, reused: true })
  expect(await asker.ask(order, signal)).toMatchObject({ outcome: 'ok', stale_retries: 0, reused: false })
})

test('a session that ends with an error while our stream waits is the provider’s', async () => {
  const { order, asked } = await serve(good, (stream) => {
    stream.session?.goaway(constants.NGHTTP2_INTERNAL_ERROR, stream.id ?? 0)
    stream.session?.destroy()
  })
  await asker.ask(order, signal)
  expect(await asker.ask(order, signal)).toMatchObject({ error_kind: 'reset', stale_retries: 0 })
  expect(asked()).toBe(2)
})

test('a reset in the stream keeps what was measured; after the end marker it is no failure', async () => {
  const cut = (text: string) => (stream: ServerHttp2Stream) => {
    stream.respond(HEAD)
    stream.write(text)
    setTimeout(() => stream.destroy(new Error('crashed')), 200)
  }
  const { order } = await serve(cut(delta({ content: 'a' })), cut(delta({ content: 'a' }) + finish('stop') + done))
  const first = await asker.ask(order, signal)
  expect(first).toMatchObject({ error_kind: 'reset', token_events: 1, status: 200 })
  expect(first.ttft_ms).toBeGreaterThanOrEqual(0)
  expect(await asker.ask(order, signal)).toMatchObject({ outcome: 'ok', token_events: 1 })
})

test.each<[string, (session: ServerHttp2Stream['session']) => void]>([
  ['closed', (session) => session?.close()],
  ['broken', (session) => session?.socket.destroy()],
  ['left with GOAWAY and open', (session) => session?.goaway(constants.NGHTTP2_NO_ERROR)],
  ['left with an error', (session) => session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM)],
])(
  'a connection that the server has %s while nobody looked is reopened before the clock starts',
  async (_how, leave) => {
    const { order, asked } = await serve((stream) => {
      const { session } = stream
      good(stream)
      stream.once('close', () => leave(session))
    })
    await asker.ask(order, signal)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await asker.ask(order, signal)).toMatchObject({ outcome: 'ok', reused: false, stale_retries: 0 })
    expect(asked()).toBe(2)
  },
)
