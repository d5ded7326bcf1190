import { Buffer } from 'node:buffer'
import { systemClock } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { deriveSample } from '../sample/metrics.ts'
import type { RequestRecord, Sample } from '../sample/types.ts'
import { OpeningFailed } from './connection.ts'
import type { Connection, OpeningTimes } from './connection.ts'
import { Connections } from './connections.ts'
import { exchange } from './exchange.ts'
import type { ExchangeOrder, ExchangeResult } from './exchange.ts'
import { LagWatch } from './lag-watch.ts'
import type { LagMeasure } from './lag-watch.ts'
import { firstEventBatched, outcomeOf } from './outcome.ts'
import { wireRequest } from './request.ts'
import type { WireRequest } from './request.ts'
import { requestIdOf, retryAfterMs } from './response-headers.ts'
import { Secrets } from './secrets.ts'
import type { AskOrder } from './types.ts'

/** A reused connection that dies this soon, milliseconds, had been closed before we asked. */
const STALE_MS = 250
/** Longest texts of a server that are kept, characters. */
const MESSAGE_LENGTH = 500
const WORD_LENGTH = 200

/** What one slot's connections came to. */
interface Attempt {
  readonly opening?: OpeningTimes
  readonly reused?: boolean
  readonly httpVersion?: '1.1' | '2'
  readonly staleRetries: number
  readonly result?: ExchangeResult
  readonly failed?: OpeningFailed
  readonly endedAt: number
}

/** Asks: one order in, one sample out. All of it is in the prober's thread; several may run at a time. */
export class Asker {
  readonly #connections = new Connections()
  readonly #secrets = new Secrets()
  readonly #watch = new LagWatch()
  readonly #clock: Pick<Clock, 'wall'>

  /** @param clock - for the times of day; what is measured is measured with this thread's own */
  constructor(clock: Pick<Clock, 'wall'> = systemClock) {
    this.#clock = clock
  }

  /**
   * @param signal - cuts the request: the sample comes out as `aborted`
   * @throws SloError `PROBER_FAILED`, and whatever is our own mistake; never for what a provider does
   */
  async ask(order: AskOrder, signal: AbortSignal): Promise<Sample> {
    const startedAt = this.#clock.wall()
    const wire = wireRequest(order, this.#secrets)
    const measure = this.#watch.begin()
    let attempt: Attempt
    try {
      attempt = await this.#attempt(order, wire, signal, measure)
    } finally {
      this.#watch.end(measure)
    }
    const record = this.#record(order, attempt, measure.worst)
    return deriveSample(
      {
        slot: order.slot,
        runId: order.runId,
        plan: order.plan,
        model: order.target.model,
        protocol: order.target.protocol,
        region: order.region,
        labels: order.labels,
        timeScale: order.simulation?.timeScale ?? null,
        price: order.target.price,
        startedAt,
        promptBytes: order.messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0),
        nonce: order.nonce,
      },
      record,
    )
  }

  /** What a message of ours may say: no secret that was read so far is in it. */
  scrub(message: string): string {
    return this.#secrets.scrub(message, MESSAGE_LENGTH)
  }

  close(): void {
    this.#connections.close()
  }

