import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Streaming } from './order.ts'
import type { Asked, Stall, Streamed, ToBenchThread } from './thread.ts'

/** The prober's inside in a thread of the bench; one call at a time. */
export interface BenchThread {
  ask(url: string, streaming: Streaming, stall?: Stall): Promise<Asked>
  streams(url: string, count: number, streaming: Streaming): Promise<Streamed>
  close(): Promise<void>
}

export async function startBenchThread(): Promise<BenchThread> {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), { execArgv: [] })
  await once(worker, 'message')
  const call = async (message: ToBenchThread): Promise<unknown> => {
    const answer = once(worker, 'message')
    worker.postMessage(message)
    const [value] = (await answer) as [unknown]
    return value
  }
  return {
    ask: async (url, streaming, stall) => (await call({ type: 'ask', url, streaming, stall: stall ?? null })) as Asked,
    streams: async (url, count, streaming) => (await call({ type: 'streams', url, count, streaming })) as Streamed,
    async close() {
      const exited = once(worker, 'exit')
      worker.postMessage({ type: 'close' } satisfies ToBenchThread)
      await exited
    },
  }
}

export function t0Nanoseconds(asked: Asked): bigint {
  return BigInt(asked.t0)
}
