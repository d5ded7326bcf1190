import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { startBenchServer } from './bench-server.ts'
import type { BenchServer } from './bench-server.ts'
import { benchCpu } from './cpu.ts'
import { isMet, valueOf } from './figures.ts'
import type { BenchResult } from './figures.ts'
import { benchEvaluation } from './evaluation.ts'
import { benchFirstSample } from './first-sample.ts'
import { benchLag } from './lag.ts'
import { benchPool } from './pool.ts'
import { benchReport } from './report.ts'
import { benchStreams } from './streams.ts'
import { benchTtft } from './ttft.ts'

/** Everything that can be measured, by name. */
const BENCHES: Readonly<Record<string, (server: BenchServer) => Promise<BenchResult>>> = {
  ttft: benchTtft,
  lag: benchLag,
  first: benchFirstSample,
  streams: benchStreams,
  cpu: benchCpu,
  pool: benchPool,
  evaluation: benchEvaluation,
  report: benchReport,
}

const USAGE = `usage: npm run bench -- [--only NAME[,NAME]] [--json FILE]\nNAME: ${Object.keys(BENCHES).join(' ')}\n`

interface Arguments {
  readonly names: readonly string[]
  readonly json: string | undefined
}

function argumentsOf(argv: readonly string[]): Arguments | undefined {
  try {
    const { values } = parseArgs({ args: [...argv], options: { only: { type: 'string' }, json: { type: 'string' } } })
    const names = values.only?.split(',') ?? Object.keys(BENCHES)
    return names.every((name) => Object.hasOwn(BENCHES, name)) ? { names, json: values.json } : undefined
  } catch {
    return undefined
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function round(value: number): number {
  return Number(value.toPrecision(4))
}

async function main(): Promise<number> {
  const asked = argumentsOf(process.argv.slice(2))
  if (asked === undefined) {
    process.stderr.write(USAGE)
    return 2
  }
  const json: Record<string, number> = {}
  let missed = 0
  const server = await startBenchServer()
  try {
    for (const name of asked.names) {
      const result = await BENCHES[name]?.(server)
      for (const figure of result?.figures ?? []) {
        const value = valueOf(figure)
        const met = isMet(figure)
        if (!met) missed += 1
        json[figure.key] = round(value)
        print(
          `${met ? 'ok    ' : 'MISSED'} ${figure.key} ${round(value)}  (bar ${figure.sense} ${figure.bar})  ${figure.about}`,
        )
        print(`         blocks ${figure.blocks.map(round).join('  ')}`)
      }
      for (const note of result?.notes ?? []) {
        json[note.key] = round(note.value)
        print(`         ${note.key} ${round(note.value)}  ${note.about}`)
      }
    }
  } finally {
    server.close()
  }
  if (asked.json !== undefined) await writeFile(asked.json, `${JSON.stringify(json, null, 2)}\n`)
  print(missed === 0 ? 'every bar is met' : `${missed} of the bars missed`)
  return missed === 0 ? 0 : 1
}

process.exitCode = await main()
