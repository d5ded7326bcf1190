import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** An HTTP proxy for tests. */
export interface ProxyServer {
  readonly port: number
  /** Every CONNECT that came. */
  readonly tunnels: { readonly host: string; readonly authorization: string | undefined }[]
  close(): Promise<void>
}

/** @param answer - where a tunnel leads on 127.0.0.1; a status line in place of one; `null`: no answer at all */
export async function proxyServer(answer: (request: IncomingMessage) => number | string | null): Promise<ProxyServer> {
  const tunnels: ProxyServer['tunnels'] = []
  const sockets = new Set<Socket>()
  const server = createServer((_request, response) => response.writeHead(500).end())
  server.on('connection', (socket) => sockets.add(socket))
  server.on('connect', (request, socket) => {
    socket.on('error', () => {})
    tunnels.push({ host: request.url ?? '', authorization: request.headers['proxy-authorization'] })
    const to = answer(request)
    if (to === null) return
    if (typeof to === 'string') {
      socket.end(`HTTP/1.1 ${to}\r\ncontent-length: 0\r\n\r\n`)
      return
    }
    const upstream = connect(to, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.pipe(socket)
      socket.pipe(upstream)
    })
    sockets.add(upstream)
    upstream.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    tunnels,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
    },
  }
}
