import { isIP } from 'node:net'
import type { Socket } from 'node:net'
import { buildConnector } from 'undici'
import type { ErrorKind } from '../sample/types.ts'
import type { TlsIdentity } from './connection-identity.ts'
import type { Proxy } from './connection-proxy.ts'
import { TunnelRefused, tunnel } from './connection-tunnel.ts'

/**
 * How long opening took, by phase, milliseconds; absent where a phase did not happen. Through a proxy, `dns` is the proxy's own and
 * `tcp` lasts until its tunnel stands.
 */
export interface OpeningTimes {
  readonly dnsMs?: number
  readonly tcpMs?: number
  readonly tlsMs?: number
  readonly connectMs: number
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

/** Where a connection leads, and how. */
export interface Route {
  readonly origin: string
  readonly http: '1.1' | '2'
  /** `null`: straight. */
  readonly proxy: Proxy | null
  readonly identity: TlsIdentity | null
}

/** One connection to open. */
export interface OpeningOrder {
  readonly route: Route
  /** The last TLS session by {@link routeKey}. */
  readonly sessions: Map<string, Buffer>
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Equal for connections that may stand in for each other. */
export function routeKey({ origin, http, proxy, identity }: Route): string {
  return JSON.stringify([http, origin, proxy, identity?.fingerprint ?? null])
}

/** Node tries the next address of a host after this; its own 250 ms are too short for a far provider. */
const NEXT_ADDRESS_MS = 1000

/**
 * An idle connection says something to itself this often: a router on the way would forget it between two rounds, some after four
 * minutes and without a word, and the next request would wait for an answer to its timeout.
 */
const KEEP_ALIVE_PROBE_MS = 60_000

function connectorFor(
  http: '1.1' | '2',
  identity: TlsIdentity | null,
  session: Buffer | undefined,
): buildConnector.connector {
  const h2 = http === '2'
  // connect timeout 0: ours is exact, undici's coarse
  const options: buildConnector.BuildOptions & { preferH2?: boolean } = {
    allowH2: h2,
    ...(h2 ? { preferH2: true } : {}),
    timeout: 0,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    ...(session === undefined ? {} : { session }),
    ...(identity === null ? {} : { secureContext: identity.context }),
  }
  return buildConnector(options)
}

const DNS_CODES = /^(?:ENOTFOUND|EAI_|ENODATA|ESERVFAIL|EREFUSED|EBADNAME|EFORMERR|ENONAME)/

/** Where every address of a host failed, the error as a whole may have no message. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map((each) => (each instanceof Error ? each.message : String(each))).join('; ')
  return error instanceof Error ? error.message : String(error)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** One attempt to open: every socket that it made, and the moments that it passed. */
class Opening {
  readonly #order: OpeningOrder
  readonly #url: URL
  readonly #secure: boolean
  readonly #startedAt = performance.now()
  #dnsAt: number | undefined
  /** A socket to whom we speak first stands. */
  #reached = false
  #tcpAt: number | undefined
  #tlsAt: number | undefined
  readonly #sockets: Socket[] = []

  constructor(order: OpeningOrder) {
    this.#order = order
    this.#url = new URL(order.route.origin)
    this.#secure = this.#url.protocol === 'https:'
  }

