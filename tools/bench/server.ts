import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** A server in its own process: streams as told by `x-bench-*` headers, and tells its parent when it read and wrote what. */

/** Stamps of one answered request: nanoseconds of `process.hrtime.bigint()` as decimal text. */
export interface ServerStamps {
  readonly id: string
  /** All of the request was read. */
  readonly readAt: string
  /** After the write of each token event had returned. */
  readonly tokens: readonly string[]
}

export type FromServer = { readonly type: 'port'; readonly port: number } | ({ readonly type: 'stamps' } & ServerStamps)

const EVENT = {
  id: 'chatcmpl-bench',
  object: 'chat.completion.chunk',
  created: 1_764_547_200,
  model: 'bench',
  choices: [{ index: 0, delta: { content: ' word' }, finish_reason: null as string | null }],
}
const TOKEN = piece(`data: ${JSON.stringify(EVENT)}\n\n`)
const TAIL = Buffer.concat([
  piece(`data: ${JSON.stringify({ ...EVENT, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`),
  piece('data: [DONE]\n\n'),
  Buffer.from('0\r\n\r\n'),
])
const HEAD = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n',
)

function piece(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
}

function post(message: FromServer): void {
  process.send?.(message)
}

function stream(socket: Socket, head: string, readAt: bigint): void {
  const header = (name: string): string => new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1]?.trim() ?? ''
  const firstMs = Number(header('x-bench-first-ms') || 3)
  const gapMs = Number(header('x-bench-gap-ms') || 1)
  const count = Number(header('x-bench-tokens') || 20)
  const tokens: string[] = []
  socket.write(HEAD)
  const next = (): void => {
    if (socket.destroyed) return
    socket.write(TOKEN)
    tokens.push(String(process.hrtime.bigint()))
    if (tokens.length < count) {
      setTimeout(next, gapMs)
      return
    }
    socket.write(TAIL)
    post({ type: 'stamps', id: header('x-bench-id'), readAt: String(readAt), tokens })
  }
  setTimeout(next, firstMs)
}

const server = createServer({ noDelay: true }, (socket) => {
  let pending: Buffer = Buffer.alloc(0)
  socket.on('error', () => {})
  socket.on('data', (data: Buffer) => {
    const readAt = process.hrtime.bigint()
    pending = pending.length === 0 ? data : Buffer.concat([pending, data])
    const end = pending.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = pending.subarray(0, end).toString('latin1')
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
    if (pending.length < end + 4 + length) return
    pending = pending.subarray(end + 4 + length)
    stream(socket, head, readAt)
  })
})
server.listen(0, '127.0.0.1', () => post({ type: 'port', port: (server.address() as AddressInfo).port }))
process.once('disconnect', () => process.exit(0))
