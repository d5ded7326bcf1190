import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import type { TlsOptions } from 'node:tls'
import { afterAll, afterEach, expect, test } from 'vitest'
import type { TlsFiles } from '../spec/types.ts'
import type { Sample } from '../sample/types.ts'
import { Asker } from './asker.ts'
import { certificate, certificateKey } from './testing/certificate.ts'
import { authority, clientIdentity, serverIdentity } from './testing/certificate.ts'
import { goodStream } from './testing/events.ts'
import { orderTo } from './testing/orders.ts'
import { whole } from './testing/scripted-server.ts'

const dir = mkdtempSync(join(tmpdir(), 'slo identity '))
const pem = (name: string, text: string): string => {
  const path = join(dir, name)
  writeFileSync(path, text)
  return path
}
const ca = pem('ca.pem', authority)
const cert = pem('client.pem', clientIdentity.cert)
const key = pem('client.key', clientIdentity.key)
const signal = new AbortController().signal
let asker = new Asker()
let server: ReturnType<typeof createServer> | undefined
afterEach(() => {
  asker.close()
  asker = new Asker()
  server?.close()
})
afterAll(() => rmSync(dir, { recursive: true }))

const seen: (string | undefined)[] = []

async function serve(options: TlsOptions): Promise<string> {
  seen.length = 0
  server = createServer(options, (socket) => {
    seen.push(socket.getPeerCertificate().subject?.CN?.toString())
    socket.on('error', () => {})
    socket.on('data', () => socket.write(whole(goodStream)))
  })
  await new Promise<void>((resolve) => {
    server?.listen(0, 'localhost', resolve)
  })
  return `https://localhost:${(server.address() as AddressInfo).port}/v1`
}

async function ask(url: string, tls: TlsFiles = {}): Promise<Sample> {
  return await asker.ask(orderTo(url, { tls }), signal)
}

test('a private authority is trusted by the target that names it, and by no other', async () => {
  const url = await serve(serverIdentity)
  expect(await ask(url)).toMatchObject({ error_kind: 'tls' })
  expect(await ask(url, { ca })).toMatchObject({ outcome: 'ok', reused: false })
  expect(await ask(url, { ca })).toMatchObject({ outcome: 'ok', reused: true })
  expect(await ask(url)).toMatchObject({ error_kind: 'tls' })
})

test('a client certificate is shown, and its lack is a failure of the provider', async () => {
  const url = await serve({ ...serverIdentity, ca: authority, requestCert: true, rejectUnauthorized: true })
  expect(await ask(url, { ca, cert, key })).toMatchObject({ outcome: 'ok' })
  expect(seen).toEqual(['client'])
  const without = await ask(url, { ca })
  expect(without.outcome === 'error' && without.error_kind).toMatch(/^(?:tls|reset)$/)
})

test('a certificate that was renewed in place opens a new connection', async () => {
  const url = await serve({
    ...serverIdentity,
    ca: [authority, certificate],
    requestCert: true,
    rejectUnauthorized: true,
  })
  const renewed = { ca, cert: pem('renewed.pem', clientIdentity.cert), key: pem('renewed.key', clientIdentity.key) }
  expect(await ask(url, renewed)).toMatchObject({ outcome: 'ok' })
  pem('renewed.pem', certificate)
  pem('renewed.key', certificateKey)
  expect(await ask(url, renewed)).toMatchObject({ outcome: 'ok', reused: false })
  expect(seen).toEqual(['client', 'localhost'])
})

test.each([
  ['is missing', { ca: '/no/such/ca.pem' }, /tls\.ca cannot be read from \/no\/such\/ca\.pem: ENOENT/],
  ['is no PEM', { cert: ca, key: pem('noise.key', 'noise') }, /certificates of tls cannot be used/],
  ['belongs to another', { cert, key: pem('other.key', certificateKey) }, /certificates of tls cannot be used/],
])('a file that %s is our own mistake', async (_name, tls, message) => {
  await expect(ask('https://localhost:1/v1', tls)).rejects.toThrow(message)
})
