import { createServer as createTlsServer } from 'node:tls'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { Asker } from './asker.ts'
import { checkProxy, proxyFor } from './connection-proxy.ts'
import { Secrets } from './secrets.ts'
import { authority, serverIdentity } from './testing/certificate.ts'
import { goodStream } from './testing/events.ts'
import { orderTo, simulatedOrderTo } from './testing/orders.ts'
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

function straight(origin: string, noProxy: string): boolean {
  return proxyFor(origin, { HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: noProxy }, new Secrets()) === null
}

test.each([
  ['https://inference.example', 'inference.example'],
  ['https://a.inference.example', 'inference.example'],
  ['https://a.inference.example', '.inference.example'],
  ['https://a.inference.example', '*.inference.example'],
  ['https://Inference.Example', 'other, INFERENCE.example'],
  ['https://inference.example:8443', 'inference.example:8443'],
  ['https://10.1.2.3', '10.0.0.0/8'],
  ['https://10.1.2.3', '10.1.2.3'],
  ['https://[::1]', '::1'],
  ['https://[fd00::7]', 'fd00::/8'],
  ['https://anything.example', '*'],
])('%s is exempt by NO_PROXY=%s', (origin, noProxy) => {
  expect(straight(origin, noProxy)).toBe(true)
})

test.each([
  ['https://notinference.example', 'inference.example'],
  ['https://inference.example', 'inference.example:8443'],
  ['https://inference.example.org', 'inference.example'],
  ['https://11.1.2.3', '10.0.0.0/8'],
  ['https://inference.example', '10.0.0.0/8'],
  ['https://inference.example', ''],
  ['https://inference.example', ', ,'],
])('%s is not exempt by NO_PROXY=%s', (origin, noProxy) => {
  expect(straight(origin, noProxy)).toBe(false)
})

test('each scheme has its variable, lower case wins, a scheme and a port are not needed', () => {
  const variables = {
    HTTPS_PROXY: 'http://upper.example',
    https_proxy: 'secure.example',
    HTTP_PROXY: 'https://plain.example',
  }
  expect(proxyFor('https://a.example', variables, new Secrets())).toEqual({
    hostname: 'secure.example',
    port: '80',
    secure: false,
    authorization: null,
  })
  expect(proxyFor('http://a.example', variables, new Secrets())).toMatchObject({
    hostname: 'plain.example',
    port: '443',
    secure: true,
  })
  expect(proxyFor('http://a.example', { HTTPS_PROXY: 'http://a.example' }, new Secrets())).toBeNull()
})

test.each([
  ['htp:/x', '"htp:/x"'],
  ['http:/proxy.example:3128', '"http:/proxy.example:3128"'],
  [
    'socks5://user:word@proxy.example:1080',
    '"socks5://***@proxy.example:1080", no URL of an HTTP proxy: SOCKS is not spoken',
  ],
  ['socks5h://proxy.example', 'SOCKS is not spoken'],
  ['ftp://proxy.example', '"ftp://proxy.example"'],
  ['http://', '"http://"'],
  ['http://:3128', '"http://:3128"'],
  ['http://proxy.example:99999', '"http://proxy.example:99999"'],
  ['http://proxy.example:0', '"http://proxy.example:0"'],
  ['http://proxy.example:31a8', '"http://proxy.example:31a8"'],
  ['http://user:word@', '"http://***@"'],
  ['user:w@rd@proxy.example:', '"***@proxy.example:"'],
  ['http://user:wo/rd@proxy.example:x', '"http://***@proxy.example:x"'],
  ['http://proxy.example:3128/proxy.pac', '"http://proxy.example:3128/proxy.pac"'],
  ['a space', '"a space"'],
])('HTTPS_PROXY=%s is refused, and its credentials are not shown', (value, shown) => {
  const check = (): void => checkProxy('https://a.example/v1', { HTTPS_PROXY: value })
  expect(check).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', hint: expect.stringContaining('http://') }))
  expect(check).toThrow('HTTPS_PROXY is ')
  expect(check).toThrow(shown)
  expect(check).not.toThrow(/word|rd@/)
  expect(() => checkProxy('https://a.example/v1', { HTTPS_PROXY: value, NO_PROXY: 'a.example' })).not.toThrow()
  expect(() => checkProxy('https://a.example/v1', { HTTPS_PROXY: '', HTTP_PROXY: value })).not.toThrow()
})

test.each([
  'proxy.example',
  'http://proxy.example/',
  'HTTPS://[::1]:3128',
  'user:pa%40ss@10.0.0.1:8080',
  'localhost:1',
])('HTTPS_PROXY=%s is taken', (value) => {
  expect(proxyFor('https://a.example', { HTTPS_PROXY: value }, new Secrets())).not.toBeNull()
})

test('the credentials of a proxy are secrets', () => {
  const secrets = new Secrets()
  const proxy = proxyFor('https://a.example', { HTTPS_PROXY: 'http://user:odd%2Fword@proxy.example:3128' }, secrets)
  expect(proxy?.authorization).toBe(`Basic ${Buffer.from('user:odd/word').toString('base64')}`)
  for (const text of ['odd/word', 'odd%2Fword', proxy?.authorization ?? ''])
    expect(secrets.scrub(`said ${text}`, 100)).not.toContain(text)
})

