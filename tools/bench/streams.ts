import { startBenchThread } from './bench-thread.ts'
import type { BenchServer } from './bench-server.ts'
import { quantile } from './figures.ts'
import type { BenchResult } from './figures.ts'

const BLOCKS = 5
const STREAMS = 100
const TOKENS = 100
const GAP_MS = 20

/** 100 streams of 50 tokens a second on one prober thread: stamp of each token minus the server's. */
export async function benchStreams(server: BenchServer): Promise<BenchResult> {
  const thread = await startBenchThread()
  const p99: number[] = []
  try {
    for (let block = 0; block < BLOCKS; block += 1) {
      const id = `streams-${block}`
      const { base, streams } = await thread.streams(server.url, STREAMS, {
        id,
        firstMs: 50,
        gapMs: GAP_MS,
        tokens: TOKENS,
      })
      const lags: number[] = []
      for (const stream of streams) {
        const { tokens } = await server.stampsOf(stream.id)
        if (tokens.length !== stream.arrivals.length) throw new Error(`a token was lost: ${stream.id}`)
        for (const [i, at] of stream.arrivals.entries())
          lags.push((at - Number(BigInt(tokens[i] ?? 0) - BigInt(base))) / 1e6)
      }
      p99.push(quantile(lags, 0.99))
    }
  } finally {
    await thread.close()
  }
  return {
    figures: [
      {
        key: 'lag_p99_100_streams_ms',
        about: 'lag p99 with 100 streams of 50 tokens/s',
        bar: 10,
        sense: '<=',
        blocks: p99,
      },
    ],
    notes: [],
  }
}
