import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import type { RealTarget } from '../spec/types.ts'
import { Asker } from './asker.ts'
import { CredentialCommands } from './credential-command.ts'
import { Secrets } from './secrets.ts'
import { goodStream } from './testing/events.ts'
import { orderTo } from './testing/orders.ts'
import { scriptedServer, whole } from './testing/scripted-server.ts'
import type { ScriptedServer } from './testing/scripted-server.ts'

const signal = new AbortController().signal
const dir = mkdtempSync(join(tmpdir(), 'slo credential '))
const counter = join(dir, 'count')
let server: ScriptedServer | undefined
beforeEach(() => writeFileSync(counter, ''))
afterEach(async () => {
  await server?.close()
  server = undefined
})
afterAll(() => rmSync(dir, { recursive: true }))

/** A program that counts how often it ran, and prints `token-of-run-N`; it fails from run `failFrom` on. */
function auth(everyMs: number, failFrom = 99): { readonly command: readonly string[]; readonly everyMs: number } {
  const script = `const fs = require('node:fs')
fs.appendFileSync(${JSON.stringify(counter)}, 'x')
const run = fs.readFileSync(${JSON.stringify(counter)}).length
if (run >= ${failFrom}) { console.error('the vault is sealed'); process.exit(3) }
console.log('token-of-run-' + run)`
  return { command: [process.execPath, '-e', script], everyMs }
}

function runs(): number {
  return readFileSync(counter).length
}

async function askTwice(target: Partial<RealTarget>, status = 200): Promise<readonly string[]> {
  const scripted = (server = await scriptedServer(({ socket }) =>
    socket.write(status === 200 ? whole(goodStream) : whole('{"error":"no"}', status)),
  ))
  const asker = new Asker()
  for (let i = 0; i < 2; i += 1) await asker.ask(orderTo(scripted.url, target), signal)
  asker.close()
  return scripted.requests.map(({ headers }) => headers['authorization'] ?? '')
}

test('the token is sent as a bearer token, and the command runs once in its time', async () => {
  expect(await askTwice({ auth: auth(60_000) })).toEqual(['Bearer token-of-run-1', 'Bearer token-of-run-1'])
  expect(runs()).toBe(1)
})

test('a token that is too old is renewed before the next request', async () => {
  expect(await askTwice({ auth: auth(0.001) })).toEqual(['Bearer token-of-run-1', 'Bearer token-of-run-2'])
})

test('a token that the provider refuses is renewed, however young', async () => {
  expect(await askTwice({ auth: auth(60_000) }, 401)).toEqual(['Bearer token-of-run-1', 'Bearer token-of-run-2'])
})

test('what the command prints is a secret like any other', async () => {
  const scripted = (server = await scriptedServer(({ socket, headers }) =>
    socket.write(whole(`{"error":"bad key ${headers['authorization']?.slice(7)}"}`, 403)),
  ))
  const asker = new Asker()
  const sample = await asker.ask(orderTo(scripted.url, { auth: auth(60_000) }), signal)
  expect(sample).toMatchObject({ status: 403, error_message: '{"error":"bad key [secret]"}' })
})

test('the time that the command takes is not in the request', async () => {
  const slow = {
    command: [process.execPath, '-e', "setTimeout(() => console.log('token-late'), 400)"],
    everyMs: 60_000,
  }
  const scripted = (server = await scriptedServer(({ socket }) => socket.write(whole(goodStream))))
  const began = performance.now()
  const sample = await new Asker().ask(orderTo(scripted.url, { auth: slow }), signal)
  const elapsed = performance.now() - began
  expect(sample.outcome).toBe('ok')
  const measured = (sample.connect_ms ?? Number.NaN) + (sample.total_ms ?? Number.NaN)
  expect(elapsed - measured).toBeGreaterThanOrEqual(390)
})

test('a stop while the command runs is an aborted sample, and nothing is sent', async () => {
  const controller = new AbortController()
  const scripted = (server = await scriptedServer(() => {}))
  const endless = { command: [process.execPath, '-e', 'setInterval(() => {}, 1000)'], everyMs: 60_000 }
  setTimeout(() => controller.abort(), 50)
  const sample = await new Asker().ask(orderTo(scripted.url, { auth: endless }), controller.signal)
  expect(sample).toMatchObject({ error_kind: 'aborted' })
  expect(scripted.requests).toHaveLength(0)
})

test('a command that fails later leaves the token in use for one more period, then the prober says so', async () => {
  const commands = new CredentialCommands(new Secrets())
  const young = auth(60_000, 2)
  expect(await commands.token(young, signal)).toBe('token-of-run-1')
  commands.refused(young)
  expect(await commands.token(young, signal)).toBe('token-of-run-1')
  const old = { ...young, everyMs: 0.001 }
  await expect(commands.token(old, signal)).rejects.toMatchObject({
    code: 'PROBER_FAILED',
    message: expect.stringContaining('gave no token: exit code 3: the vault is sealed'),
  })
})

test.each([
  ['that is not there', ['/no/such/program'], /gave no token: ENOENT/],
  ['that prints nothing', [process.execPath, '-e', ''], /it printed nothing/],
  ['that prints a page', [process.execPath, '-e', "console.log('two words')"], /more than one word/],
  ['that prints for ever', [process.execPath, '-e', "for (;;) process.stdout.write('x'.repeat(65536))"], /MAXBUFFER/],
])('a command %s is our own mistake, and what it printed is not shown', async (_name, command, message) => {
  const asked = new Asker().ask(orderTo('http://127.0.0.1:1/v1', { auth: { command, everyMs: 1 } }), signal)
  await expect(asked).rejects.toThrow(message)
  await expect(asked).rejects.not.toThrow(/two words|xxx/)
})

test('tokens of long ago are forgotten, so that texts stay quick to read', async () => {
  const secrets = new Secrets()
  const commands = new CredentialCommands(secrets)
  for (let i = 0; i < 6; i += 1) await commands.token(auth(0.001), signal)
  expect(secrets.scrub('token-of-run-1 token-of-run-3 token-of-run-6', 100)).toBe('token-of-run-1 [secret] [secret]')
})
