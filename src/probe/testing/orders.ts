import type { RealTarget, SimulatedTarget } from '../../spec/types.ts'
import type { AskOrder } from '../types.ts'

const base = {
  protocol: 'openai-chat',
  model: 'asked-1',
  headers: {},
  timeouts: { connect: 5000, firstToken: 20_000, stall: 20_000, total: 30_000 },
  price: null,
  http: '1.1',
} as const

/** An order to a real target at `baseUrl`, with short messages. */
export function orderTo(baseUrl: string, target: Partial<RealTarget> = {}, order: Partial<AskOrder> = {}): AskOrder {
  return {
    slot: { seq: 3, round: 1, dueAt: Date.UTC(2026, 10, 30), probe: 'probe', target: 'target', prompt: 'short' },
    runId: 'run',
    plan: 'plan',
    target: { ...base, kind: 'real', name: 'target', baseUrl, apiKeyEnv: null, ...target },
    baseUrl,
    request: { maxTokens: 64, temperature: 0.2, cache: 'cold', body: {} },
    messages: [{ role: 'user', content: 'Grüße' }],
    nonce: 'nonce',
    region: null,
    labels: {},
    simulation: null,
    warmup: false,
    ...order,
  }
}

/** An order to a simulated target. */
export function simulatedOrderTo(baseUrl: string, timeScale: number, target: Partial<SimulatedTarget> = {}): AskOrder {
  const { target: _real, ...order } = orderTo(baseUrl)
  return {
    ...order,
    target: { ...base, kind: 'simulated', name: 'target', profile: 'default', timeScale, ...target },
    simulation: { cell: 'probe/target/short', k: 1, profile: 'default', timeScale, seed: 9 },
  }
}
