import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import type { Sample } from '../sample/types.ts'
import { Asker } from './asker.ts'
import { goodStream } from './testing/events.ts'
import { orderTo } from './testing/orders.ts'
import { proxyServer } from './testing/proxy-server.ts'
import type { ProxyServer } from './testing/proxy-server.ts'
import { scriptedServer, whole } from './testing/scripted-server.ts'
import type { ScriptedServer } from './testing/scripted-server.ts'

const signal = new AbortController().signal
const closing: { close(): unknown }[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const each of closing.splice(0)) await each.close()
})

async function started<Closable extends { close(): unknown }>(making: Promise<Closable>): Promise<Closable> {
  const made = await making
  closing.push(made)
  return made
}

/** Asks twice, with what the server does to the first connection in between. */
async function askTwice(server: ScriptedServer, between: (socket: Socket) => void, url = server.url): Promise<Sample> {
  const asker = new Asker()
  closing.push(asker)
  const order = orderTo(url, { timeouts: { connect: 5000, firstToken: 700, stall: 5000, total: 5000 } })
  expect(await asker.ask(order, signal)).toMatchObject({ outcome: 'ok' })
  const socket = server.requests[0]?.socket
  if (socket === undefined) throw new Error('a request')
  between(socket)
  await sleep(100)
  return await asker.ask(order, signal)
}

const good = (): Promise<ScriptedServer> => scriptedServer(({ socket }) => socket.write(whole(goodStream)))
const REOPENED = { outcome: 'ok', reused: false, stale_retries: 0 }

test.each<[string, (socket: Socket) => void]>([
  ['FIN', (socket) => socket.end()],
  ['RST', (socket) => socket.resetAndDestroy()],
  ['a byte that nobody asked for', (socket) => socket.write('H')],
  [
    'an answer that nobody asked for',
    (socket) => socket.write('HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n\r\n'),
  ],
])('what the server did to an idle connection is seen before the clock starts: %s', async (_name, between) => {
  const server = await started(good())
  expect(await askTwice(server, between)).toMatchObject(REOPENED)
  expect(server.requests).toHaveLength(2)
})

test.each<[string, (socket: Socket) => void]>([
  ['FIN', (socket) => socket.end()],
  ['RST', (socket) => socket.resetAndDestroy()],
])('through a proxy: %s', async (_name, between) => {
  const server = await started(good())
  const proxy: ProxyServer = await started(proxyServer(() => server.port))
  vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${proxy.port}`)
  vi.stubEnv('NO_PROXY', '')
  expect(await askTwice(server, between, 'http://provider.test/v1')).toMatchObject(REOPENED)
  expect(proxy.tunnels).toHaveLength(2)
})

test.each([
  ['Connection: close', { connection: 'close' }],
  ['Keep-Alive: timeout=1, which undici takes for less', { 'keep-alive': 'timeout=1' }],
])('a server that says %s is asked on a new connection', async (_name, headers) => {
  const server = await started(scriptedServer(({ socket }) => socket.write(whole(goodStream, 200, headers))))
  expect(await askTwice(server, () => {})).toMatchObject(REOPENED)
  expect(server.connections).toBe(2)
})

test('a server that says Keep-Alive: timeout=5 is asked on the same one at once', async () => {
  const server = await started(
    scriptedServer(({ socket }) => socket.write(whole(goodStream, 200, { 'keep-alive': 'timeout=5' }))),
  )
  expect(await askTwice(server, () => {})).toMatchObject({ outcome: 'ok', reused: true })
})

/** A middlebox that forgets connections: what is written on them goes nowhere, and nobody says so. */
async function forgetfulProxy(
  port: () => number,
  reset: boolean,
): Promise<{ readonly url: string; forget(): void; close(): void }> {
  const { connect } = await import('node:net')
  const sockets = new Set<Socket>()
  let forgotten: readonly Socket[] = []
  const server: Server = createServer((client) => {
    sockets.add(client)
    client.on('error', () => {})
    const upstream = connect(port(), '127.0.0.1').on('error', () => {})
    sockets.add(upstream)
    upstream.on('data', (data) => client.write(data))
    client.on('data', (data) => {
      if (!forgotten.includes(client)) upstream.write(data)
      else if (reset) setTimeout(() => client.resetAndDestroy(), 20)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    forget: () => {
      forgotten = [...sockets]
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

test('a connection that a middlebox forgot, and resets when it is used, is replaced before anything is charged', async () => {
  const server = await started(good())
  const box = await started(forgetfulProxy(() => server.port, true))
  const sample = await askTwice(server, () => box.forget(), box.url)
  expect(sample).toMatchObject({ outcome: 'ok', reused: false, stale_retries: 1 })
})

test('a connection that a middlebox forgot without a word cannot be told from a provider that is silent', async () => {
  const server = await started(good())
  const box = await started(forgetfulProxy(() => server.port, false))
  const sample = await askTwice(server, () => box.forget(), box.url)
  expect(sample).toMatchObject({ error_kind: 'first_token_timeout', reused: true, stale_retries: 0 })
})