async function started<Server extends { close(): unknown }>(server: Promise<Server>): Promise<Server> {
  const made = await server
  closing.push(made)
  return made
}

async function target(): Promise<ScriptedServer> {
  return await started(scriptedServer(({ socket }) => socket.write(whole(goodStream))))
}

function through(proxy: ProxyServer, credentials = ''): void {
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY']) vi.stubEnv(name, `http://${credentials}127.0.0.1:${proxy.port}`)
  vi.stubEnv('NO_PROXY', '')
}

test('a request goes through the tunnel, which stands before the clock starts, and the next one reuses it', async () => {
  const server = await target()
  const proxy = await started(proxyServer(() => server.port))
  through(proxy, 'user:pass-word@')
  const asker = new Asker()
  closing.push(asker)
  const order = orderTo('http://provider.test/v1')
  const first = await asker.ask(order, signal)
  expect(first).toMatchObject({ outcome: 'ok', reused: false, token_events: 4 })
  expect(first.tcp_ms).toBeGreaterThan(0)
  expect(await asker.ask(order, signal)).toMatchObject({ outcome: 'ok', reused: true })
  const authorization = `Basic ${Buffer.from('user:pass-word').toString('base64')}`
  expect(proxy.tunnels).toEqual([{ host: 'provider.test:80', authorization }])
  expect(server.requests[0]?.headers).not.toHaveProperty('proxy-authorization')
  expect(server.requests[0]?.headers['host']).toBe('provider.test')
})

test('TLS goes through the tunnel end to end, with its session resumed', async () => {
  const resumed: boolean[] = []
  const server = createTlsServer(serverIdentity, (socket) => {
    resumed.push(socket.isSessionReused())
    socket.on('error', () => {})
    socket.on('data', () => socket.write(whole(goodStream), () => socket.end()))
  })
  closing.push(server)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const proxy = await started(proxyServer(() => (server.address() as AddressInfo).port))
  through(proxy)
  vi.stubEnv('PRIVATE_CA', authority)
  const asker = new Asker()
  closing.push(asker)
  const order = orderTo('https://provider.test/v1', { tls: { ca: { env: 'PRIVATE_CA' } } })
  const first = await asker.ask(order, signal)
  expect(first).toMatchObject({ outcome: 'ok', http_version: '1.1' })
  expect(first.tls_ms).toBeGreaterThan(0)
  expect(await asker.ask(order, signal)).toMatchObject({ outcome: 'ok', reused: false })
  expect(resumed).toEqual([false, true])
  expect(proxy.tunnels.map(({ host }) => host)).toEqual(['provider.test:443', 'provider.test:443'])
})

test('NO_PROXY is heeded, and the simulator is never asked through a proxy', async () => {
  const server = await target()
  const proxy = await started(proxyServer(() => server.port))
  through(proxy)
  const asker = new Asker()
  closing.push(asker)
  expect(await asker.ask(simulatedOrderTo(server.url, 100), signal)).toMatchObject({ outcome: 'ok' })
  vi.stubEnv('NO_PROXY', '127.0.0.1')
  expect(await asker.ask(orderTo(server.url), signal)).toMatchObject({ outcome: 'ok' })
  expect(proxy.tunnels).toEqual([])
})

test.each([
  ['407 Proxy Authentication Required', /^the proxy answered CONNECT with 407 Proxy Authentication Required$/],
  ['502 Bad Gateway', /CONNECT with 502 Bad Gateway$/],
])('a proxy that says %s is a failure to connect', async (status, message) => {
  const proxy = await started(proxyServer(() => status))
  through(proxy, 'user:pass-word@')
  const sample = await new Asker().ask(orderTo('http://provider.test/v1'), signal)
  expect(sample).toMatchObject({ outcome: 'error', error_kind: 'connect' })
  expect(sample.outcome === 'error' && sample.error_message).toMatch(message)
  expect(sample.connect_ms).toBeGreaterThan(0)
  expect(sample).not.toHaveProperty('total_ms')
})

test('a proxy that is not there, or does not answer, is told apart from the provider', async () => {
  const proxy = await started(proxyServer(() => null))
  through(proxy)
  const asker = new Asker()
  const timeouts = { connect: 100, firstToken: 5000, stall: 5000, total: 5000 }
  expect(await asker.ask(orderTo('http://provider.test/v1', { timeouts }), signal)).toMatchObject({
    error_kind: 'connect_timeout',
    error_message: 'no tunnel through the proxy within 100 ms',
  })
  await proxy.close()
  expect(await asker.ask(orderTo('http://provider.test/v1'), signal)).toMatchObject({
    error_kind: 'connect',
    error_message: expect.stringMatching(/^proxy: .*ECONNREFUSED/),
  })
})

test('the credentials of a proxy stand in no sample', async () => {
  const proxy = await started(proxyServer(({ headers }) => `403 Not for ${headers['proxy-authorization'] ?? ''}`))
  through(proxy, 'user:pass-word@')
  const sample = JSON.stringify(await new Asker().ask(orderTo('http://provider.test/v1'), signal))
  expect(sample).toContain('CONNECT with 403 Not for')
  expect(sample).not.toContain(Buffer.from('user:pass-word').toString('base64'))
})
