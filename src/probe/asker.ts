import { Buffer } from 'node:buffer'
import { systemClock } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { deriveSample } from '../sample/metrics.ts'
import type { Sample } from '../sample/types.ts'
import type { Connection } from './connection.ts'
import { TlsIdentities } from './connection-identity.ts'
import { OpeningFailed } from './connection-opening.ts'
import type { Route } from './connection-opening.ts'
import { proxyFor } from './connection-proxy.ts'
import { isStale } from './connection-stale.ts'
import { Connections } from './connections.ts'
import { CredentialCommands } from './credential-command.ts'
import { exchange } from './exchange.ts'
import type { ExchangeOrder } from './exchange-types.ts'
import { LagWatch } from './lag-watch.ts'
import type { LagMeasure } from './lag-watch.ts'
import { loadProtocol } from './protocol-loading.ts'
import { signedRequest, wireRequest } from './request.ts'
import type { WireRequest } from './request.ts'
import { MESSAGE_LENGTH, requestRecord } from './request-record.ts'
import type { Attempt } from './request-record.ts'
import { Secrets } from './secrets.ts'
import type { ReadingObserver } from './stream-reader.ts'
import { inspectTarget } from './target-inspection.ts'
import type { AskOrder, InspectedTarget, TargetProblem } from './types.ts'

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
    const record = requestRecord(attempt, {
      wire,
      simulated: order.simulation !== null,
      clientLagMs: measure.worst,
      secrets: this.#secrets,
      wallMs: this.#clock.wall(),
    })
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
        }
      } catch (error) {
        if (connection !== undefined) this.#connections.discard(connection)
        if (!(error instanceof OpeningFailed)) throw error
        return { opening: error.opening, staleRetries, failed: error }
      }
    }
  }
}
