import { constants } from 'node:http2'
import type { ClientHttp2Stream } from 'node:http2'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Connection } from './connection.ts'
import { forgetSent, onceSent, onceStreamCreated } from './sent-moment.ts'

/** Over HTTP/2, undici sends a whole buffer again by itself where a stream is refused: nothing is asked twice behind our back. */
export function payloadFor(
  { httpVersion }: Connection,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): Pick<Dispatcher.RequestOptions, 'headers' | 'body'> {
  if (httpVersion === '1.1') return { headers: { ...headers }, body }
  const once = async function* (): AsyncGenerator<Buffer> {
    yield body
  }
  return {
    headers: { ...headers, 'content-length': String(body.length) },
    // an async iterable is a body to undici, if not to its types
    body: once() as unknown as Readable,
  }
}

/** When a request's first byte was about to be written (t₀), and when its last one had left this process. */
export class Upload {
  sentAt: number | undefined
  writtenAt: number | undefined
  readonly #connection: Connection
  #stream: ClientHttp2Stream | undefined
  #over = false
  #timer: NodeJS.Timeout | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Waits for t₀. */
  watch(onSent: () => void): void {
    onceSent(this.#connection.socket, (at) => {
      if (this.#over) return
      this.sentAt = at
      this.#connection.requests += 1
      if (this.#connection.httpVersion === '2') this.#watchStream()
      onSent()
    })
  }

  /** The client has handed over everything. */
  handedOver(): void {
    // an HTTP/2 session passes its socket's own buffer by
    if (this.#stream === undefined) this.#watchWrite(0)
  }

  /** The other side cancelled the stream (RST_STREAM), which to Node has merely ended. */
  get cancelled(): boolean {
    return this.#stream?.rstCode === constants.NGHTTP2_CANCEL
  }

  stop(): void {
    this.#over = true
    forgetSent(this.#connection.socket)
    clearTimeout(this.#timer)
  }

  #watchStream(): void {
    onceStreamCreated((stream) => {
      this.#stream = stream
      stream.once('finish', () => {
        if (!this.#over) this.writtenAt ??= performance.now()
      })
    })
  }

  /** The bytes may still be in our own process: they are gone once the socket holds none. */
  #watchWrite(turns: number): void {
    if (this.#over || this.writtenAt !== undefined) return
    if (this.#connection.socket.writableLength === 0) {
      this.writtenAt = performance.now()
      return
    }
    const again = (): void => this.#watchWrite(turns + 1)
    if (turns < 100) setImmediate(again)
    else this.#timer = setTimeout(again, 1)
  }
}
