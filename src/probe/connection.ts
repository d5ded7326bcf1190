import type { Socket } from 'node:net'
import { Client } from 'undici'
import { openSocket, routeKey } from './connection-opening.ts'
import type { OpeningOrder, OpeningTimes } from './connection-opening.ts'
import { passOverContinue } from './interim-answers.ts'

/** An open connection, and the client that speaks on it: one socket each, never a second one. */
export interface Connection {
  /** Of its route. */
  readonly key: string
  readonly socket: Socket
  readonly client: Client
  readonly httpVersion: '1.1' | '2'
  readonly opening: OpeningTimes
  /** To be called before every request on it. */
  readonly begin: () => void
  /** Requests that were sent on it. */
  requests: number
  /** `performance.now()` of the end of the last one. */
  idleSince: number
}

/** The client lost its socket before a request and asked for another one: the caller opens it, before the clock starts. */
export class SocketGone extends Error {
  constructor() {
    super('the idle connection was closed')
  }
}

/** Kept alive for so long, milliseconds, unless the server says less. */
export const KEEP_ALIVE_MS = 600_000

/** @throws OpeningFailed */
export async function openConnection(order: OpeningOrder): Promise<Connection> {
  const { socket, opening } = await openSocket(order)
  const httpVersion = 'alpnProtocol' in socket && socket.alpnProtocol === 'h2' ? '2' : '1.1'
  const begin = httpVersion === '1.1' ? passOverContinue(socket) : (): void => {}
  let handedOver = false
  const client = new Client(order.route.origin, {
    pipelining: 1,
    allowH2: httpVersion === '2',
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 256 * 1024,
    connect: (_options, callback) => {
      const first = !handedOver
      handedOver = true
      // called at once, the request would hang for ever
      queueMicrotask(() => {
        if (first && !socket.destroyed) callback(null, socket)
        else callback(new SocketGone(), null)
      })
    },
  })
  const key = routeKey(order.route)
  return { key, socket, client, httpVersion, opening, begin, requests: 0, idleSince: performance.now() }
}
