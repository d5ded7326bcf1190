import { Buffer } from 'node:buffer'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sample } from '../sample/types.ts'
import { Asker } from './asker.ts'
import { goodStream } from './testing/events.ts'
import { orderTo } from './testing/orders.ts'
import { CHUNKED, LAST_CHUNK, httpChunk, scriptedServer, streamHead } from './testing/scripted-server.ts'
import type { ScriptedServer } from './testing/scripted-server.ts'

const asker = new Asker()
let server: ScriptedServer
let writes: readonly Buffer[] = []

beforeAll(async () => {
  server = await scriptedServer(({ socket }) => {
    const [first, ...more] = writes
    let at = 0
    const next = (): void => {
      const bytes = more[at]
      at += 1
      if (bytes === undefined) socket.end()
      else socket.write(bytes, () => setImmediate(next))
    }
    socket.write(first ?? Buffer.alloc(0), () => setImmediate(next))
  })
})
afterAll(async () => {
  await server.close()
})

async function ask(bytes: readonly Buffer[]): Promise<Sample> {
  writes = bytes
  return await asker.ask(orderTo(server.url), new AbortController().signal)
}

/** What does not depend on when things came. */
function timeless(sample: Sample): object {
  const changing = /_ms$|^started_at$|^flags$|_tps$|^reused$/
  return Object.fromEntries(Object.entries(sample).filter(([name]) => !changing.test(name)))
}

function pieces(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b)
  return [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length))
}

test('whatever the packets and HTTP chunks of a stream, the sample is the same', async () => {
  const bytes = Buffer.from(goodStream)
  const expected = timeless(await ask([Buffer.from(streamHead()), bytes]))
  expect(expected).toMatchObject({ outcome: 'ok', token_events: 4 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(bytes.length * 2), { maxLength: 20 }),
      fc.array(fc.nat(bytes.length * 2), { maxLength: 20 }),
      async (chunkCuts, packetCuts) => {
        const chunks = pieces(bytes, chunkCuts).filter((piece) => piece.length > 0)
        const body = Buffer.concat([
          Buffer.from(streamHead(CHUNKED)),
          ...chunks.map(httpChunk),
          Buffer.from(LAST_CHUNK),
        ])
        expect(timeless(await ask(pieces(body, packetCuts)))).toEqual(expected)
      },
    ),
    { numRuns: 60 },
  )
})

test.each([
  ['instead of HTTP', ''],
  ['as a body', streamHead()],
  ['as a chunked body', streamHead(CHUNKED)],
  ['after a gzip header', streamHead({ connection: 'close', 'content-encoding': 'gzip' })],
  ['after a good stream', streamHead() + goodStream.slice(0, -20)],
])('any bytes %s give one sample', async (_name, before) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 4 }), async (noise) => {
      const sample = await ask([Buffer.from(before), ...noise.map((bytes) => Buffer.from(bytes))])
      expect(['ok', 'error']).toContain(sample.outcome)
      expect(sample.total_ms).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: 60 },
  )
})
