import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Timeouts } from '../budget/types.ts'
import type { Connection } from './connection.ts'
import { SocketGone } from './connection.ts'
import { contentDecoder, isCoded } from './content-coding.ts'
import type { ContentDecoder } from './content-coding.ts'
import type { LagMeasure, LagWatch } from './lag-watch.ts'
import { BAD_CODING } from './outcome.ts'
import type { Ending } from './outcome.ts'
import { headerOf } from './response-headers.ts'
import type { ResponseHeaders } from './response-headers.ts'
import { forgetSent, onceSent, onceStreamCreated } from './sent-moment.ts'
import { StreamReader } from './stream-reader.ts'
import type { ReaderOptions } from './stream-reader.ts'
import type { Protocol } from './types.ts'

/** Provider milliseconds that usage and end marker may come after the finish reason. */
const AFTER_FINISH_MS = 3000
/** Real milliseconds that the body's end may come after the end marker. */
const AFTER_END_MS = 500
/** Real milliseconds at least, whatever the time scale. */
const SHORTEST_GRACE_MS = 100
/** Milliseconds that the body of an error status may take. */
const STATUS_BODY_MS = 2000
/** Node fires a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** Bytes of such a body that are read. */
const STATUS_BODY_BYTES = 64 * 1024

/** One request, ready to be written. */
export interface ExchangeOrder {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly protocol: Protocol
  /** Already divided by the time scale. */
  readonly timeouts: Timeouts
  readonly timeScale: number
  readonly reader: ReaderOptions
  readonly signal: AbortSignal
}

/** What one attempt on one connection gave: raw times of `performance.now()`. */
export interface ExchangeResult {
  readonly ending: Ending
  readonly reader: StreamReader
  readonly sentAt: number | undefined
  readonly writtenAt: number | undefined
  readonly headersAt: number | undefined
  readonly status: number | undefined
  readonly responseHeaders: ResponseHeaders
  readonly endedAt: number
  /** Bytes of an answer came, be it half a header. */
  readonly answered: boolean
  /** The client found its socket closed before it wrote anything. */
  readonly gone: boolean
}

