import type { Dispatcher } from 'undici'
import { Arrivals } from './arrivals.ts'
import type { Connection } from './connection.ts'
import { SocketGone } from './connection.ts'
import { contentDecoder, isCoded } from './content-coding.ts'
import type { ContentDecoder } from './content-coding.ts'
import { Deadlines } from './exchange-deadlines.ts'
import type { ExchangeOrder, ExchangeResult } from './exchange-types.ts'
import type { LagMeasure, LagWatch } from './lag-watch.ts'
import { BAD_CODING } from './outcome.ts'
import type { Ending } from './outcome.ts'
import { headerOf } from './response-headers.ts'
import type { ResponseHeaders } from './response-headers.ts'
import { StreamReader } from './stream-reader.ts'
import { payloadFor, Upload } from './upload.ts'

/** Bytes that are read of the body of an error status. */
const STATUS_BODY_BYTES = 64 * 1024

/** Runs one request on an open connection. Never rejects for what a provider does. */
export async function exchange(
  connection: Connection,
  order: ExchangeOrder,
  watch: LagWatch,
  measure: LagMeasure,
): Promise<ExchangeResult> {
  return await new Promise((resolve, reject) => {
    new Exchange(connection, order, new Arrivals(connection.socket, watch, measure), resolve, reject).start()
  })
}

