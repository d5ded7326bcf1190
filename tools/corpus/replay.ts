import { Buffer } from 'node:buffer'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Asker } from '../../src/probe/asker.ts'
import { protocols } from '../../src/probe/protocols/index.ts'
import type { AskOrder } from '../../src/probe/types.ts'
import type { Sample } from '../../src/sample/types.ts'
import { cuts } from './cuts.ts'
import { gotFrom } from './got.ts'
import type { Observed } from './got.ts'
import type { RecordedError, RecordedStream } from './index-file.ts'
import { coded } from './replay-server.ts'
import type { ReplayServer } from './replay-server.ts'

/** One field of one stream that came out otherwise. */
export interface Difference {
  readonly stream: string
  readonly field: string
  readonly expected: unknown
  readonly got: unknown
}

const modules = new URL('../../fixtures/protocols/', import.meta.url)

/** A protocol of the package, or a module in `fixtures/protocols/` that has its name, with or without the framing. */
export function protocolFor({ protocol, framing }: RecordedStream): string | undefined {
  const module = [`${protocol}-${framing}.ts`, `${protocol}.ts`]
    .map((name) => new URL(name, modules))
    .find((url) => existsSync(url))
  return module?.href ?? (protocols.has(protocol) ? protocol : undefined)
}

function orderTo(url: string, protocol: string): AskOrder {
  return {
    slot: { seq: 0, round: 0, dueAt: Date.now(), probe: 'corpus', target: 'corpus', prompt: 'corpus' },
    runId: 'corpus',
    plan: 'corpus',
    target: {
      kind: 'real',
      name: 'corpus',
      protocol,
      model: 'corpus',
      baseUrl: url,
      apiKeyEnv: null,
      headers: {},
      timeouts: { connect: 10_000, firstToken: 30_000, stall: 30_000, total: 60_000 },
      price: null,
      http: '1.1',
    },
    baseUrl: url,
    request: { maxTokens: 16, temperature: null, cache: 'cold', body: {} },
    messages: [{ role: 'user', content: 'Say hello.' }],
    nonce: 'corpus',
    region: null,
    labels: {},
    simulation: null,
    warmup: false,
  }
}

/** Replays recordings through the prober, one at a time. */
export class Replayer {
  readonly #server: ReplayServer
  readonly #folder: string
  readonly #asker: Asker
  #observed: Observed[] = []

  constructor(server: ReplayServer, folder: string) {
    this.#server = server
    this.#folder = folder
    this.#asker = new Asker(undefined, (reading, index, event) => this.#observed.push({ reading, index, event }))
  }

  close(): void {
    this.#asker.close()
  }

  async #ask(protocol: string): Promise<Sample> {
    this.#observed = []
    return await this.#asker.ask(orderTo(this.#server.url, protocol), new AbortController().signal)
  }

  /** Every way of cutting; a difference is told once, with the first cut that shows it. */
  async stream(stream: RecordedStream): Promise<readonly Difference[]> {
    const name = stream.file.replace(/^streams\//, '')
    const protocol = protocolFor(stream)
    if (protocol === undefined)
      return [{ stream: name, field: 'protocol', expected: stream.protocol, got: 'no such protocol' }]
    const body = coded(readFileSync(join(this.#folder, stream.file)), stream.content_encoding)
    const differences = new Map<string, Difference>()
    for (const cut of cuts) {
      this.#server.answer = {
        status: 200,
        headers: {
          ...(stream.content_type === null ? {} : { 'content-type': stream.content_type }),
          ...(stream.content_encoding === null ? {} : { 'content-encoding': stream.content_encoding }),
        },
        chunks: cut.chunks(body),
      }
      const sample = await this.#ask(protocol)
      const got = gotFrom(sample, this.#observed)
      for (const [field, expected] of Object.entries(stream.expected)) {
        if (same(expected, got[field]) || differences.has(field)) continue
        differences.set(field, { stream: `${name} (${cut.name})`, field, expected, got: got[field] })
      }
    }
    return [...differences.values()]
  }

  /** An error's body: its status and class, and what it says. */
  async error(error: RecordedError): Promise<readonly Difference[]> {
    const name = error.file.replace(/^http_errors\//, '')
    const body = readFileSync(join(this.#folder, error.file))
    const {
      'content-encoding': _coding,
      'transfer-encoding': _transfer,
      'content-length': _length,
      ...headers
    } = error.headers
    this.#server.answer = { status: error.status, headers, chunks: [Buffer.from(body)] }
    const sample = await this.#ask('openai-chat')
    const kind = sample.outcome === 'error' ? sample.error_kind : 'ok'
    const differences: Difference[] = []
    if (kind !== 'http_status')
      differences.push({ stream: name, field: 'error_kind', expected: 'http_status', got: kind })
    const got = { status: sample.status, class: sample.outcome === 'error' ? sample.error_class : undefined }
    const expected = { status: error.status, class: error.suggested_class }
    for (const field of ['status', 'class'] as const)
      if (got[field] !== expected[field])
        differences.push({ stream: name, field, expected: expected[field], got: got[field] })
    return differences
  }
}

function same(expected: unknown, got: unknown): boolean {
  return JSON.stringify(expected ?? null) === JSON.stringify(got ?? null)
}