  times(): OpeningTimes {
    const tcpAt = this.#tcpAt
    return {
      ...(this.#dnsAt === undefined ? {} : { dnsMs: this.#dnsAt - this.#startedAt }),
      ...(tcpAt === undefined ? {} : { tcpMs: tcpAt - (this.#dnsAt ?? this.#startedAt) }),
      ...(tcpAt === undefined || this.#tlsAt === undefined ? {} : { tlsMs: this.#tlsAt - tcpAt }),
      connectMs: performance.now() - this.#startedAt,
    }
  }

  async dial(): Promise<Socket> {
    const { route, sessions } = this.#order
    const { proxy, http, identity } = route
    const key = routeKey(route)
    const connector = connectorFor(http, identity, sessions.get(key))
    const port = this.#url.port || (this.#secure ? '443' : '80')
    const end = { hostname: bare(this.#url.hostname), host: this.#url.host, protocol: this.#url.protocol, port }
    let through: Socket | undefined
    if (proxy !== null) {
      const protocol = proxy.secure ? 'https:' : 'http:'
      const toProxy = connectorFor('1.1', null, undefined)
      const { hostname } = proxy
      const plain = await this.#connect(toProxy, { hostname, host: hostname, protocol, port: proxy.port })
      this.#reached = true
      through = await tunnel(plain, proxy, `${this.#url.hostname}:${port}`)
      this.#tcpAt = performance.now()
      if (!this.#secure) return through
    }
    const socket = await this.#connect(
      connector,
      { ...end, ...(through === undefined ? {} : { httpSocket: through }) },
      key,
    )
    if (this.#secure) this.#tlsAt = performance.now()
    this.#tcpAt ??= performance.now()
    return socket
  }

  async #connect(connector: buildConnector.connector, options: buildConnector.Options, key?: string): Promise<Socket> {
    return await new Promise((resolve, reject) => {
      const made: unknown = connector(options, (error, connected) => {
        if (error === null) resolve(connected)
        else reject(error)
      })
      const socket = made as Socket
      this.#sockets.push(socket)
      if (key !== undefined) socket.on('session', (session: Buffer) => this.#order.sessions.set(key, session))
      socket.on('lookup', () => {
        this.#dnsAt ??= performance.now()
      })
      if (this.#order.route.proxy === null)
        socket.once('connect', () => {
          this.#tcpAt ??= performance.now()
        })
    })
  }

  /** Nobody waits any more. */
  giveUp(): void {
    for (const socket of this.#sockets) {
      socket.on('error', () => {})
      socket.destroy()
    }
  }

  /** What has not come, for a timeout. */
  missing(): string {
    const { proxy } = this.#order.route
    const host = proxy === null ? bare(this.#url.hostname) : proxy.hostname
    if (this.#tcpAt !== undefined) return 'TLS handshake'
    if (this.#reached) return 'tunnel through the proxy'
    if (this.#dnsAt === undefined && isIP(host) === 0) return 'address of the host'
    return proxy === null ? 'connection' : 'connection to the proxy'
  }

  failed(error: unknown): OpeningFailed {
    const code = codeOf(error)
    const { proxy } = this.#order.route
    const before = this.#tcpAt === undefined
    const kind = before && DNS_CODES.test(code) ? 'dns' : !before && this.#secure ? 'tls' : 'connect'
    const message = messageOf(error)
    const text = code === '' || message.includes(code) ? message : `${code}: ${message}`
    const place = before && proxy !== null && !(error instanceof TunnelRefused) ? 'proxy: ' : ''
    return new OpeningFailed(kind, `${place}${text}`, this.times(), error)
  }
}

/** Opens a socket; rejects with {@link OpeningFailed} whatever happens, and with kind `aborted` where the signal says so. */
export async function openSocket(
  order: OpeningOrder,
): Promise<{ readonly socket: Socket; readonly opening: OpeningTimes }> {
  const { signal, timeoutMs } = order
  const attempt = new Opening(order)
  const { promise: given, reject: give } = Promise.withResolvers<never>()
  const onAbort = (): void => give(new OpeningFailed('aborted', 'stopped while connecting', attempt.times(), undefined))
  const timer = setTimeout(
    () => {
      const message = `no ${attempt.missing()} within ${timeoutMs} ms`
      give(new OpeningFailed('connect_timeout', message, attempt.times(), undefined))
    },
    Math.min(timeoutMs, 2 ** 31 - 1),
  )
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  try {
    const socket = await Promise.race([attempt.dial(), given])
    return { socket, opening: attempt.times() }
  } catch (error) {
    attempt.giveUp()
    throw error instanceof OpeningFailed ? error : attempt.failed(error)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
