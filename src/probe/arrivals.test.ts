import { createServer as createPlainServer } from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../clock.ts'
import type { RealTarget } from '../spec/types.ts'
import { Asker } from './asker.ts'
import { authority, serverIdentity } from './testing/certificate.ts'
import { delta, finish } from './testing/events.ts'
import { orderTo } from './testing/orders.ts'
import { proxyServer } from './testing/proxy-server.ts'

const APART_MS = 30
const closing: { close(): unknown }[] = []
beforeEach(() => vi.stubEnv('PRIVATE_CA', authority))
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const each of closing.splice(0)) await each.close()
})

/** What the responses of both protocols have. */
interface Answer {
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown
  write(text: string): unknown
  end(): unknown
}

let onRead = (): void => {}

/** Sends each piece a while after the one before has been read. */
function answer(_request: unknown, response: Answer): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const pieces = [delta({ content: 'a' }), delta({ content: 'b' }), delta({ content: 'c' }), finish('stop')]
  const next = (): void => {
    const piece = pieces.shift()
    if (piece === undefined) response.end()
    else response.write(piece)
  }
  onRead = () => setTimeout(next, APART_MS)
  next()
}

const tls = { ca: { env: 'PRIVATE_CA' } }
test.each<[string, () => Server, Partial<RealTarget>, boolean]>([
  ['HTTP', () => createPlainServer(answer), {}, false],
  ['TLS', () => createTlsServer(serverIdentity, answer), { tls }, false],
  ['HTTP/2', () => createSecureServer(serverIdentity, answer), { tls, http: '2' }, false],
  ['a tunnel', () => createPlainServer(answer), {}, true],
  ['TLS in a tunnel', () => createTlsServer(serverIdentity, answer), { tls }, true],
  ['HTTP/2 in a tunnel', () => createSecureServer(serverIdentity, answer), { tls, http: '2' }, true],
])(
  'what comes apart has times of its own, over %s, on a new connection and on a reused one',
  async (_name, create, target, tunnelled) => {
    const server = create()
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const { port } = server.address() as AddressInfo
    const proxy = await proxyServer(() => port)
    const asker = new Asker(systemClock, () => onRead())
    closing.push(asker, proxy, server)
    if (tunnelled) {
      for (const name of ['HTTP_PROXY', 'HTTPS_PROXY']) vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`)
      vi.stubEnv('NO_PROXY', '')
    }
    const scheme = target.tls === undefined ? 'http' : 'https'
    const host = tunnelled ? 'provider.test' : '127.0.0.1'
    for (const reused of [false, true]) {
      const sample = await asker.ask(orderTo(`${scheme}://${host}:${port}/v1`, target), new AbortController().signal)
      expect(sample).toMatchObject({ outcome: 'ok', token_events: 3, reused, http_version: target.http ?? '1.1' })
      expect(sample.gap_p50_ms).toBeGreaterThanOrEqual(APART_MS - 2)
      expect((sample.total_ms ?? 0) - (sample.ttft_ms ?? 0)).toBeGreaterThanOrEqual(4 * (APART_MS - 2))
    }
  },
)
