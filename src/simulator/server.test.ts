import { Agent } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serve } from './server.ts'
import type { SimulatorServer } from './server.ts'
import { ask, events } from './testing/ask.ts'

let server: SimulatorServer
beforeAll(async () => {
  server = await serve({ seed: 1 })
})
afterAll(async () => {
  await server.close()
})

interface Chunk {
  readonly model: string
  readonly choices: readonly {
    readonly delta: { readonly role?: string; readonly content?: string; readonly reasoning_content?: string }
    readonly finish_reason: string | null
  }[]
  readonly usage?: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly completion_tokens_details: { readonly reasoning_tokens: number }
  }
}

function cellHeaders(model: string, k: number): Record<string, string> {
  return {
    'x-slo-profile': model,
    'x-slo-cell': encodeURIComponent(`serverless/${model}/short`),
    'x-slo-k': String(k),
    'x-slo-seed': '1',
  }
}

describe('a chat completion', () => {
  test('is a role, tokens, a finish reason, usage, and [DONE]', async () => {
    const answer = await ask({ url: server.url, body: { model: 'my-model' } })
    expect(answer).toMatchObject({ status: 200, ended: 'end' })
    expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    expect(answer.headers['x-request-id']).toMatch(/^slo-sim-[0-9a-f]{16}$/)
    const all = events(answer.text)
    expect(all.at(-1)).toBe('[DONE]')
    const chunks = all.slice(0, -1) as Chunk[]
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' })
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
    expect(chunks.at(-1)?.choices).toEqual([])
    expect(chunks.every((chunk) => chunk.model === 'my-model')).toBe(true)
    const words = chunks.flatMap((chunk) => chunk.choices[0]?.delta.content ?? '').filter((text) => text !== '')
    expect(words.length).toBeGreaterThan(100)
    expect(answer.text).toMatch(/\n\n: slo-sim late_ms=\d+\.\d{3}\n\ndata: \[DONE\]\n\n$/)
  })

  test('has no usage unless asked for; works without /v1', async () => {
    const answer = await ask({ url: server.url, path: '/chat/completions', body: { stream_options: null } })
    expect(answer.ended).toBe('end')
    expect(answer.text).not.toContain('"usage"')
  })

  test('reasons before it answers where the profile does, and stops at the cap', async () => {
    for (const k of [0, 1, 2, 3, 4, 5]) {
      const headers = cellHeaders('glm-5.3', k)
      const answer = await ask({ url: server.url, headers, body: { model: 'glm-5.3', max_completion_tokens: 900 } })
      const chunks = events(answer.text).filter((entry) => entry !== '[DONE]') as Chunk[]
      const kinds = chunks.flatMap(({ choices }) =>
        Object.keys(choices[0]?.delta ?? {}).filter((kind) => kind !== 'role'),
      )
      const usage = chunks.at(-1)?.usage
      expect(kinds.slice(1).join(' ')).toMatch(/^(?:reasoning_content ?)+(?:content ?)*$/)
      expect(usage?.completion_tokens).toBeLessThanOrEqual(900)
      const capped = usage?.completion_tokens === 900
      expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe(capped ? 'length' : 'stop')
    }
  })

  test('is the same for the same seed, cell and round, and another for another round', async () => {
    const usageOf = async (k: number): Promise<string> => {
      const answer = await ask({ url: server.url, headers: cellHeaders('gemma-4-31B-it', k) })
      return `${JSON.stringify((events(answer.text).at(-2) as Chunk).usage)} ${answer.headers['x-request-id'] as string}`
    }
    const [first, again, other] = [await usageOf(0), await usageOf(0), await usageOf(1)]
    expect(again).toBe(first)
    expect(other).not.toBe(first)
  })

  test('a warm-up is short and takes no draw', async () => {
    const usage = async (headers: Record<string, string>): Promise<number | undefined> => {
      const answer = await ask({ url: server.url, headers: { 'x-slo-profile': 'llama-4-maverick', ...headers } })
      return (events(answer.text).at(-2) as Chunk).usage?.completion_tokens
    }
    const cell = { 'x-slo-cell': 'own%2Fcounter%2Fcell' }
    expect(await usage({ ...cell, 'x-slo-warmup': '1' })).toBe(16)
    const first = await usage(cell)
    expect(await usage({ ...cell, 'x-slo-k': '0' })).toBe(first)
  })

  test('may come in one piece', async () => {
    const answer = await ask({ url: server.url, body: { stream: false } })
    expect(JSON.parse(answer.text)).toMatchObject({ object: 'chat.completion', choices: [{ finish_reason: 'stop' }] })
  })
})

describe('what the simulator cannot make sense of is a 400 that says so', () => {
  test.each([
    [
      'an unknown profile',
      { 'x-slo-profile': 'glm-6' },
      {},
      /no simulator profile \\"glm-6\\"; the profiles are deepseek-3\.2, default/,
    ],
    ['an unknown fault', { 'x-slo-fault': 'explode' }, {}, /there is no fault explode; the faults are http-400/],
    [
      'an unknown parameter',
      { 'x-slo-fault': 'gzip;level=9' },
      {},
      /fault gzip takes k, times, id, on, warmup, not level/,
    ],
    ['a fault in the body', {}, { slo_fault: 'explode' }, /there is no fault explode/],
    ['a round that is no number', { 'x-slo-k': 'x' }, {}, /header x-slo-k: not a number/],
    ['no messages', {}, { messages: [] }, /messages/],
  ])('%s', async (_what, headers, body, message) => {
    const answer = await ask({ url: server.url, headers, body })
    expect(answer.status).toBe(400)
    expect(answer.text).toMatch(message)
  })
})

test('connections are kept, and idle ones stay open unless a fault closes them', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const closed: string[] = []
  agent.on('free', (socket: NodeJS.EventEmitter) => socket.once('close', () => closed.push('closed')))
  await ask({ url: server.url, agent })
  await ask({ url: server.url, agent })
  expect(Object.values(agent.freeSockets).flat()).toHaveLength(1)
  const [socket] = Object.values(agent.freeSockets).flat()
  const gone = new Promise((resolve) => socket?.once('close', resolve))
  const answer = await ask({ url: server.url, agent, headers: { 'x-slo-fault': 'close-idle;ms=5' } })
  expect(answer).toMatchObject({ status: 200, ended: 'end' })
  expect(answer.headers.connection).toBe('keep-alive')
  await gone
  expect(closed.length).toBeGreaterThan(0)
  agent.destroy()
})

test('a reset can be for reused connections alone, and can strike the second time too', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const once = { 'x-slo-fault': 'reset-before-headers;on=reused' }
  expect((await ask({ url: server.url, agent, headers: once })).ended).toBe('end')
  expect((await ask({ url: server.url, agent, headers: once })).ended).toBe('ECONNRESET')
  expect((await ask({ url: server.url, agent, headers: once })).ended).toBe('end')
  const always = { 'x-slo-fault': 'reset-before-headers' }
  for (let i = 0; i < 2; i += 1)
    expect((await ask({ url: server.url, agent, headers: always })).ended).toBe('ECONNRESET')
  agent.destroy()
})