/** A stream ends with its error or its end marker, or with its body; one that had finished is not prolonged by how it breaks off. */
function streamEnd(ending: Ending, reader: StreamReader, endedAt: number): number {
  if (reader.errorAt !== undefined) return reader.errorAt
  const over = reader.ended || (reader.finished && ending.kind !== 'end')
  return over ? (reader.lastSignalAt ?? endedAt) : endedAt
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #connection: Connection
  readonly #order: ExchangeOrder
  readonly #resolve: (result: ExchangeResult) => void
  readonly #reject: (error: Error) => void
  readonly #reader: StreamReader
  readonly #arrivals: Arrivals
  readonly #upload: Upload
  readonly #deadlines: Deadlines
  #decoder: ContentDecoder | undefined
  #controller: Dispatcher.DispatchController | undefined
  #settled = false
  #headersAt: number | undefined
  #status: number | undefined
  #responseHeaders: ResponseHeaders = {}
  #tokens = 0

  constructor(
    connection: Connection,
    order: ExchangeOrder,
    arrivals: Arrivals,
    resolve: (result: ExchangeResult) => void,
    reject: (error: Error) => void,
  ) {
    this.#connection = connection
    this.#order = order
    this.#arrivals = arrivals
    this.#resolve = resolve
    this.#reject = reject
    this.#reader = new StreamReader(order.protocol, order.reader)
    this.#upload = new Upload(connection)
    this.#deadlines = new Deadlines(order, this.#reader, (ending, endedAt) => this.#cut(ending, endedAt))
  }

  start(): void {
    const { path, headers, body, signal } = this.#order
    if (signal.aborted) {
      this.#settle({ kind: 'aborted' })
      return
    }
    signal.addEventListener('abort', this.#onAbort)
    this.#connection.begin()
    this.#upload.watch(() => this.#deadlines.sent())
    this.#deadlines.start()
    try {
      this.#connection.client.dispatch({ path, method: 'POST', ...payloadFor(this.#connection, headers, body) }, this)
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  readonly #onAbort = (): void => this.#cut({ kind: 'aborted' })

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
  }

  onRequestSent(): void {
    this.#upload.handedOver()
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    this.#arrivals.stamp(performance.now())
    if (this.#settled || status < 200) return
    this.#headersAt = this.#arrivals.at
    this.#status = status
    this.#responseHeaders = headers
    const coding = headerOf(headers, 'content-encoding')?.toLowerCase() ?? ''
    if (isCoded(coding))
      this.#decoder = contentDecoder(
        coding,
        (bytes, at, bound) => this.#feed(bytes, at, bound),
        (error) => this.#onDecoded(error),
        (full) => this.#onPressure(full),
      )
    if (status !== 200) this.#deadlines.refused()
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#arrivals.stamp(performance.now())
    if (this.#settled) return
    const { at, bound } = this.#arrivals
    if (this.#decoder !== undefined) this.#decoder.write(Buffer.from(chunk), at, bound)
    else this.#feed(chunk, at, bound)
  }

  #feed(bytes: Buffer, at: number, bound: number): void {
    if (this.#settled) return
    const reader = this.#reader
    const { lastSignalAt } = reader
    reader.feed(bytes, at, bound)
    if (this.#status !== 200) {
      if (reader.bytes > STATUS_BODY_BYTES) this.#cut({ kind: 'end' })
      return
    }
    if (reader.oversize !== undefined) {
      this.#cut({ kind: 'end' }, at)
      return
    }
    if (reader.error !== undefined) {
      this.#deadlines.errorEvent()
      return
    }
    if (reader.lastSignalAt === lastSignalAt && reader.tokenTimes.length === this.#tokens) return
    this.#tokens = reader.tokenTimes.length
    this.#deadlines.signal()
  }

  onResponseEnd(): void {
    if (this.#settled) return
    this.#arrivals.stamp(performance.now())
    if (this.#upload.cancelled) this.#fail(new Error('Stream closed with error code NGHTTP2_CANCEL'))
    else if (this.#decoder === undefined) this.#settle({ kind: 'end' }, this.#arrivals.at)
    else this.#decoder.end()
  }

  #onPressure(full: boolean): void {
    if (full) {
      this.#arrivals.paused()
      this.#controller?.pause()
      return
    }
    this.#arrivals.resumed()
    if (!this.#settled) this.#controller?.resume()
  }

  #onDecoded(error: Error | null): void {
    if (this.#settled) return
    if (error === null) this.#settle({ kind: 'end' }, this.#arrivals.at)
    else
      this.#cut({
        kind: 'broken',
        error: Object.assign(new Error(error.message), { code: BAD_CODING }),
      })
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#settled) return
    this.#fail(error)
  }

  #fail(error: Error): void {
    // an argument that undici refuses is a mistake of ours, not the provider's
    if ('code' in error && (error.code === 'UND_ERR_INVALID_ARG' || error.code === 'UND_ERR_NOT_SUPPORTED')) {
      if (this.#upload.sentAt === undefined) {
        this.#release()
        this.#reject(error)
        return
      }
    }
    this.#settle({ kind: 'broken', error })
  }

  /** Ends the request from our side; the connection is lost by it. */
  #cut(ending: Ending, endedAt?: number): void {
    if (this.#settled) return
    this.#settle(ending, endedAt)
    this.#controller?.abort(new Error('cut'))
    this.#connection.client.destroy().catch(() => {})
    this.#connection.socket.destroy()
  }

  #release(): void {
    this.#settled = true
    this.#order.signal.removeEventListener('abort', this.#onAbort)
    this.#upload.stop()
    this.#deadlines.clear()
    this.#decoder?.destroy()
  }

  #settle(ending: Ending, endedAt: number = performance.now()): void {
    if (this.#settled) return
    this.#release()
    const reader = this.#reader
    if (ending.kind === 'end' || ending.kind === 'broken') reader.flush()
    this.#connection.idleSince = performance.now()
    this.#resolve({
      ending,
      reader,
      sentAt: this.#upload.sentAt,
      writtenAt: this.#upload.writtenAt,
      headersAt: this.#headersAt,
      status: this.#status,
      responseHeaders: this.#responseHeaders,
      endedAt: this.#status === 200 ? streamEnd(ending, reader, endedAt) : endedAt,
      answered: this.#status !== undefined || this.#arrivals.any,
      gone: ending.kind === 'broken' && ending.error instanceof SocketGone,
    })
  }
}
