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
import type { TargetProblem } from './types.ts'
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

/** A program that counts how often it ran, and prints `token-of-run-N`; it fails from run `failFrom` on, and is well again later. */
function auth(
  everyMs: number,
  failFrom = 99,
  wellFrom = 99,
): { readonly command: readonly string[]; readonly everyMs: number } {
  const script = `const fs = require('node:fs')
fs.appendFileSync(${JSON.stringify(counter)}, 'x')
const run = fs.readFileSync(${JSON.stringify(counter)}).length
if (run >= ${failFrom} && run < ${wellFrom}) { console.error('the vault is sealed'); process.exit(3) }
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

/** A clock that stands still but for what it is asked to sleep, which it notes. */
class NotedClock {
  time = 0
  readonly slept: number[] = []

  now(): number {
    return this.time
  }

  async sleep(ms: number): Promise<void> {
    this.slept.push(ms)
    this.time += ms
    await Promise.resolve()
  }
}

const HALF_HOUR = 1_800_000

test('a command that fails later leaves the token in use for one more period', async () => {
  const clock = new NotedClock()
  const commands = new CredentialCommands(new Secrets(), { clock })
  const failing = auth(HALF_HOUR, 2)
  expect(await commands.token(failing, signal)).toBe('token-of-run-1')
  clock.time = 2 * HALF_HOUR - 1
  expect(await commands.token(failing, signal)).toBe('token-of-run-1')
  expect(runs()).toBe(2)
  expect(clock.slept).toEqual([])
})

test('then it is tried again for two minutes, and a token that comes meanwhile is used', async () => {
  const clock = new NotedClock()
  const commands = new CredentialCommands(new Secrets(), { clock })
  const failing = auth(HALF_HOUR, 2, 4)
  expect(await commands.token(failing, signal)).toBe('token-of-run-1')
  clock.time = 2 * HALF_HOUR
  expect(await commands.token(failing, signal)).toBe('token-of-run-4')
  expect(clock.slept).toEqual([1000, 4000])
})

test('a token that was refused is not sent again while its command fails', async () => {
  const clock = new NotedClock()
  const commands = new CredentialCommands(new Secrets(), { clock })
  const failing = auth(HALF_HOUR, 2, 3)
  expect(await commands.token(failing, signal)).toBe('token-of-run-1')
  commands.refused(failing)
  expect(await commands.token(failing, signal)).toBe('token-of-run-3')
  expect(clock.slept).toEqual([1000])
})

test.each([
  ['two minutes', HALF_HOUR, 120_000],
  ['one period where that is shorter', 6000, 6000],
])('where none comes in %s the reason is told', async (_name, everyMs, patienceMs) => {
  const clock = new NotedClock()
  const commands = new CredentialCommands(new Secrets(), { clock })
  const failing = auth(everyMs, 2)
  await commands.token(failing, signal)
  commands.refused(failing)
  await expect(commands.token(failing, signal)).rejects.toMatchObject({
    code: 'CREDENTIAL_FAILED',
    message: expect.stringContaining('gave no token: exit code 3: the vault is sealed'),
  })
  expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(patienceMs, 6)
  expect(runs()).toBe(7)
})

test('a stop ends the waiting', async () => {
  const controller = new AbortController()
  const commands = new CredentialCommands(new Secrets())
  const old = auth(HALF_HOUR, 2)
  await commands.token(old, signal)
  commands.refused(old)
  setTimeout(() => controller.abort(new Error('stopped')), 300)
  await expect(commands.token(old, controller.signal)).rejects.toThrow()
  expect(runs()).toBeLessThanOrEqual(2)
})

test.each([
  [
    'that is not there',
    ['/no/such/program'],
    /"\/no\/such\/program" gave no token: there is no such program \(ENOENT\)/,
  ],
  ['that may not be run', [counter], /the program may not be run \(EACCES\)/],
  ['that prints nothing', [process.execPath, '-e', ''], /it printed nothing/],
  ['that prints a page', [process.execPath, '-e', "console.log('two words')"], /more than one word/],
  [
    'that prints for ever',
    [process.execPath, '-e', "for (;;) process.stdout.write('x'.repeat(65536))"],
    /more than 64 KiB/,
  ],
  ['that kills itself', [process.execPath, '-e', "process.kill(process.pid, 'SIGTERM')"], /ended by SIGTERM/],
  [
    'that says its token on stderr',
    [process.execPath, '-e', "console.log('two words'); console.error('for two words'); process.exit(4)"],
    /exit code 4: for two \[secret\]/,
  ],
])('a command %s is our own mistake at once, and what it printed is not shown', async (_name, command, message) => {
  const clock = new NotedClock()
  const asked = new CredentialCommands(new Secrets(), { clock }).token({ command, everyMs: 1 }, signal)
  await expect(asked).rejects.toThrow(message)
  await expect(asked).rejects.not.toThrow(/words|xxx/)
  expect(clock.slept).toEqual([])
})

test('a command that hangs is ended, and one that asks gets no answer', async () => {
  const commands = new CredentialCommands(new Secrets(), { limitMs: 500 })
  const hangs = { command: [process.execPath, '-e', 'setInterval(() => {}, 1000)'], everyMs: 1 }
  await expect(commands.token(hangs, signal)).rejects.toThrow('not done within 0.5 s')
  const asks = {
    command: [process.execPath, '-e', "process.stdin.on('end', () => process.exit(5)).resume()"],
    everyMs: 1,
  }
  await expect(new CredentialCommands(new Secrets()).token(asks, signal)).rejects.toThrow('exit code 5')
})

test('what a command says of the secrets in its environment is not shown', async () => {
  process.env['COMMAND_TEST_TOKEN'] = 'vault-marked-77'
  const says = [process.execPath, '-e', "console.error('denied: ' + process.env.COMMAND_TEST_TOKEN); process.exit(1)"]
  const asked = new CredentialCommands(new Secrets()).token({ command: says, everyMs: 1 }, signal)
  await expect(asked).rejects.toThrow('exit code 1: denied: [secret]')
  delete process.env['COMMAND_TEST_TOKEN']
})

test('a target is inspected without a request, and its token is kept for the first one', async () => {
  const scripted = (server = await scriptedServer(({ socket }) => socket.write(whole(goodStream))))
  const asker = new Asker()
  const order = orderTo(scripted.url, { auth: auth(60_000) })
  const { target } = order
  if (target.kind !== 'real') throw new Error('a real target')
  const inspect = async (change: Partial<RealTarget>): Promise<readonly TargetProblem[]> =>
    await asker.inspect([{ name: 'p/t', target: { ...target, ...change }, baseUrl: scripted.url }], signal)
  expect(await inspect({})).toEqual([])
  expect(scripted.requests).toHaveLength(0)
  await asker.ask(order, signal)
  expect(runs()).toBe(1)
  const broken = { auth: { command: ['/no/such'], everyMs: 1 }, tls: { ca: counter, cert: counter, key: counter } }
  expect(await inspect({ ...broken, protocol: 'file:///no/such/protocol.mjs' })).toEqual([
    { neededBy: 'p/t', message: expect.stringContaining('protocol.mjs cannot be loaded'), hint: expect.any(String) },
    { neededBy: 'p/t', message: expect.stringContaining('no such program'), hint: expect.any(String) },
    { neededBy: 'p/t', message: expect.stringContaining('certificates of tls'), hint: expect.any(String) },
  ])
})

test('tokens of long ago are forgotten, so that texts stay quick to read', async () => {
  const secrets = new Secrets()
  const commands = new CredentialCommands(secrets)
  for (let i = 0; i < 6; i += 1) await commands.token(auth(0.001), signal)
  expect(secrets.scrub('token-of-run-1 token-of-run-3 token-of-run-6', 100)).toBe('token-of-run-1 [secret] [secret]')
})
