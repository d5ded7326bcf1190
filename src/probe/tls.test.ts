import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import type { Server } from 'node:tls'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, expect, test } from 'vitest'
import { Asker } from './asker.ts'
import { certificate, certificateKey } from './testing/certificate.ts'
import { goodStream } from './testing/events.ts'
import { orderTo } from './testing/orders.ts'
import { whole } from './testing/scripted-server.ts'

const usual = getCACertificates('default')
const signal = new AbortController().signal
let server: { close(): unknown } | undefined
afterEach(() => {
  server?.close()
})
afterAll(() => setDefaultCACertificates(usual))

async function listen(listening: Pick<Server, 'listen' | 'address' | 'close'>): Promise<string> {
  server = listening
  await new Promise<void>((resolve) => {
    listening.listen(0, '127.0.0.1', resolve)
  })
  return `https://localhost:${(listening.address() as AddressInfo).port}/v1`
}

const identity = { key: certificateKey, cert: certificate }

test('over TLS: every phase of opening is in the first sample, none in the second', async () => {
  setDefaultCACertificates([...usual, certificate])
  const asker = new Asker()
  const url = await listen(
    createServer(identity, (socket) => {
      socket.on('error', () => {})
      socket.on('data', () => socket.write(whole(goodStream)))
    }),
  )
  const first = await asker.ask(orderTo(url), signal)
  expect(first).toMatchObject({ outcome: 'ok', http_version: '1.1', reused: false, token_events: 4 })
  const phases = (first.dns_ms ?? Number.NaN) + (first.tcp_ms ?? Number.NaN) + (first.tls_ms ?? Number.NaN)
  expect(phases).toBeGreaterThan(0)
  expect(phases).toBeLessThanOrEqual((first.connect_ms ?? Number.NaN) + 0.01)
  const second = await asker.ask(orderTo(url), signal)
  expect(second).toMatchObject({ outcome: 'ok', reused: true })
  for (const phase of ['dns_ms', 'tcp_ms', 'tls_ms', 'connect_ms']) expect(second).not.toHaveProperty(phase)
  asker.close()
})

test('a certificate that nobody vouches for is a failure of tls', async () => {
  setDefaultCACertificates(usual)
  const url = await listen(createServer(identity))
  const sample = await new Asker().ask(orderTo(url), signal)
  expect(sample).toMatchObject({ outcome: 'error', error_kind: 'tls' })
  expect(sample).not.toHaveProperty('total_ms')
})

test('HTTP/2 where the target asks for it, and HTTP/1.1 where it does not', async () => {
  setDefaultCACertificates([...usual, certificate])
  const http2 = createSecureServer({ ...identity, allowHTTP1: true })
  http2.on('request', (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(goodStream)
  })
  const asker = new Asker()
  const url = await listen(http2)
  for (const reused of [false, true])
    expect(await asker.ask(orderTo(url, { http: '2' }), signal)).toMatchObject({
      outcome: 'ok',
      http_version: '2',
      reused,
      token_events: 4,
      finish_reason: 'stop',
    })
  const plain = await asker.ask(orderTo(url), signal)
  expect(plain).toMatchObject({ outcome: 'ok', http_version: '1.1', reused: false })
  asker.close()
})

test('HTTP/2: a stream that the server resets is a reset, and the run goes on', async () => {
  setDefaultCACertificates([...usual, certificate])
  let broken = true
  const http2 = createSecureServer(identity)
  http2.on('stream', (stream) => {
    stream.on('error', () => {})
    if (broken) stream.close(2)
    else {
      stream.respond({ ':status': 200, 'content-type': 'text/event-stream' })
      stream.end(goodStream)
    }
  })
  const asker = new Asker()
  const url = await listen(http2)
  const order = orderTo(url, { http: '2' })
  expect(await asker.ask(order, signal)).toMatchObject({ outcome: 'error', error_kind: 'reset' })
  broken = false
  expect(await asker.ask(order, signal)).toMatchObject({ outcome: 'ok', http_version: '2' })
  asker.close()
})

test('a new connection to the same place resumes the TLS session of the one before', async () => {
  setDefaultCACertificates([...usual, certificate])
  const resumed: boolean[] = []
  const { promise: gone, resolve } = Promise.withResolvers<void>()
  const url = await listen(
    createServer(identity, (socket) => {
      resumed.push(socket.isSessionReused())
      socket.on('error', () => {})
      socket.once('close', () => resolve())
      socket.on('data', () => socket.write(whole(goodStream), () => socket.end()))
    }),
  )
  const asker = new Asker()
  await asker.ask(orderTo(url), signal)
  await gone
  expect(await asker.ask(orderTo(url), signal)).toMatchObject({ outcome: 'ok', reused: false })
  expect(resumed).toEqual([false, true])
  asker.close()
})
