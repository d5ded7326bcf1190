import { startProber } from '../../src/probe/index.ts'
import { benchOrder } from './order.ts'

/** A fresh process that asks as a run does; prints the reported TTFT of each request as one JSON line. */
const [url = '', prefix = '', count = '1'] = process.argv.slice(2)
const prober = startProber()
await prober.ready
const reported: (number | undefined)[] = []
for (let i = 0; i < Number(count); i += 1) {
  const sample = await prober.ask(benchOrder(url, { id: `${prefix}-${i}` }))
  reported.push(sample.ttft_ms)
}
await prober.close()
process.stdout.write(`${JSON.stringify(reported)}\n`)
