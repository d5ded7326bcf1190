import { Buffer } from 'node:buffer'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** One request as it came, and the socket to answer on with any bytes. */
export interface Incoming {
  /** Counts from 0 over all connections. */
  readonly connection: number
  /** Counts from 0 on this connection. */
  readonly request: number
  readonly requestLine: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly socket: Socket
}

export interface ScriptedServer {
  /** Base URL, with a path. */
  readonly url: string
  readonly port: number
  readonly requests: Incoming[]
  connections: number
  close(): Promise<void>
}

/** A server that reads whole requests and answers nothing by itself. */
export async function scriptedServer(answer: (incoming: Incoming) => void): Promise<ScriptedServer> {
  const sockets = new Set<Socket>()
  const requests: Incoming[] = []
  const server = createServer({ noDelay: true }, (socket) => {
    const connection = scripted.connections
    scripted.connections += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    let pending: Buffer = Buffer.alloc(0)
    let request = 0
    socket.on('data', (data: Buffer) => {
      pending = Buffer.concat([pending, data])
      for (;;) {
        const end = pending.indexOf('\r\n\r\n')
        if (end < 0) return
        const [requestLine = '', ...lines] = pending.subarray(0, end).toString('latin1').split('\r\n')
        const headers = Object.fromEntries(
          lines.map((line) => [
            line.slice(0, line.indexOf(':')).toLowerCase(),
            line.slice(line.indexOf(':') + 1).trim(),
          ]),
        )
        const length = Number(headers['content-length'] ?? 0)
        if (pending.length < end + 4 + length) return
        const body = pending.subarray(end + 4, end + 4 + length).toString('utf8')
        pending = pending.subarray(end + 4 + length)
        const incoming: Incoming = { connection, request, requestLine, headers, body, socket }
        request += 1
        requests.push(incoming)
        answer(incoming)
      }
    })
  })
  const scripted: ScriptedServer = {
    url: '',
    port: 0,
    requests,
    connections: 0,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
    },
  }
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return Object.assign(scripted, { port, url: `http://127.0.0.1:${port}/v1` })
}

/** Status line and headers, with the blank line. */
export function head(status: number, headers: Readonly<Record<string, string | number>> = {}): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} X\r\n${lines.join('')}\r\n`
}

/** Headers of a stream whose end is the connection's end, or that comes in HTTP chunks. */
export function streamHead(headers: Readonly<Record<string, string | number>> = { connection: 'close' }): string {
  return head(200, { 'content-type': 'text/event-stream', ...headers })
}

/** One piece of a chunked body. */
export function httpChunk(data: string | Buffer): Buffer {
  const bytes = Buffer.from(data as string)
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
}

export const CHUNKED = { 'transfer-encoding': 'chunked' }
export const LAST_CHUNK = '0\r\n\r\n'

/** A whole answer with its length, so that the connection stays open. */
export function whole(body: string | Buffer, status = 200, headers: Readonly<Record<string, string>> = {}): Buffer {
  const bytes = Buffer.from(body as string)
  const contentType = status === 200 ? 'text/event-stream' : 'application/json'
  return Buffer.concat([
    Buffer.from(head(status, { 'content-type': contentType, 'content-length': bytes.length, ...headers })),
    bytes,
  ])
}
