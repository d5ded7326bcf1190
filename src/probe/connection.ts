import type { Socket } from 'node:net'
import { Client, buildConnector } from 'undici'
import type { ErrorKind } from '../sample/types.ts'

/** How long opening took, by phase, milliseconds; absent where a phase did not happen. */
export interface OpeningTimes {
  readonly dnsMs?: number
  readonly tcpMs?: number
  readonly tlsMs?: number
  readonly connectMs: number
}

/** An open connection, and the client that speaks on it: one socket each, never a second one. */
export interface Connection {
  readonly origin: string
  readonly socket: Socket
  readonly client: Client
  readonly httpVersion: '1.1' | '2'
  readonly opening: OpeningTimes
  /** Requests that were sent on it. */
  requests: number
  /** `performance.now()` of the end of the last one. */
  idleSince: number
}

/** Opening did not succeed; how far it came is kept. */
export class OpeningFailed extends Error {
  readonly kind: ErrorKind
  readonly opening: OpeningTimes

  constructor(kind: ErrorKind, message: string, opening: OpeningTimes, cause: unknown) {
    super(message, { cause })
    this.kind = kind
    this.opening = opening
  }
}

/** The client lost its socket before a request and asked for another one: the caller opens it, before the clock starts. */
export class SocketGone extends Error {
  constructor() {
    super('the idle connection was closed')
  }
}

/** Kept alive for so long, milliseconds, unless the server says less. */
export const KEEP_ALIVE_MS = 600_000
/** Node tries the next address of a host after this; its own 250 ms are too short for a far provider. */
const NEXT_ADDRESS_MS = 1000

export interface OpeningOrder {
  readonly origin: string
  readonly http: '1.1' | '2'
  readonly connector: buildConnector.connector
  /** The last TLS session of each origin: undici's own cache holds them weakly, and a round may be far away. */
  readonly sessions: Map<string, Buffer>
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** A connector keeps TLS session tickets: one an origin, for as long as the prober lives. */
export function connectorFor(http: '1.1' | '2'): buildConnector.connector {
  const h2 = http === '2'
  // connect timeout 0: ours is exact, undici's coarse
  const options: buildConnector.BuildOptions & { preferH2?: boolean } = {
    allowH2: h2,
    ...(h2 ? { preferH2: true } : {}),
    timeout: 0,
    maxCachedSessions: 100,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  }
  return buildConnector(options)
}

const DNS_CODES = /^(?:ENOTFOUND|EAI_|ENODATA|ESERVFAIL|EREFUSED|EBADNAME|EFORMERR|ENONAME)/

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map((each) => (each instanceof Error ? each.message : String(each))).join('; ')
  return error instanceof Error ? error.message : String(error)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Opens a connection; rejects with {@link OpeningFailed} whatever happens, and with kind `aborted` where the signal says so. */
export async function openConnection(order: OpeningOrder): Promise<Connection> {
  const { origin, signal } = order
  const url = new URL(origin)
  const secure = url.protocol === 'https:'
  const startedAt = performance.now()
  let dnsAt: number | undefined
  let tcpAt: number | undefined
  let tlsAt: number | undefined

  const times = (): OpeningTimes => ({
    ...(dnsAt === undefined ? {} : { dnsMs: dnsAt - startedAt }),
    ...(tcpAt === undefined ? {} : { tcpMs: tcpAt - (dnsAt ?? startedAt) }),
    ...(tcpAt === undefined || tlsAt === undefined ? {} : { tlsMs: tlsAt - tcpAt }),
    connectMs: performance.now() - startedAt,
  })
  const failed = (error: unknown): OpeningFailed => {
    const kind =
      DNS_CODES.test(codeOf(error)) && tcpAt === undefined ? 'dns' : tcpAt !== undefined && secure ? 'tls' : 'connect'
    const code = codeOf(error)
    const message = messageOf(error)
    return new OpeningFailed(
      kind,
      code === '' || message.includes(code) ? message : `${code}: ${message}`,
      times(),
      error,
    )
  }

  const socket = await new Promise<Socket>((resolve, reject) => {
    let opening: Socket | undefined
    const give = (error: OpeningFailed): void => {
      done()
      reject(error)
      opening?.on('error', () => {})
      opening?.destroy()
    }
    const onAbort = (): void => give(new OpeningFailed('aborted', 'stopped while connecting', times(), undefined))
    const timer = setTimeout(
      () => {
        const phase = tcpAt !== undefined ? 'TLS handshake' : 'connection'
        give(new OpeningFailed('connect_timeout', `no ${phase} within ${order.timeoutMs} ms`, times(), undefined))
      },
      Math.min(order.timeoutMs, 2 ** 31 - 1),
    )
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
    if (signal.aborted) {
      onAbort()
      return
    }
    signal.addEventListener('abort', onAbort)
    try {
      const made: unknown = order.connector(
        {
          hostname: url.hostname.replace(/^\[|\]$/g, ''),
          host: url.host,
          protocol: url.protocol,
          port: url.port || (secure ? '443' : '80'),
        },
        (error, connected) => {
          if (error !== null) {
            give(failed(error))
            return
          }
          tlsAt = secure ? performance.now() : undefined
          tcpAt ??= performance.now()
          done()
          resolve(connected)
        },
      )
      opening = made as Socket
      opening.on('session', (session: Buffer) => order.sessions.set(origin, session))
      opening.on('lookup', () => {
        dnsAt ??= performance.now()
      })
      opening.once('connect', () => {
        tcpAt ??= performance.now()
      })
    } catch (error) {
      give(failed(error))
    }
  })

  const opening = times()
  const httpVersion = 'alpnProtocol' in socket && socket.alpnProtocol === 'h2' ? '2' : '1.1'
  let handedOver = false
  const client = new Client(origin, {
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
  return { origin, socket, client, httpVersion, opening, requests: 0, idleSince: performance.now() }
}
