import { Buffer } from 'node:buffer'
import { systemClock } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { deriveSample } from '../sample/metrics.ts'
import { refusedFieldMessage } from '../sample/refused-field.ts'
import type { RequestRecord, Sample } from '../sample/types.ts'
import type { Connection } from './connection.ts'
import { TlsIdentities } from './connection-identity.ts'
import { OpeningFailed } from './connection-opening.ts'
import type { OpeningTimes, Route } from './connection-opening.ts'
import { proxyFor } from './connection-proxy.ts'
import { isStale } from './connection-stale.ts'
import { Connections } from './connections.ts'
import { CredentialCommands } from './credential-command.ts'
import { exchange } from './exchange.ts'
import type { ExchangeOrder, ExchangeResult } from './exchange-types.ts'
import { LagWatch } from './lag-watch.ts'
import type { LagMeasure } from './lag-watch.ts'
import { firstEventBatched, hidesReasoning } from './first-event.ts'
import { outcomeOf } from './outcome.ts'
import type { Failure } from './outcome.ts'
import { loadProtocol } from './protocol-loading.ts'
import { refusedField } from './refused-field.ts'
import { signedRequest, wireRequest } from './request.ts'
import type { WireRequest } from './request.ts'
import { requestIdOf } from './response-headers.ts'
import { retryAfterMs } from './retry-after.ts'
import type { Refusal } from './retry-after.ts'
import { Secrets } from './secrets.ts'
import type { ReadingObserver } from './stream-reader.ts'
import { inspectTarget } from './target-inspection.ts'
import type { AskOrder, InspectedTarget, TargetProblem } from './types.ts'

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
  readonly #commands = new CredentialCommands(this.#secrets)
  readonly #identities = new TlsIdentities()
  readonly #watch = new LagWatch()
  readonly #clock: Pick<Clock, 'wall'>
  readonly #observe: ReadingObserver | undefined

  /**
   * @param clock - for the times of day; what is measured is measured with this thread's own
   * @param observe - is told of everything that is read
   */
  constructor(clock: Pick<Clock, 'wall'> = systemClock, observe?: ReadingObserver) {
    this.#clock = clock
    this.#observe = observe
  }

  /**
   * @param signal - cuts the request: the sample comes out as `aborted`
   * @throws SloError `PROBER_FAILED`, `CREDENTIAL_FAILED`, and whatever is our own mistake; never for what a provider does
   */
  async ask(order: AskOrder, signal: AbortSignal): Promise<Sample> {
    const startedAt = this.#clock.wall()
    const token = await this.#token(order, signal)
    const loaded = await loadProtocol(order.target.protocol)
    const unsigned = wireRequest(order, loaded, this.#secrets, token)
    const wire = await signedRequest(unsigned, order, this.#secrets, this.#clock.wall())
    const route = this.#route(order, wire)
    const measure = this.#watch.begin()
    let attempt: Attempt
    try {
      attempt = await this.#attempt(order, wire, route, signal, measure)
    } finally {
      this.#watch.end(measure)
    }
    const { target } = order
    if (attempt.result?.status === 401 && target.kind === 'real' && target.auth !== undefined)
      this.#commands.refused(target.auth)
    const record = this.#record(order, wire, attempt, measure.worst)
    return deriveSample(
      {
        slot: order.slot,
        runId: order.runId,
        plan: order.plan,
        model: order.target.model,
        protocol: wire.protocol.name,
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

  /** What of the targets can be known to be wrong without a request. */
  async inspect(targets: readonly InspectedTarget[], signal: AbortSignal): Promise<readonly TargetProblem[]> {
    const problems: TargetProblem[] = []
    for (const target of targets)
      problems.push(...(await inspectTarget(target, this.#commands, this.#identities, signal)))
    return problems.map((problem) => ({ ...problem, message: this.scrub(problem.message) }))
  }

  /** What a message of ours may say: no secret that was read so far is in it. */
  scrub(message: string): string {
    return this.#secrets.scrub(message, MESSAGE_LENGTH)
  }

  close(): void {
    this.#connections.close()
  }

  /** Whatever it takes, no clock runs yet. */
  async #token({ target }: AskOrder, signal: AbortSignal): Promise<string | null> {
    if (target.kind !== 'real' || target.auth === undefined) return null
    try {
      return await this.#commands.token(target.auth, signal)
    } catch (error) {
      // the sample comes out as aborted; nothing is sent
      if (signal.aborted) return null
      throw error
    }
  }

  /** The simulator is never asked through a proxy. */
  #route({ target }: AskOrder, { origin }: WireRequest): Route {
    const { http } = target
    if (target.kind === 'simulated') return { origin, http, proxy: null, identity: null }
    const identity = target.tls === undefined || !origin.startsWith('https:') ? null : this.#identities.of(target.tls)
    return { origin, http, proxy: proxyFor(origin, process.env, this.#secrets), identity }
  }

  async #attempt(
    order: AskOrder,
    wire: WireRequest,
    route: Route,
    signal: AbortSignal,
    measure: LagMeasure,
  ): Promise<Attempt> {
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
      reader: { simulated: order.simulation !== null, codec: wire.codec, observe: this.#observe },
      signal,
    }
    let staleRetries = 0
    let mayReuse = true
    for (;;) {
      let connection: Connection | undefined
      try {
        connection = mayReuse ? await this.#connections.reuse(route) : undefined
        const reused = connection !== undefined
        connection ??= await this.#connections.open(route, connect, signal)
        const result = await exchange(connection, exchangeOrder, this.#watch, measure)
        if (reused && isStale(result, connection, timeScale)) {
          this.#connections.discard(connection)
          // lost before t₀ it is only reopened; after it, the one more request is counted
          if (result.sentAt !== undefined) staleRetries += 1
          mayReuse = false
          continue
        }
        const { httpVersion, opening } = connection
        if (result.ending.kind === 'end') this.#connections.give(connection)
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

  #record(order: AskOrder, wire: WireRequest, attempt: Attempt, clientLagMs: number): RequestRecord {
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
    const { usage } = reader
    const failure = namingRefusal(outcomeOf(result.ending, status, reader), status, wire)
    const refusal = refusalOf(failure, result)
    return {
      connection,
      tokenTimes: reader.tokenTimes,
      firstEventBatched: firstEventBatched(reader, usage),
      hiddenReasoning: hidesReasoning(reader, usage),
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
              ...(failure.class === undefined ? {} : { class: failure.class }),
            },
      ...given({
        sentAt: result.sentAt,
        writtenAt: result.writtenAt,
        headersAt: result.headersAt,
        status,
        retryAfterMs: refusal === undefined ? undefined : retryAfterMs(refusal, this.#clock.wall()),
        firstEventAt: reader.firstEventAt,
        firstTokenKind: reader.firstTokenKind,
        firstAnswerAt: reader.firstAnswerAt,
        firstTokenErrorMs: reader.firstTokenErrorMs,
        simulatorLateMs: order.simulation === null ? undefined : reader.simulatorLateMs,
        usage,
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

/** What of a failed answer may say when to ask again. */
function refusalOf(failure: Failure | null, result: ExchangeResult): Refusal | undefined {
  const { status, responseHeaders: headers, reader } = result
  if (status === undefined || (status === 200 && failure?.kind !== 'error_event' && failure?.kind !== 'not_a_stream'))
    return undefined
  return { status, headers, body: reader.errorSource ?? reader.head.toString('utf8') }
}

/** A field of ours that was refused stands first in the message, with the setting that leaves it out. */
function namingRefusal(failure: Failure | null, status: number | undefined, wire: WireRequest): Failure | null {
  if (failure?.kind !== 'http_status' || status === undefined) return failure
  const refused = refusedField(status, failure.message, wire.body.toString('utf8'))
  if (refused === undefined) return failure
  return { ...failure, message: refusedFieldMessage(refused.field, refused.advice, failure.message) }
}

function given<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}
