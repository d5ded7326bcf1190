import diagnostics from 'node:diagnostics_channel'
import { parentPort } from 'node:worker_threads'
import { Asker } from '../../src/probe/asker.ts'
import { openConnection } from '../../src/probe/connection.ts'
import { exchange } from '../../src/probe/exchange.ts'
import { LagWatch } from '../../src/probe/lag-watch.ts'
import { openaiChat } from '../../src/probe/protocols/openai-chat.ts'
import { warmUpSelf } from '../../src/probe/self-warm-up.ts'
import type { Sample } from '../../src/sample/types.ts'
import { MESSAGES, benchHeaders, benchOrder } from './order.ts'
import type { Streaming } from './order.ts'

/** The prober's inside in a thread of the bench, with a second look at t₀ and stalls on order. */

export type ToBenchThread =
  | { readonly type: 'ask'; readonly url: string; readonly streaming: Streaming; readonly stall: Stall | null }
  | { readonly type: 'streams'; readonly url: string; readonly count: number; readonly streaming: Streaming }
  | { readonly type: 'close' }

/** Blocks the thread for `ms`, `afterMs` after t₀. */
export interface Stall {
  readonly afterMs: number
  readonly ms: number
}

export interface Asked {
  readonly id: string
  /** `process.hrtime.bigint()` as decimal text. */
  readonly t0: string
  readonly sample: Sample
}

/** Arrival stamps of each stream's tokens, nanoseconds of `process.hrtime.bigint()` as numbers relative to `base`. */
export interface Streamed {
  readonly base: string
  readonly streams: readonly { readonly id: string; readonly arrivals: readonly number[] }[]
}

const asker = new Asker()
const port = parentPort
let t0 = 0n
let stall: Stall | null = null

function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

diagnostics.subscribe('undici:client:sendHeaders', () => {
  t0 = process.hrtime.bigint()
  if (stall === null) return
  const { afterMs, ms } = stall
  stall = null
  setTimeout(() => block(ms), afterMs)
})

async function streams(url: string, count: number, streaming: Streaming): Promise<Streamed> {
  const { origin, pathname } = new URL(url)
  const watch = new LagWatch()
  const signal = new AbortController().signal
  const body = Buffer.from(
    JSON.stringify(
      openaiChat.body({
        model: 'bench',
        messages: MESSAGES,
        request: { maxTokens: 64, temperature: null, cache: 'warm', body: {} },
      }),
    ),
  )
  const base = process.hrtime.bigint()
  const baseMs = performance.now()
  const one = async (id: string): Promise<{ id: string; arrivals: number[] }> => {
    const connection = await openConnection({
      route: { origin, http: '1.1', proxy: null, identity: null },
      sessions: new Map(),
      timeoutMs: 5000,
      signal,
    })
    const measure = watch.begin()
    const timeouts = { connect: 5000, firstToken: 30_000, stall: 30_000, total: 60_000 }
    const headers = { 'content-type': 'application/json', ...benchHeaders({ ...streaming, id }) }
    const path = `${pathname}/chat/completions`
    const { reader } = await exchange(
      connection,
      { path, headers, body, protocol: openaiChat, timeouts, timeScale: 1, reader: {}, signal },
      watch,
      measure,
    )
    watch.end(measure)
    await connection.client.destroy()
    return { id, arrivals: reader.tokenTimes.map((at) => (at - baseMs) * 1e6) }
  }
  const ids = Array.from({ length: count }, (_none, i) => `${streaming.id}-${i}`)
  return { base: String(base), streams: await Promise.all(ids.map(one)) }
}

async function answer(message: ToBenchThread): Promise<void> {
  if (message.type === 'close') {
    asker.close()
    port?.close()
    return
  }
  if (message.type === 'streams') {
    port?.postMessage(await streams(message.url, message.count, message.streaming))
    return
  }
  stall = message.stall
  const sample = await asker.ask(benchOrder(message.url, message.streaming), new AbortController().signal)
  const asked: Asked = { id: message.streaming.id, t0: String(t0), sample }
  port?.postMessage(asked)
}

await warmUpSelf(asker)
port?.on('message', (message: ToBenchThread) => void answer(message))
port?.postMessage('ready')
