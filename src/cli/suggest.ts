import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { messageOf, SloError } from '../errors.ts'
import { advise } from '../verdict/index.ts'
import { readArguments, usageError } from './arguments.ts'
import { parseMap } from './foreign-columns.ts'
import type { Command, CommandIo } from './io.ts'
import { loadRuns } from './load-runs.ts'
import { mergeRuns } from './merge-runs.ts'
import { suggest } from './suggestion.ts'
import { checkZone } from './zone.ts'

const HELP = `vitest-slo suggest CSV… [options]

Proposes a slo.yaml from measured samples: for every cell the tolerance bound of
what was measured plus 20 % of headroom, the reason of each number beside it,
and timeouts for your own client. The samples that it was made from meet it; on
a run that was cut short a report stays inconclusive all the same.

  --out FILE       write it there; a file that exists is never overwritten
                   (default: to standard output)
  --tz ZONE        the file's timezone (default UTC)
  --run ID, --runs all, --map COL=WHAT   as of vitest-slo report
  --help

Example:
  vitest-slo suggest slo-report/samples.csv --runs all --out slo.yaml
`

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = readArguments('suggest', args, {
    out: { type: 'string' },
    tz: { type: 'string' },
    run: { type: 'string' },
    runs: { type: 'string' },
    map: { type: 'string', multiple: true },
  })
  if (positionals.length === 0)
    throw usageError('suggest', 'name at least one CSV', 'as: vitest-slo suggest slo-report/samples.csv')
  if (values.runs !== undefined && (values.runs !== 'all' || values.run !== undefined))
    throw usageError('suggest', 'give one of --run ID and --runs all')
  const timezone = checkZone('suggest', values.tz) ?? 'UTC'
  const choice =
    values.run !== undefined
      ? ({ kind: 'id', id: values.run } as const)
      : ({ kind: values.runs === 'all' ? 'all' : 'newest' } as const)
  const maps = (values.map ?? []).map(parseMap)
  const note = (message: string): void => io.err(`note: ${message}`)
  const merged = mergeRuns(await loadRuns(positionals, { cwd: io.cwd, choice, maps, note, earlier: false }), timezone)
  const { text, budgets, left } = suggest(merged, timezone, advise(merged.samples))
  if (budgets === 0)
    throw new SloError('SAMPLES_UNREADABLE', `${merged.samples.length} samples are too few for any budget`, {
      hint: 'a cell needs at least 10 successes (100 for a p99); pool more runs: --runs all, or several CSVs',
    })
  if (left > 0) note(`${left} of ${left + budgets} proposals do not hold on their own data: they are comments`)
  if (merged.cutShort || merged.incomplete.length > 0)
    note(
      'not all of the run was sampled: a report on it is inconclusive where samples are missing; what is there meets the limits',
    )
  if (values.out === undefined) {
    io.out(text.trimEnd())
    return 0
  }
  try {
    await writeFile(resolve(io.cwd, values.out), text, { flag: 'wx' })
  } catch (error) {
    throw usageError(
      'suggest',
      `cannot write ${values.out}: ${messageOf(error)}`,
      'name another file with --out, or leave it out and look first',
    )
  }
  io.out(
    `${budgets} budgets in ${values.out}; judge with: vitest-slo report ${positionals.join(' ')} --slo ${values.out}`,
  )
  return 0
}

/** `vitest-slo suggest`. */
export const suggestCommand: Command = {
  name: 'suggest',
  about: 'propose budgets from measured samples',
  help: HELP,
  run,
}
