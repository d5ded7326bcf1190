import { startProber } from '../../src/probe/index.ts'
import type { BenchServer } from './bench-server.ts'
import { serverTtftMs } from './bench-server.ts'
import { openaiPackage, ours, plainFetch } from './clients.ts'
import type { Client } from './clients.ts'
import { median, quantile } from './figures.ts'
import type { BenchResult } from './figures.ts'
import { startBenchThread, t0Nanoseconds } from './bench-thread.ts'

const BLOCKS = 5
const ROUNDS = 60
const WARM_UP = 20
/** A p99 needs more requests than a p50. */
const T0_PER_ROUND = 4

/** Reported TTFT against the server's own stamps, three clients taking turns, and how long t₀ is before the server has the request. */
export async function benchTtft(server: BenchServer): Promise<BenchResult> {
  const prober = startProber()
  const thread = await startBenchThread()
  await prober.ready
  const clients: readonly (readonly [string, Client])[] = [
    ['ours', ours(prober, server.url)],
    ['fetch', plainFetch(server.url)],
    ['openai', openaiPackage(server.url)],
  ]
  const errorOf = async (client: Client, id: string): Promise<number> => {
    const reported = await client(id)
    return reported - serverTtftMs(await server.stampsOf(id))
  }
  try {
    for (const [name, client] of clients)
      for (let i = 0; i < WARM_UP; i += 1) await errorOf(client, `warm-${name}-${i}`)
    for (let i = 0; i < WARM_UP; i += 1)
      await server.stampsOf((await thread.ask(server.url, { id: `warm-t0-${i}` })).id)

    const overFetch: number[] = []
    const overOpenai: number[] = []
    const toRead: number[] = []
    const all: Record<string, number[]> = { ours: [], fetch: [], openai: [] }
    for (let block = 0; block < BLOCKS; block += 1) {
      const errors: Record<string, number[]> = { ours: [], fetch: [], openai: [] }
      const reads: number[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        // each block and round begins with another client
        for (let turn = 0; turn < clients.length; turn += 1) {
          const pair = clients[(turn + round + block) % clients.length]
          if (pair === undefined) continue
          errors[pair[0]]?.push(await errorOf(pair[1], `${block}-${round}-${pair[0]}`))
        }
        for (let again = 0; again < T0_PER_ROUND; again += 1) {
          const id = `${block}-${round}-t0-${again}`
          const asked = await thread.ask(server.url, { id, tokens: 3 })
          const stamps = await server.stampsOf(id)
          reads.push(Number(BigInt(stamps.readAt) - t0Nanoseconds(asked)) / 1e6)
        }
      }
      const p50 = (name: string): number => median(errors[name] ?? [])
      overFetch.push(p50('ours') / p50('fetch'))
      overOpenai.push(p50('ours') / p50('openai'))
      toRead.push(quantile(reads, 0.99))
      for (const name of Object.keys(all)) all[name]?.push(...(errors[name] ?? []))
    }
    return {
      figures: [
        {
          key: 'ttft_error_p50_over_fetch',
          about: 'TTFT error p50, ours / global fetch',
          bar: 0.5,
          sense: '<=',
          blocks: overFetch,
        },
        {
          key: 'ttft_error_p50_over_openai',
          about: 'TTFT error p50, ours / openai package',
          bar: 0.45,
          sense: '<=',
          blocks: overOpenai,
        },
        {
          key: 't0_to_request_read_p99_ms',
          about: 't₀ → server has read the request, p99',
          bar: 1,
          sense: '<=',
          blocks: toRead,
        },
      ],
      notes: Object.entries(all).flatMap(([name, errors]) => [
        { key: `ttft_error_p50_ms_${name}`, about: `TTFT error of ${name}, p50`, value: median(errors) },
        { key: `ttft_error_p99_ms_${name}`, about: `TTFT error of ${name}, p99`, value: quantile(errors, 0.99) },
      ]),
    }
  } finally {
    await Promise.all([prober.close(), thread.close()])
  }
}
