import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProber } from './index.ts'
import { delta, goodStream } from './testing/events.ts'
import { orderTo } from './testing/orders.ts'
import { CHUNKED, httpChunk, scriptedServer, streamHead, whole } from './testing/scripted-server.ts'

let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'prober entry '))
})
afterAll(async () => {
  await rm(dir, { recursive: true })
})

test('the thread asks, reads its secrets from this environment, and closes', async () => {
  const server = await scriptedServer(({ socket }) => socket.write(whole(goodStream)))
  const prober = startProber()
  await prober.ready
  process.env['START_TEST_KEY'] = 'key-set-after-the-start'
  const orders = [0, 1, 2].map((seq) => {
    const order = orderTo(server.url, { apiKeyEnv: 'START_TEST_KEY' })
    return { ...order, slot: { ...order.slot, seq } }
  })
  const samples = await Promise.all(orders.map((order) => prober.ask(order)))
  expect(samples.map(({ seq, outcome, reused }) => ({ seq, outcome, reused }))).toEqual([
    { seq: 0, outcome: 'ok', reused: false },
    { seq: 1, outcome: 'ok', reused: true },
    { seq: 2, outcome: 'ok', reused: true },
  ])
  expect(server.requests[0]?.headers['authorization']).toBe('Bearer key-set-after-the-start')
  await prober.close()
  await prober.close()
  await expect(prober.ask(orderTo(server.url))).rejects.toMatchObject({ code: 'PROBER_FAILED' })
  delete process.env['START_TEST_KEY']
  await server.close()
})

test('abort cuts the request in flight and nothing else', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const server = await scriptedServer(({ socket, connection }) => {
    if (connection > 0) socket.write(whole(goodStream))
    else socket.write(`${streamHead(CHUNKED)}${httpChunk(delta({ content: 'a' })).toString()}`, () => resolve())
  })
  const prober = startProber()
  prober.abort()
  const first = prober.ask(orderTo(server.url))
  await asked
  prober.abort()
  expect(await first).toMatchObject({ outcome: 'error', error_kind: 'aborted' })
  expect(await prober.ask(orderTo(server.url))).toMatchObject({ outcome: 'ok' })
  await prober.close()
  await server.close()
})

test('closing cuts the request in flight, and its sample still comes', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const server = await scriptedServer(() => resolve())
  const prober = startProber()
  const sample = prober.ask(orderTo(server.url))
  await asked
  await prober.close()
  expect(await sample).toMatchObject({ outcome: 'error', error_kind: 'aborted' })
  await server.close()
})

test('a mistake of ours rejects, and the prober goes on', async () => {
  const server = await scriptedServer(({ socket }) => socket.write(whole(goodStream)))
  const prober = startProber()
  await expect(prober.ask(orderTo(server.url, { apiKeyEnv: 'START_TEST_UNSET' }))).rejects.toMatchObject({
    code: 'PROBER_FAILED',
    message: expect.stringContaining('START_TEST_UNSET') as string,
  })
  await expect(prober.ask(orderTo(server.url, { headers: { 'x-bad': 'a\nb' } }))).rejects.toMatchObject({
    code: 'PROBER_FAILED',
  })
  expect(await prober.ask(orderTo(server.url))).toMatchObject({ outcome: 'ok' })
  await prober.close()
  await server.close()
})

test('targets are inspected in the thread, and a command without a token keeps its code', async () => {
  const prober = startProber()
  const order = orderTo('http://127.0.0.1:1/v1', { auth: { command: ['/no/such/program'], everyMs: 1000 } })
  if (order.target.kind !== 'real') throw new Error('a real target')
  const said = { message: expect.stringContaining('no such program') as string, hint: expect.any(String) as string }
  const { target, baseUrl } = order
  expect(await prober.inspect([{ name: 'p/t', target, baseUrl }])).toEqual([{ neededBy: 'p/t', ...said }])
  await expect(prober.ask(order)).rejects.toMatchObject({ code: 'CREDENTIAL_FAILED', ...said })
  const hangs = { command: [process.execPath, '-e', 'setInterval(() => {}, 1000)'], everyMs: 1000 }
  const inspected = prober.inspect([{ name: 'p/t', target: { ...target, auth: hangs }, baseUrl }])
  setTimeout(() => prober.abort(), 100)
  expect(await inspected).toEqual([])
  await prober.close()
})

test.each([
  [
    'throws',
    `import { parentPort } from 'node:worker_threads'
    parentPort.postMessage({ type: 'ready' })
    parentPort.on('message', () => { throw new Error('broken') })`,
  ],
  [
    'exits',
    `import { parentPort } from 'node:worker_threads'
    parentPort.postMessage({ type: 'ready' })
    parentPort.on('message', () => process.exit(3))`,
  ],
])('a thread that %s rejects what waits and what comes later', async (name, code) => {
  const entry = join(dir, `${name}.mjs`)
  await writeFile(entry, code)
  const prober = startProber({ entry: pathToFileURL(entry) })
  await prober.ready
  const waiting = [prober.ask(orderTo('http://127.0.0.1:1')), prober.ask(orderTo('http://127.0.0.1:1'))]
  for (const each of waiting) await expect(each).rejects.toMatchObject({ code: 'PROBER_FAILED' })
  await expect(prober.ask(orderTo('http://127.0.0.1:1'))).rejects.toMatchObject({ code: 'PROBER_FAILED' })
  await prober.close()
})

test('a thread that does not even start rejects ready', async () => {
  const prober = startProber({ entry: pathToFileURL(join(dir, 'missing.mjs')) })
  await expect(prober.ready).rejects.toMatchObject({ code: 'PROBER_FAILED' })
  await expect(prober.ask(orderTo('http://127.0.0.1:1'))).rejects.toMatchObject({ code: 'PROBER_FAILED' })
  await prober.close()
})