  async #attempt(order: AskOrder, wire: WireRequest, signal: AbortSignal, measure: LagMeasure): Promise<Attempt> {
    const { target } = order
    const timeScale = order.simulation?.timeScale ?? 1
    const scaled = (ms: number): number => ms / timeScale
    const { connect, firstToken, stall, total } = target.timeouts
    const exchangeOrder: ExchangeOrder = {
      path: wire.path,
      headers: wire.headers,
      body: wire.body,
      protocol: wire.protocol,
      timeouts: { connect, firstToken: scaled(firstToken), stall: scaled(stall), total: scaled(total) },
      timeScale,
      simulated: order.simulation !== null,
      signal,
    }
    let staleRetries = 0
    let mayReuse = true
    for (;;) {
      let connection: Connection | undefined
      try {
        connection = mayReuse ? await this.#connections.reuse(wire.origin, target.http) : undefined
        const reused = connection !== undefined
        connection ??= await this.#connections.open(wire.origin, target.http, connect, signal)
        const result = await exchange(connection, exchangeOrder, this.#watch, measure)
        if (reused && (result.gone || isStale(result, connection, timeScale))) {
          this.#connections.discard(connection)
          // lost before t₀ it is only reopened; after it, the one more request is counted
          if (result.sentAt !== undefined) staleRetries += 1
          mayReuse = false
          continue
        }
        const { httpVersion, opening } = connection
        if (result.ending.kind === 'end') this.#connections.give(connection, target.http)
        else this.#connections.discard(connection)
        return {
          ...(reused ? {} : { opening }),
          reused,
          httpVersion,
          staleRetries,
          result,
          endedAt: result.endedAt,
        }
      } catch (error) {
        if (connection !== undefined) this.#connections.discard(connection)
        if (!(error instanceof OpeningFailed)) throw error
        return { opening: error.opening, staleRetries, failed: error, endedAt: performance.now() }
      }
    }
  }

  #record(order: AskOrder, attempt: Attempt, clientLagMs: number): RequestRecord {
    const { result, failed, opening, reused, httpVersion, staleRetries } = attempt
    const connection = {
      staleRetries,
      ...opening,
      ...(reused === undefined ? {} : { reused }),
      ...(httpVersion === undefined ? {} : { httpVersion }),
    }
    if (result === undefined) {
      const kind = failed?.kind ?? 'connect'
      return {
        connection,
        tokenTimes: [],
        firstEventBatched: false,
        tokenChunks: 0,
        malformedEvents: 0,
        clientLagMs,
        failure: { kind, message: this.#secrets.scrub(failed?.message ?? '', MESSAGE_LENGTH) },
      }
    }
    const { reader, status, responseHeaders } = result
    const failure = outcomeOf(result.ending, status, reader)
    const retryAfter =
      status === undefined || status === 200 ? undefined : retryAfterMs(responseHeaders, this.#clock.wall())
    return {
      connection,
      tokenTimes: reader.tokenTimes,
      firstEventBatched: firstEventBatched(reader, reader.usage),
      tokenChunks: reader.tokenChunks,
      malformedEvents: reader.malformedEvents,
      clientLagMs,
      endedAt: result.endedAt,
      failure:
        failure === null
          ? null
          : {
              kind: failure.kind,
              message: this.#secrets.scrub(failure.message, MESSAGE_LENGTH, { cut: failure.cut === true }),
            },
      ...given({
        sentAt: result.sentAt,
        writtenAt: result.writtenAt,
        headersAt: result.headersAt,
        status,
        retryAfterMs: retryAfter,
        firstEventAt: reader.firstEventAt,
        firstTokenKind: reader.firstTokenKind,
        firstAnswerAt: reader.firstAnswerAt,
        firstTokenErrorMs: reader.firstTokenErrorMs,
        simulatorLateMs: order.simulation === null ? undefined : reader.simulatorLateMs,
        usage: reader.usage,
        finishReason: this.#word(reader.finishReason),
        servedModel: this.#word(reader.servedModel),
        requestId: this.#word(requestIdOf(responseHeaders) ?? reader.bodyId),
      }),
    }
  }

  #word(text: string | undefined): string | undefined {
    if (text === undefined) return undefined
    const word = this.#secrets.scrub(text, WORD_LENGTH)
    return word === '' ? undefined : word
  }
}

function given<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}

/** Died on a reused connection, before one byte of an answer, so soon that it had been closed before we asked. */
function isStale(result: ExchangeResult, connection: Connection, timeScale: number): boolean {
  if (result.ending.kind !== 'broken' || result.status !== undefined || result.sentAt === undefined) return false
  const { error } = result.ending
  const code = 'code' in error ? String(error.code) : ''
  if (connection.httpVersion === '2') {
    if (!/GOAWAY|REFUSED_STREAM/.test(error.message)) return false
  } else if (result.answered || !['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(code)) return false
  const limit = Math.max(3 * (connection.opening.tcpMs ?? 0), STALE_MS / timeScale)
  return result.endedAt - result.sentAt <= limit
}
