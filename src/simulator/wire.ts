import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants } from 'node:http2'
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { closeWhenIdle } from './idle-close.ts'

export type Request = IncomingMessage | Http2ServerRequest
export type Response = ServerResponse | Http2ServerResponse

/** What the connection itself may be told, whatever is spoken over it. */
export class Wire {
  readonly response: Response
  /** The TCP connection. */
  readonly #tcp: Socket

  constructor(response: Response, tcp: Socket) {
    this.response = response
    this.#tcp = tcp
  }

  get #stream(): ServerHttp2Stream | undefined {
    return 'stream' in this.response ? this.response.stream : undefined
  }

  begin(status: number, { connection, ...headers }: Readonly<Record<string, string>>): void {
    const { response } = this
    if ('stream' in response) {
      response.writeHead(status, headers)
      return
    }
    response.writeHead(status, connection === undefined ? headers : { ...headers, connection })
    response.flushHeaders()
  }

  /** @param raw - past HTTP/1.1, as it is */
  write(data: string | Uint8Array, raw: boolean): boolean {
    const { response } = this
    if ('stream' in response) return response.write(data)
    return raw ? (response.socket?.write(data) ?? false) : response.write(data)
  }

  onceDrained(listener: () => void, raw: boolean): void {
    const { response } = this
    if (raw && response.socket !== null) response.socket.once('drain', listener)
    else response.once('drain', listener)
  }

  /** As HTTP asks. */
  end(): void {
    this.response.end()
  }

  /** No more requests over this connection, once it has been idle for so long: FIN, and GOAWAY before it in HTTP/2. */
  closeWhenIdle(ms: number): void {
    const session = this.#stream?.session
    const { socket } = this.response
    closeWhenIdle(this.#tcp, ms, () => (session === undefined ? socket?.end() : session.close()))
  }

  /** RST of the connection. */
  reset(): void {
    this.#tcp.resetAndDestroy()
  }

  /** FIN, without the end of the body. */
  close(): void {
    if (this.#stream === undefined) this.response.socket?.end()
    else this.#tcp.end()
  }

  /** RST_STREAM: the connection goes on. */
  resetStream(code: Http2Code): void {
    this.#stream?.close(constants[`NGHTTP2_${code}`])
  }

  /** GOAWAY that still covers this request. */
  announceLeave(): void {
    const stream = this.#stream
    stream?.session?.goaway(constants.NGHTTP2_NO_ERROR, stream.id)
  }

  /**
   * GOAWAY below this request: it will not be answered. The first request of a connection cannot be left out by it (0 stands for
   * the last one that came), there the connection ends with it.
   */
  leave(code: Http2Code): void {
    const stream = this.#stream
    const id = stream?.id ?? 1
    stream?.session?.goaway(constants[`NGHTTP2_${code}`], id - 2)
    setTimeout(() => this.#tcp.end(), LEAVE_MS)
  }
}

/** Real milliseconds between GOAWAY and the end of the connection. */
const LEAVE_MS = 20

/** Codes of RST_STREAM and GOAWAY (RFC 9113, 7) that providers send. */
export const http2Codes = ['NO_ERROR', 'INTERNAL_ERROR', 'REFUSED_STREAM', 'CANCEL', 'ENHANCE_YOUR_CALM'] as const
export type Http2Code = (typeof http2Codes)[number]
