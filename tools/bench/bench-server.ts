import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromServer, ServerStamps } from './server.ts'

/** The server's process, seen from the bench. */
export interface BenchServer {
  /** Base URL, as a target's. */
  readonly url: string
  /** The server's own stamps of a request, once it has answered all of it. */
  stampsOf(id: string): Promise<ServerStamps>
  close(): void
}

export async function startBenchServer(): Promise<BenchServer> {
  const child = fork(fileURLToPath(new URL('./server.ts', import.meta.url)), { execArgv: [] })
  const seen = new Map<string, ServerStamps>()
  const waiting = new Map<string, (stamps: ServerStamps) => void>()
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  child.once('exit', (code) => reject(new Error(`the bench's server ended (${code})`)))
  child.on('message', (message: FromServer) => {
    if (message.type === 'port') {
      resolve(message.port)
      return
    }
    const waiter = waiting.get(message.id)
    if (waiter === undefined) seen.set(message.id, message)
    else waiter(message)
    waiting.delete(message.id)
  })
  const port = await promise
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async stampsOf(id) {
      const stamps = seen.get(id)
      seen.delete(id)
      return stamps ?? (await new Promise((resolve_) => waiting.set(id, resolve_)))
    },
    close() {
      child.disconnect()
    },
  }
}

/** What the server measured itself: request read → first token written, milliseconds. */
export function serverTtftMs(stamps: ServerStamps): number {
  return Number(BigInt(stamps.tokens[0] ?? 0) - BigInt(stamps.readAt)) / 1e6
}
