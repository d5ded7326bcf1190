import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { Asker } from './asker.ts'
import { goodStream } from './testing/events.ts'
import { orderTo } from './testing/orders.ts'
import { whole } from './testing/scripted-server.ts'

test('send_ms ends with the last byte that leaves this process, and upload is part of TTFT', async () => {
  const content = 'x'.repeat(32 * 1024 * 1024)
  const pausedMs = 200
  const server = createServer((socket) => {
    let read = 0
    socket.on('error', () => {})
    socket.on('data', (data: Buffer) => {
      const before = read
      // from the first byte on, which is after t₀, nothing is read for a while
      if (before === 0) {
        socket.pause()
        setTimeout(() => socket.resume(), pausedMs)
      }
      read += data.length
      if (before <= content.length && read > content.length) setTimeout(() => socket.write(whole(goodStream)), 50)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const order = orderTo(url, {}, { messages: [{ role: 'user', content }] })
  const asker = new Asker()
  const sample = await asker.ask(order, new AbortController().signal)
  asker.close()
  server.close()
  expect(sample).toMatchObject({ outcome: 'ok', prompt_bytes: content.length })
  expect(sample.send_ms).toBeGreaterThanOrEqual(pausedMs / 2)
  expect(sample.ttft_ms).toBeGreaterThanOrEqual(sample.send_ms ?? Number.NaN)
})
