import { setImmediate as turn } from 'node:timers/promises'
import { KEEP_ALIVE_MS, openConnection } from './connection.ts'
import type { Connection } from './connection.ts'
import { routeKey } from './connection-opening.ts'
import type { Route } from './connection-opening.ts'

/** Keeps open connections between slots and hands out one that is alive. */
export class Connections {
  readonly #idle = new Map<string, Connection[]>()
  /** Held strongly: a round may be far away. */
  readonly #sessions = new Map<string, Buffer>()

  /**
   * A connection that was open before, if one is still alive.
   * Two turns of the event loop show what the server has done to it while nobody looked.
   */
  async reuse(route: Route): Promise<Connection | undefined> {
    const idle = this.#idle.get(routeKey(route)) ?? []
    for (let connection = idle.pop(); connection !== undefined; connection = idle.pop()) {
      await turn()
      await turn()
      const { socket, idleSince } = connection
      const old = performance.now() - idleSince > KEEP_ALIVE_MS
      if (!old && !socket.destroyed && !socket.readableEnded && socket.writable && !connection.client.destroyed)
        return connection
      this.discard(connection)
    }
    return undefined
  }

  /** @throws OpeningFailed */
  async open(route: Route, timeoutMs: number, signal: AbortSignal): Promise<Connection> {
    return await openConnection({ route, sessions: this.#sessions, timeoutMs, signal })
  }

  /** After a request: kept for the next one where it is alive. */
  give(connection: Connection): void {
    if (connection.socket.destroyed || connection.client.destroyed) return
    const idle = this.#idle.get(connection.key)
    if (idle === undefined) this.#idle.set(connection.key, [connection])
    else idle.push(connection)
  }

  discard(connection: Connection): void {
    connection.socket.on('error', () => {})
    connection.client.destroy().catch(() => {})
    connection.socket.destroy()
  }

  close(): void {
    for (const connections of this.#idle.values()) for (const connection of connections) this.discard(connection)
    this.#idle.clear()
  }
}