/** Runs one request on an open connection. Never rejects for what a provider does. */
export async function exchange(
  connection: Connection,
  order: ExchangeOrder,
  watch: LagWatch,
  measure: LagMeasure,
): Promise<ExchangeResult> {
  return await new Promise((resolve, reject) => {
    new Exchange(connection, order, watch, measure, resolve, reject).start()
  })
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #connection: Connection
  readonly #order: ExchangeOrder
  readonly #watch: LagWatch
  readonly #measure: LagMeasure
  readonly #resolve: (result: ExchangeResult) => void
  readonly #reject: (error: Error) => void
  readonly #reader: StreamReader
  readonly #bytesBefore: number
  #streamSeen = false
  #pausedAt = 0
  #decoder: ContentDecoder | undefined
  #controller: Dispatcher.DispatchController | undefined
  #settled = false
  #sentAt: number | undefined
  #writtenAt: number | undefined
  #headersAt: number | undefined
  #status: number | undefined
  #responseHeaders: ResponseHeaders = {}
  #at = 0
  #bound = 0
  #bytesRead = -1
  #tokens = 0
  #finishSeen = false
  #timer: NodeJS.Timeout | undefined
  #totalTimer: NodeJS.Timeout | undefined
  #quietTimer: NodeJS.Timeout | undefined
  #writeTimer: NodeJS.Timeout | undefined

  constructor(
    connection: Connection,
    order: ExchangeOrder,
    watch: LagWatch,
    measure: LagMeasure,
    resolve: (result: ExchangeResult) => void,
    reject: (error: Error) => void,
  ) {
    this.#connection = connection
    this.#order = order
    this.#watch = watch
    this.#measure = measure
    this.#resolve = resolve
    this.#reject = reject
    this.#reader = new StreamReader(order.protocol, order.reader)
    this.#bytesBefore = connection.socket.bytesRead
  }

  start(): void {
    const { path, headers, body, signal, timeouts } = this.#order
    const { client, socket } = this.#connection
    if (signal.aborted) {
      this.#settle({ kind: 'aborted' })
      return
    }
    signal.addEventListener('abort', this.#onAbort)
    onceSent(socket, (at) => this.#onSent(at))
    // only in case the clock never starts; started again when it does
    this.#totalTimer = this.#timeout('total_timeout', timeouts.total)
    try {
      client.dispatch({ path, method: 'POST', ...this.#payload(headers, body) }, this)
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  /** Over HTTP/2, undici sends a whole buffer again by itself where a stream is refused: nothing is asked twice behind our back. */
  #payload(
    headers: Readonly<Record<string, string>>,
    body: Buffer,
  ): Pick<Dispatcher.RequestOptions, 'headers' | 'body'> {
    if (this.#connection.httpVersion === '1.1') return { headers: { ...headers }, body }
    const once = async function* (): AsyncGenerator<Buffer> {
      yield body
    }
    return {
      headers: { ...headers, 'content-length': String(body.length) },
      // an async iterable is a body to undici, if not to its types
      body: once() as unknown as Readable,
    }
  }

  readonly #onAbort = (): void => this.#cut({ kind: 'aborted' })

  #onSent(at: number): void {
    if (this.#settled) return
    this.#sentAt = at
    this.#connection.requests += 1
    if (this.#connection.httpVersion === '2')
      onceStreamCreated((stream) => {
        this.#streamSeen = true
        stream.once('finish', () => {
          if (!this.#settled) this.#writtenAt ??= performance.now()
        })
      })
    const { timeouts } = this.#order
    clearTimeout(this.#totalTimer)
    this.#totalTimer = this.#timeout('total_timeout', timeouts.total)
    this.#timer = this.#timeout('first_token_timeout', timeouts.firstToken)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
  }

  onRequestSent(): void {
    // an HTTP/2 session passes its socket's own buffer by
    if (!this.#streamSeen) this.#watchWrite(0)
  }

  /** The bytes may still be in our own process: they are gone once the socket holds none. */
  #watchWrite(turns: number): void {
    if (this.#settled || this.#writtenAt !== undefined) return
    if (this.#connection.socket.writableLength === 0) {
      this.#writtenAt = performance.now()
      return
    }
    const again = (): void => this.#watchWrite(turns + 1)
    if (turns < 100) setImmediate(again)
    else this.#writeTimer = setTimeout(again, 1)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    this.#stamp(performance.now())
    if (this.#settled || status < 200) return
    this.#headersAt = this.#at
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
    if (status === 200) return
    clearTimeout(this.#timer)
    this.#quietTimer = setTimeout(() => this.#cut({ kind: 'end' }), STATUS_BODY_MS)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#stamp(performance.now())
    if (this.#settled) return
    if (this.#decoder !== undefined) this.#decoder.write(Buffer.from(chunk), this.#at, this.#bound)
    else this.#feed(chunk, this.#at, this.#bound)
  }

  /** One network chunk may come as several pieces of a chunked body: they share the stamp of the first. */
  #stamp(now: number): void {
    const { bytesRead } = this.#connection.socket
    const bound = this.#watch.note(this.#measure, now)
    if (bytesRead === this.#bytesRead) return
    this.#bytesRead = bytesRead
    this.#at = now
    this.#bound = bound
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
      this.#onErrorEvent()
      return
    }
    if (reader.lastSignalAt !== lastSignalAt || reader.tokenTimes.length !== this.#tokens) this.#onSignal()
  }

  /** The request has failed here; counts of tokens and the end marker may still follow. */
  #onErrorEvent(): void {
    clearTimeout(this.#timer)
    this.#quietTimer ??= setTimeout(() => this.#cut({ kind: 'end' }), AFTER_END_MS)
  }

  #onSignal(): void {
    const reader = this.#reader
    const before = this.#tokens
    this.#tokens = reader.tokenTimes.length
    const { stall } = this.#order.timeouts
    if (reader.finished) {
      clearTimeout(this.#timer)
      const grace = Math.max(SHORTEST_GRACE_MS, AFTER_FINISH_MS / this.#order.timeScale)
      if (reader.ended) this.#waitForQuiet(Math.max(SHORTEST_GRACE_MS, AFTER_END_MS))
      else if (!this.#finishSeen) this.#waitForQuiet(grace)
      // tokens after it: a finish of one choice of several, or one that means nothing
      else if (this.#tokens > before) this.#waitForQuiet(Math.max(grace, stall))
      this.#finishSeen = true
      return
    }
    if (this.#tokens === 0) return
    clearTimeout(this.#timer)
    this.#timer = this.#timeout('stall_timeout', stall)
  }

  /** Nothing follows: the stream was over with the last thing that it said. */
  #waitForQuiet(ms: number): void {
    clearTimeout(this.#quietTimer)
    const quiet = (): void => this.#cut({ kind: 'end' }, this.#reader.lastSignalAt)
    this.#quietTimer = setTimeout(quiet, Math.min(ms, LONGEST_TIMER_MS))
  }

  onResponseEnd(): void {
    if (this.#settled) return
    this.#stamp(performance.now())
    if (this.#decoder === undefined) this.#settle({ kind: 'end' }, this.#at)
    else this.#decoder.end()
  }

  /** What waits in the socket meanwhile is stamped late: the sample says so. */
  #onPressure(full: boolean): void {
    if (full) {
      this.#pausedAt = performance.now()
      this.#controller?.pause()
      return
    }
    this.#measure.worst = Math.max(this.#measure.worst, performance.now() - this.#pausedAt)
    if (!this.#settled) this.#controller?.resume()
  }

  #onDecoded(error: Error | null): void {
    if (this.#settled) return
    if (error === null) this.#settle({ kind: 'end' }, this.#at)
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
      if (this.#sentAt === undefined) {
        this.#release()
        this.#reject(error)
        return
      }
    }
    this.#settle({ kind: 'broken', error })
  }

  #timeout(which: 'first_token_timeout' | 'stall_timeout' | 'total_timeout', ms: number): NodeJS.Timeout {
    const reader = this.#reader
    const tokens = reader.tokenTimes.length
    const { lastSignalAt } = reader
    const overtaken = (): boolean => {
      if (this.#settled) return true
      if (which === 'total_timeout') return false
      if (reader.finished || reader.tokenTimes.length !== tokens) return true
      return which === 'stall_timeout' && reader.lastSignalAt !== lastSignalAt
    }
    return setTimeout(
      () => {
        // what arrived while this thread was busy is read before anything is called late
        setImmediate(() => {
          if (!overtaken()) this.#cut({ kind: 'timeout', which, ms: Math.round(ms * this.#order.timeScale) })
        })
      },
      Math.min(ms, LONGEST_TIMER_MS),
    )
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
    forgetSent(this.#connection.socket)
    this.#order.signal.removeEventListener('abort', this.#onAbort)
    for (const timer of [this.#timer, this.#totalTimer, this.#quietTimer, this.#writeTimer]) clearTimeout(timer)
    this.#decoder?.destroy()
  }

  #settle(ending: Ending, endedAt: number = performance.now()): void {
    if (this.#settled) return
    this.#release()
    const { socket } = this.#connection
    const reader = this.#reader
    if (ending.kind === 'end' || ending.kind === 'broken') reader.flush()
    const over = reader.errorAt ?? endedAt
    this.#connection.idleSince = performance.now()
    this.#resolve({
      ending,
      reader,
      sentAt: this.#sentAt,
      writtenAt: this.#writtenAt,
      headersAt: this.#headersAt,
      status: this.#status,
      responseHeaders: this.#responseHeaders,
      endedAt: this.#status === 200 ? over : endedAt,
      answered: this.#status !== undefined || socket.bytesRead > this.#bytesBefore,
      gone: ending.kind === 'broken' && ending.error instanceof SocketGone,
    })
  }
}
