import { startBenchThread, t0Nanoseconds } from './bench-thread.ts'
import type { BenchServer } from './bench-server.ts'
import type { BenchResult } from './figures.ts'

const BLOCKS = 5
const ROUNDS = 40
/** The server's first token comes after so much; stalls begin shortly before. */
const FIRST_MS = 10

/**
 * Every second request, the thread is blocked for 20 to 100 ms where the first token arrives. True lag: our stamp of it minus
 * the server's, which is taken after its write.
 */
export async function benchLag(server: BenchServer): Promise<BenchResult> {
  const thread = await startBenchThread()
  const excess: number[] = []
  const flagged: number[] = []
  const falseFlags: number[] = []
  try {
    for (let block = 0; block < BLOCKS; block += 1) {
      let worst = Number.NEGATIVE_INFINITY
      let hits = 0
      let misses = 0
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const stalled of [false, true]) {
          const id = `lag-${block}-${round}-${String(stalled)}`
          const streaming = { id, firstMs: FIRST_MS, gapMs: 1, tokens: 20 }
          // spread over the ticks, and over the time before the token
          const stall = { afterMs: FIRST_MS - 8 + (round % 8), ms: 20 + ((round * 37) % 81) }
          const asked = await thread.ask(server.url, streaming, stalled ? stall : undefined)
          const stamps = await server.stampsOf(id)
          const { sample } = asked
          const stampedAt = t0Nanoseconds(asked) + BigInt(Math.round((sample.ttft_ms ?? 0) * 1e6))
          const trueLag = Number(stampedAt - BigInt(stamps.tokens[0] ?? 0)) / 1e6
          worst = Math.max(worst, trueLag - (sample.ttft_error_ms ?? 0))
          if (!sample.flags.includes('lag')) continue
          if (stalled) hits += 1
          else misses += 1
        }
      }
      excess.push(worst)
      flagged.push(hits / ROUNDS)
      falseFlags.push(misses / ROUNDS)
    }
  } finally {
    await thread.close()
  }
  return {
    figures: [
      {
        key: 'lag_minus_bound_max_ms',
        about: 'true lag − our bound, largest',
        bar: 0.5,
        sense: '<=',
        blocks: excess,
      },
      {
        key: 'stalls_flagged_share',
        about: 'injected stalls ≥ 20 ms that were flagged',
        bar: 1,
        sense: '=',
        blocks: flagged,
        decides: 'min',
      },
      {
        key: 'false_flags_share',
        about: 'flagged with nothing injected',
        bar: 0.1,
        sense: '<=',
        blocks: falseFlags,
      },
    ],
    notes: [],
  }
}
