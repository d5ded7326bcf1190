import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { compare, table } from './compare.ts'
import { readRows } from './row.ts'

/**
 * `npm run study`: the study's 288 rounds on the simulator by this repository's own check, then its figures beside the
 * published ones. Exit 0: every figure within its tolerance; 1: some are not; 2: there is nothing to compare.
 */

const USAGE = `usage: npm run study [-- --out DIR | --csv FILE]
  --out DIR   where the run writes its samples (slo-report/study)
  --csv FILE  compares the newest run of a samples.csv, and asks nothing`

const ROUNDS = 288
const REQUESTS = ROUNDS * 12
const TIME_SCALE = 25

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Runs the check; resolves with Vitest's exit code, or with 130 where a signal ended it. */
async function runCheck(out: string): Promise<number> {
  const settings = {
    SLO_RUN: '1',
    SLO_SIMULATE: '1',
    SLO_TIME_SCALE: String(TIME_SCALE),
    SLO_ROUNDS: String(ROUNDS),
    SLO_EVERY: '0s',
    SLO_SEED: '1',
    SLO_FRESH: '1',
    SLO_OUT: out,
  }
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', '--project', 'slo', 'specs/serverless.probe.ts'], {
    cwd: root,
    env: { ...process.env, ...settings },
    stdio: 'inherit',
  })
  // Ctrl+C reaches Vitest as well, which ends by itself and writes what there is.
  process.on('SIGINT', () => {})
  return await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 130))
  })
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { out: { type: 'string' }, csv: { type: 'string' }, help: { type: 'boolean' } },
  })
  if (values.help === true) {
    console.log(USAGE)
    return 0
  }
  const out = values.out ?? join(root, 'slo-report/study')
  if (values.csv === undefined) {
    const code = await runCheck(out)
    // 1: a budget failed. That is no matter of this comparison.
    if (code !== 0 && code !== 1) return code
  }
  const file = values.csv ?? join(out, 'samples.csv')
  const rows = readRows(await readFile(file, 'utf8'))
  if (rows.length === 0) {
    console.error(`${file} has no samples`)
    return 2
  }
  const comparisons = compare(rows)
  const outside = comparisons.filter(({ ok }) => !ok).length
  const whole = values.csv !== undefined || rows.length === REQUESTS
  console.log(table(comparisons))
  console.log(`${rows.length} samples of ${file}${whole ? '' : `, and not the ${REQUESTS} that were planned`}`)
  console.log(`${comparisons.length - outside} of ${comparisons.length} figures within their tolerances`)
  return outside === 0 && whole ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
  process.exitCode = 2
}
