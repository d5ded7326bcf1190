import { createParser } from 'eventsource-parser'
import { openaiChat } from '../../src/probe/protocols/openai-chat.ts'
import { StreamReader } from '../../src/probe/stream-reader.ts'
import type { BenchResult } from './figures.ts'

const BLOCKS = 5
const EVENTS = 100_000

/** Chunks of one event each, every tenth with a character beyond ASCII. */
function chunks(): readonly Buffer[] {
  return Array.from({ length: 1000 }, (_none, i) =>
    Buffer.from(
      `data: ${JSON.stringify({
        id: 'chatcmpl-bench',
        object: 'chat.completion.chunk',
        created: 1_764_547_200,
        model: 'bench',
        system_fingerprint: 'fp_44709d6fcb',
        choices: [
          { index: 0, delta: { content: i % 10 === 0 ? ' größer' : ` word${i}` }, logprobs: null, finish_reason: null },
        ],
      })}\n\n`,
    ),
  )
}

function cpuMs(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** CPU of an event in our reader, protocol and all, against a bare loop of eventsource-parser and `JSON.parse`. */
export async function benchCpu(): Promise<BenchResult> {
  const pieces = chunks()
  let sink = 0
  const bare = (): void => {
    const parser = createParser({
      onEvent: ({ data }) => {
        sink += (JSON.parse(data) as { choices: unknown[] }).choices.length
      },
    })
    const decoder = new TextDecoder()
    for (let i = 0; i < EVENTS; i += 1) parser.feed(decoder.decode(pieces[i % pieces.length], { stream: true }))
  }
  const reader = (): void => {
    const stream = new StreamReader(openaiChat)
    for (let i = 0; i < EVENTS; i += 1) stream.feed(pieces[i % pieces.length] ?? Buffer.alloc(0), i, 0)
    sink += stream.tokenTimes.length
  }
  bare()
  reader()
  const ratios: number[] = []
  const perEvent: number[] = []
  for (let block = 0; block < BLOCKS; block += 1) {
    // halves in mirrored order, so that a drift of the machine meets both
    const first = cpuMs(bare)
    const ours = cpuMs(reader) + cpuMs(reader)
    const bareMs = first + cpuMs(bare)
    ratios.push(ours / bareMs)
    perEvent.push((ours / EVENTS / 2) * 1000)
  }
  if (sink === 0) throw new Error('nothing was read')
  return {
    figures: [
      {
        key: 'cpu_per_event_over_bare',
        about: 'CPU per event / bare eventsource-parser + JSON.parse',
        bar: 1.5,
        sense: '<=',
        blocks: ratios,
      },
    ],
    notes: [{ key: 'cpu_per_event_us', about: 'CPU per event, µs', value: Math.min(...perEvent) }],
  }
}
