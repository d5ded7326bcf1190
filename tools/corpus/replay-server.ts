import type { Buffer } from 'node:buffer'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'

/** What the next request is answered with. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly chunks: readonly Buffer[]
}

export interface ReplayServer {
  readonly url: string
  answer: Answer
  close(): void
}

const coders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
}

/** The body as it was on the wire. */
export function coded(body: Buffer, coding: string | null): Buffer {
  return coding === null ? body : (coders[coding]?.(body) ?? body)
}

/** Chunks that are written at once, before the event loop turns: as many reads at the other end. */
const CHUNKS_A_TURN = 200

/** A server on 127.0.0.1 that answers every request with whatever it was told last, chunk by chunk. */
export async function startReplayServer(): Promise<ReplayServer> {
  const server = createServer((request, response) => {
    request.resume()
    request.once('end', () => {
      const { status, headers, chunks } = replay.answer
      response.writeHead(status, headers)
      void (async () => {
        for (const [index, chunk] of chunks.entries()) {
          response.write(chunk)
          // a pause after each of a few, now and then after one of many
          if (chunks.length < CHUNKS_A_TURN || index % CHUNKS_A_TURN === 0) await new Promise(setImmediate)
        }
        response.end()
      })()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const replay: ReplayServer = {
    url: `http://127.0.0.1:${port}/v1`,
    answer: { status: 200, headers: {}, chunks: [] },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return replay
}
