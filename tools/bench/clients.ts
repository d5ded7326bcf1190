import OpenAI from 'openai'
import { createParser } from 'eventsource-parser'
import type { Prober } from '../../src/probe/types.ts'
import { MESSAGES, benchHeaders, benchOrder } from './order.ts'

/** A client that reports its own TTFT, milliseconds. */
export type Client = (id: string) => Promise<number>

/** Our prober as it ships: in its own thread. */
export function ours(prober: Prober, url: string): Client {
  return async (id) => {
    const sample = await prober.ask(benchOrder(url, { id }))
    if (sample.outcome !== 'ok' || sample.ttft_ms === undefined) throw new Error(`ours: ${JSON.stringify(sample)}`)
    return sample.ttft_ms
  }
}

/** What one writes in ten minutes: the clock around global `fetch`. */
export function plainFetch(url: string): Client {
  return async (id) => {
    const startedAt = performance.now()
    let ttft: number | undefined
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...benchHeaders({ id }) },
      body: JSON.stringify({ model: 'bench', messages: MESSAGES, stream: true }),
    })
    const parser = createParser({
      onEvent: ({ data }) => {
        if (ttft !== undefined || data === '[DONE]') return
        const event = JSON.parse(data) as { choices: { delta: { content?: string } }[] }
        if ((event.choices[0]?.delta.content ?? '') !== '') ttft = performance.now() - startedAt
      },
    })
    if (response.body === null) throw new Error('fetch: no body')
    const decoder = new TextDecoder()
    for await (const chunk of response.body) parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }))
    if (ttft === undefined) throw new Error('fetch: no token')
    return ttft
  }
}

/** The `openai` package, as its README streams. */
export function openaiPackage(url: string): Client {
  const client = new OpenAI({ apiKey: 'bench', baseURL: url, maxRetries: 0 })
  return async (id) => {
    const startedAt = performance.now()
    let ttft: number | undefined
    const stream = await client.chat.completions.create(
      { model: 'bench', messages: [...MESSAGES], stream: true },
      { headers: benchHeaders({ id }) },
    )
    for await (const event of stream)
      if ((event.choices[0]?.delta.content ?? '') !== '') ttft ??= performance.now() - startedAt
    if (ttft === undefined) throw new Error('openai: no token')
    return ttft
  }
}
