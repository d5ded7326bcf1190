import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { Asker } from './asker.ts'
import { goodStream } from './testing/events.ts'
import { orderTo, simulatedOrderTo } from './testing/orders.ts'
import { scriptedServer, whole } from './testing/scripted-server.ts'
import type { ScriptedServer } from './testing/scripted-server.ts'

let server: ScriptedServer | undefined
const signal = new AbortController().signal

afterEach(async () => {
  await server?.close()
})

test('a connection is kept and used again, its opening is not in the second sample', async () => {
  const asker = new Asker()
  server = await scriptedServer(({ socket }) => socket.write(whole(goodStream)))
  const first = await asker.ask(orderTo(server.url), signal)
  const second = await asker.ask(orderTo(server.url), signal)
  expect([first.reused, second.reused]).toEqual([false, true])
  expect(second).toMatchObject({ outcome: 'ok', stale_retries: 0 })
  expect(second).not.toHaveProperty('connect_ms')
  expect(server.connections).toBe(1)
})

test('a connection that the server closed in its idleness is reopened before the clock starts', async () => {
  const asker = new Asker()
  const { promise: gone, resolve } = Promise.withResolvers<void>()
  server = await scriptedServer(({ socket }) => {
    socket.once('close', () => resolve())
    socket.write(whole(goodStream), () => socket.end())
  })
  await asker.ask(orderTo(server.url), signal)
  await gone
  const second = await asker.ask(orderTo(server.url), signal)
  expect(second).toMatchObject({ outcome: 'ok', reused: false, stale_retries: 0 })
  expect(second.connect_ms).toBeGreaterThanOrEqual(0)
  expect(server.requests).toHaveLength(2)
})

test.each(['reset', 'close'] as const)(
  'a reused connection that dies of our request (%s) is replaced once',
  async (how) => {
    const asker = new Asker()
    server = await scriptedServer(({ socket, connection, request }) => {
      if (connection === 0 && request === 1) {
        if (how === 'reset') socket.resetAndDestroy()
        else socket.end()
      } else socket.write(whole(goodStream))
    })
    await asker.ask(orderTo(server.url), signal)
    const second = await asker.ask(orderTo(server.url), signal)
    expect(second).toMatchObject({ outcome: 'ok', reused: false, stale_retries: 1 })
    expect(server.requests).toHaveLength(3)
  },
)

test('a second such death is the provider’s, and the run goes on', async () => {
  const asker = new Asker()
  let deadly = false
  server = await scriptedServer(({ socket }) => {
    if (deadly) socket.resetAndDestroy()
    else socket.write(whole(goodStream))
  })
  await asker.ask(orderTo(server.url), signal)
  deadly = true
  const second = await asker.ask(orderTo(server.url), signal)
  expect(second).toMatchObject({ outcome: 'error', error_kind: 'reset', stale_retries: 1 })
  expect(server.requests).toHaveLength(3)
  deadly = false
  expect(await asker.ask(orderTo(server.url), signal)).toMatchObject({ outcome: 'ok', reused: false, stale_retries: 0 })
})

test('a death later than any stale connection takes is a reset at once', async () => {
  const asker = new Asker()
  server = await scriptedServer(({ socket, request }) => {
    if (request === 1) setTimeout(() => socket.resetAndDestroy(), 400)
    else socket.write(whole(goodStream))
  })
  await asker.ask(orderTo(server.url), signal)
  const second = await asker.ask(orderTo(server.url), signal)
  expect(second).toMatchObject({ outcome: 'error', error_kind: 'reset', reused: true, stale_retries: 0 })
})

test('one byte of an answer, and it is no stale connection', async () => {
  const asker = new Asker()
  server = await scriptedServer(({ socket, request }) => {
    if (request === 1) socket.write('H', () => setTimeout(() => socket.resetAndDestroy(), 20))
    else socket.write(whole(goodStream))
  })
  await asker.ask(orderTo(server.url), signal)
  const second = await asker.ask(orderTo(server.url), signal)
  expect(second).toMatchObject({ outcome: 'error', error_kind: 'reset', stale_retries: 0 })
})

test('a failed request on a new connection is never asked again', async () => {
  const asker = new Asker()
  server = await scriptedServer(({ socket }) => socket.resetAndDestroy())
  expect(await asker.ask(orderTo(server.url), signal)).toMatchObject({ error_kind: 'reset', stale_retries: 0 })
  expect(server.requests).toHaveLength(1)
})

test('a simulated target is told what it needs, its times are multiplied back, its lateness flagged', async () => {
  const asker = new Asker()
  const late = goodStream.replace('data: [DONE]', ': slo-sim late_ms=25.5\n\ndata: [DONE]')
  server = await scriptedServer(({ socket }) => setTimeout(() => socket.write(whole(late)), 20))
  const sample = await asker.ask(simulatedOrderTo(server.url, 100), signal)
  expect(server.requests[0]?.headers).toMatchObject({
    'x-slo-cell': 'probe/target/short',
    'x-slo-k': '1',
    'x-slo-profile': 'default',
    'x-slo-time-scale': '100',
    'x-slo-seed': '9',
  })
  expect(server.requests[0]?.headers).not.toHaveProperty('x-slo-warmup')
  expect(sample).toMatchObject({ outcome: 'ok', simulated: 100 })
  expect(sample.ttft_ms).toBeGreaterThanOrEqual(1900)
  expect(sample.flags).toContain('lag')
  expect(sample.client_lag_ms).toBeGreaterThanOrEqual(25.5)
  await asker.ask({ ...simulatedOrderTo(server.url, 100), warmup: true }, signal)
  expect(server.requests[1]?.headers).toMatchObject({ 'x-slo-warmup': '1' })
})

test('timeouts of a simulated target are divided by its time scale', async () => {
  const asker = new Asker()
  server = await scriptedServer(() => {})
  const timeouts = { connect: 5000, firstToken: 6000, stall: 60_000, total: 300_000 }
  const sample = await asker.ask(simulatedOrderTo(server.url, 100, { timeouts }), signal)
  expect(sample).toMatchObject({ error_kind: 'first_token_timeout', error_message: 'no token within 6000 ms' })
  expect(sample.total_ms).toBeGreaterThanOrEqual(5900)
})

test('IPv6: an address in brackets is asked as it is', async () => {
  const asker = new Asker()
  const plain = createServer((_request, response) => response.end(goodStream))
  await new Promise<void>((resolve) => {
    plain.listen(0, '::1', resolve)
  })
  const sample = await asker.ask(orderTo(`http://[::1]:${(plain.address() as AddressInfo).port}/v1`), signal)
  asker.close()
  plain.close()
  expect(sample).toMatchObject({ outcome: 'ok', reused: false })
  expect(sample).not.toHaveProperty('dns_ms')
})
