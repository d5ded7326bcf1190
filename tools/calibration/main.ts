import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { comparisonRates } from './comparisons.ts'
import { countRates } from './counts.ts'
import { nightRates } from './nights.ts'
import { slowHourExample } from './slow-hour.ts'
import type { Rate } from './rates.ts'
import { print, tableOf, within } from './rates.ts'

/**
 * `npm run calibration`: how often each gate passes what is bad and fails what is good, on seeded worlds whose truth is known. Exit 1 where a
 * rate that is claimed to be at most 5 % lies above it by more than chance (99.9 %).
 */

const USAGE = `usage: npm run calibration [-- --runs N] [--json FILE]
  --runs N     runs per cell of the tables (400); comparisons take a quarter of them
  --json FILE  writes { "name": rate, … }
`

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { runs: { type: 'string' }, json: { type: 'string' } } })
  const runs = Number(values.runs ?? 400)
  if (!Number.isInteger(runs) || runs < 40) {
    process.stderr.write(USAGE)
    return 2
  }
  const rates: Rate[] = []
  const show = (title: string, part: readonly Rate[]): void => {
    rates.push(...part)
    print(`\n${title}\n${tableOf(part)}`)
  }
  print(`${runs} runs per cell; rates in %, ± one standard error of the simulation; * claimed to be at most 5 %`)
  print(
    'fail@0.5: fails though only half of the allowed share is beyond; @1: exactly the allowed share; pass@2: passes with twice of it',
  )
  print('value: the default gate; proof: confidence 95 %; k6: the percentile alone, as its thresholds judge')
  for (const percentile of [95, 99]) {
    show(`p${percentile} of a fixed limit`, countRates(percentile, runs))
  }
  show('a true 1 % that sits in one hour of 24, over 24 h', slowHourExample(runs))
  show('p50 and p95 against a baseline of the same run, + 10 %', comparisonRates(Math.max(40, Math.floor(runs / 4))))
  show('p50 of tonight against 19 nights that differ by 10 %', nightRates(runs))
  const broken = rates.filter((rate) => rate.claimed && !within(rate, 0.05))
  for (const rate of broken) print(`ABOVE 5 %: ${rate.name}`)
  if (values.json !== undefined) {
    const json = Object.fromEntries(rates.map((rate) => [rate.name, rate.hits / rate.runs]))
    await writeFile(values.json, `${JSON.stringify(json, null, 2)}\n`)
  }
  print(broken.length === 0 ? '\nno claim of 5 % is broken' : `\n${broken.length} claims of 5 % are broken`)
  return broken.length === 0 ? 0 : 1
}

process.exitCode = await main()
