import type { AskOrder } from '../../src/probe/types.ts'

/** How the server is told to stream. */
export interface Streaming {
  readonly id: string
  readonly firstMs?: number
  readonly gapMs?: number
  readonly tokens?: number
}

export function benchHeaders({ id, firstMs = 3, gapMs = 1, tokens = 20 }: Streaming): Record<string, string> {
  return {
    'x-bench-id': id,
    'x-bench-first-ms': String(firstMs),
    'x-bench-gap-ms': String(gapMs),
    'x-bench-tokens': String(tokens),
  }
}

export const MESSAGES = [{ role: 'user', content: 'Say twenty words about queues.' }] as const

/** An order of the prober to the bench's server. */
export function benchOrder(baseUrl: string, streaming: Streaming): AskOrder {
  return {
    slot: { seq: 0, round: 0, dueAt: Date.now(), probe: 'bench', target: 'bench', prompt: 'bench' },
    runId: 'bench',
    plan: 'bench',
    target: {
      kind: 'real',
      name: 'bench',
      protocol: 'openai-chat',
      model: 'bench',
      baseUrl,
      apiKeyEnv: null,
      headers: benchHeaders(streaming),
      timeouts: { connect: 5000, firstToken: 30_000, stall: 30_000, total: 60_000 },
      price: null,
      http: '1.1',
    },
    baseUrl,
    request: { maxTokens: 64, temperature: null, cache: 'warm', body: {} },
    messages: MESSAGES,
    nonce: 'bench',
    region: null,
    labels: {},
    simulation: null,
    warmup: false,
  }
}
