import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AskOrder } from './types.ts'
import type { Asker } from './asker.ts'

/**
 * Milliseconds until what the engine compiles and collects in the background is done: without them every third first sample of a fresh
 * process was late by over 1 ms, with them every eighth.
 */
const SETTLE_MS = 150
/** So many requests make the code hot; ten times more are no better. */
const REQUESTS = 20

function event(delta: object): string {
  return `data: ${JSON.stringify({ id: 'warm-up', model: 'warm-up', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`
}

const USAGE = { prompt_tokens: 8, completion_tokens: 6, total_tokens: 14, prompt_tokens_details: { cached_tokens: 0 } }

async function serve(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume()
    request.once('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(event({ role: 'assistant', content: '' }))
      response.write(event({ reasoning_content: 'Let us see' }))
      response.write(event({ content: 'Check the queue – first.' }))
      setTimeout(() => {
        response.write(event({ content: ' Done.' }))
        response.end(
          `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n` +
            `data: ${JSON.stringify({ choices: [], usage: USAGE })}\n\ndata: [DONE]\n\n`,
        )
      }, 1)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return server
}

function orderFor(baseUrl: string): AskOrder {
  return {
    slot: { seq: 0, round: 0, dueAt: Date.now(), probe: 'warm-up', target: 'warm-up', prompt: 'warm-up' },
    runId: 'warm-up',
    plan: 'warm-up',
    target: {
      // as a provider of our own: no proxy stands between
      kind: 'simulated',
      profile: 'default',
      timeScale: 1,
      name: 'warm-up',
      protocol: 'openai-chat',
      model: 'warm-up',
      headers: {},
      timeouts: { connect: 5000, firstToken: 5000, stall: 5000, total: 5000 },
      price: null,
      http: '1.1',
    },
    baseUrl,
    request: { maxTokens: 16, temperature: null, cache: 'warm', body: {} },
    messages: [{ role: 'user', content: 'Say hello.' }],
    nonce: 'warm-up',
    region: null,
    labels: {},
    simulation: null,
    warmup: true,
  }
}

/** Runs the whole road of a request, on a server of our own, so that the first real one does not pay for a cold process. */
export async function warmUpSelf(asker: Asker): Promise<void> {
  const server = await serve()
  try {
    const { port } = server.address() as AddressInfo
    const order = orderFor(`http://127.0.0.1:${port}`)
    for (let count = 0; count < REQUESTS; count += 1) await asker.ask(order, new AbortController().signal)
  } finally {
    server.closeAllConnections()
    server.close()
  }
  await sleep(SETTLE_MS)
}
