import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'

/** A way in, at a port of its own, for what goes wrong before a request can ask for a fault. */
export type DoorOrder =
  /** The provider over TLS, with this certificate; HTTP/2 for clients that want it. */
  | { readonly kind: 'tls'; readonly cert: string; readonly key: string }
  /** Connections are taken, and nothing is ever said. */
  | { readonly kind: 'silent' }
  /** Connections are taken, and closed at the first byte. */
  | { readonly kind: 'hang-up' }
  /** Nobody listens. */
  | { readonly kind: 'closed' }

/** Something that listens. */
export interface OpenDoor {
  readonly port: number
  close(): void
}

/** A connection's two ports: what a request shows of it, whatever it is wrapped in. */
export function connectionKey({ localPort, remotePort }: Pick<Socket, 'localPort' | 'remotePort'>): string {
  return `${localPort} ${remotePort}`
}

/** Opens the door of a provider. @param connections - is kept: those that are open, by {@link connectionKey} */
export async function openServer(server: Server, connections: Map<string, Socket>, port = 0): Promise<OpenDoor> {
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    const key = connectionKey(socket)
    connections.set(key, socket)
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      if (connections.get(key) === socket) connections.delete(key)
    })
  })
  // a reset is one of the things that happen here
  server.on('clientError', (_error: Error, socket: Socket) => socket.destroy())
  server.on('sessionError', () => {})
  await listen(server, port)
  return doorOf(server, open)
}

/** Opens a door behind which there is no provider. */
export async function openDoor(kind: Exclude<DoorOrder['kind'], 'tls'>): Promise<OpenDoor> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {}).once('close', () => open.delete(socket))
    if (kind === 'hang-up') socket.once('data', () => socket.end())
    else socket.resume()
  })
  await listen(server, 0)
  const door = doorOf(server, open)
  if (kind === 'closed') door.close()
  return door
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
}

function doorOf(server: Server, open: ReadonlySet<Socket>): OpenDoor {
  const { port } = server.address() as AddressInfo
  const close = (): void => {
    server.close()
    for (const socket of open) socket.destroy()
  }
  return { port, close }
}
