import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { TABLES } from './cells.ts'
import type { Rate } from './rates.ts'
import { print, tableOf, within } from './rates.ts'
import { simulate } from './threads.ts'

/**
 * `npm run calibration`: how often each gate passes what is bad and fails what is good, on seeded worlds whose truth is known. Exit 1 where a
 * rate that is claimed to be at most 5 % lies above it by more than chance (99.9 %).
 */

const RUNS = 400

const USAGE = `usage: npm run calibration [-- --runs N] [--json FILE]
  --runs N     runs per rate (${RUNS}); of a comparison 40 % of them where nothing is claimed, 20 % off the margin
  --only TEXT  tables whose title holds it
  --json FILE  writes { "name": rate, … }
`

const LEGEND = [
  'rates in %, ± one standard error of the simulation; * claimed to be at most 5 %',
  'fail@0.5: fails though only half of the allowed share is beyond; @1: exactly the allowed share; pass@2: passes with twice of it',
  'value: the default gate; proof: confidence 95 %; k6, two numbers: percentiles alone, as its thresholds judge',
  'at the margin: the candidate is exactly 10 % slower; a against b: candidate and current model are spread differently',
]

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { runs: { type: 'string' }, only: { type: 'string' }, json: { type: 'string' } },
  })
  const runs = Number(values.runs ?? RUNS)
  if (!Number.isInteger(runs) || runs < 40) {
    process.stderr.write(USAGE)
    return 2
  }
  print(`${runs} runs per rate; ${LEGEND.join('\n')}`)
  const tables = TABLES.filter(({ title }) => title.includes(values.only ?? ''))
  const all: Rate[] = []
  for (const { title, cells } of tables) {
    print(`\n${title}`)
    const rates = await simulate(cells, runs)
    print(tableOf(rates))
    all.push(...rates)
  }
  const broken = all.filter((rate) => rate.claimed && !within(rate, 0.05))
  for (const rate of broken) print(`ABOVE 5 %: ${rate.name}`)
  if (values.json !== undefined) {
    const json = Object.fromEntries(all.map((rate) => [rate.name, rate.hits / rate.runs]))
    await writeFile(values.json, `${JSON.stringify(json, null, 2)}\n`)
  }
  print(broken.length === 0 ? '\nno claim of 5 % is broken' : `\n${broken.length} claims of 5 % are broken`)
  return broken.length === 0 ? 0 : 1
}

process.exitCode = await main()
