import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { serverTtftMs } from './bench-server.ts'
import type { BenchServer } from './bench-server.ts'
import { median } from './figures.ts'
import type { BenchResult } from './figures.ts'

const PROCESSES = 10
/** Requests of each process; those from the tenth on are steady. */
const REQUESTS = 40
const STEADY_FROM = 10

/** How much worse the first sample of a fresh process is than its later ones: error of TTFT. */
export async function benchFirstSample(server: BenchServer): Promise<BenchResult> {
  const run = promisify(execFile)
  const script = fileURLToPath(new URL('./fresh-process.ts', import.meta.url))
  const ratios: number[] = []
  for (let process_ = 0; process_ < PROCESSES; process_ += 1) {
    const prefix = `fresh-${process_}`
    const { stdout } = await run(process.execPath, [script, server.url, prefix, String(REQUESTS)])
    const reported = JSON.parse(stdout) as number[]
    const errors: number[] = []
    for (const [i, ttft] of reported.entries()) {
      const stamps = await server.stampsOf(`${prefix}-${i}`)
      errors.push(ttft - serverTtftMs(stamps))
    }
    ratios.push((errors[0] ?? Number.NaN) / median(errors.slice(STEADY_FROM)))
  }
  return {
    figures: [
      {
        key: 'first_sample_over_steady',
        about: 'first sample of a fresh process / steady p50',
        bar: 5,
        sense: '<=',
        blocks: ratios,
      },
    ],
    notes: [],
  }
}
