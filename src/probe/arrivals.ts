import type { Socket } from 'node:net'
import type { LagMeasure, LagWatch } from './lag-watch.ts'

/** Stamps what arrives on a socket. */
export class Arrivals {
  /** Of the last network chunk. */
  at = 0
  /** How late that stamp may be. */
  bound = 0
  readonly #socket: Socket
  readonly #watch: LagWatch
  readonly #measure: LagMeasure
  readonly #bytesBefore: number
  #bytesRead = -1
  #pausedAt = 0

  constructor(socket: Socket, watch: LagWatch, measure: LagMeasure) {
    this.#socket = socket
    this.#watch = watch
    this.#measure = measure
    this.#bytesBefore = socket.bytesRead
  }

  /** Something has come since the request began, be it half a header. */
  get any(): boolean {
    return this.#socket.bytesRead > this.#bytesBefore
  }

  /** One network chunk may come as several pieces of a chunked body: they share the stamp of the first. */
  stamp(now: number): void {
    const { bytesRead } = this.#socket
    const bound = this.#watch.note(this.#measure, now)
    if (bytesRead === this.#bytesRead) return
    this.#bytesRead = bytesRead
    this.at = now
    this.bound = bound
  }

  /** Nothing is read for a while. */
  paused(): void {
    this.#pausedAt = performance.now()
  }

  /** What waited in the socket meanwhile is stamped late: the sample says so. */
  resumed(): void {
    this.#measure.worst = Math.max(this.#measure.worst, performance.now() - this.#pausedAt)
  }
}
