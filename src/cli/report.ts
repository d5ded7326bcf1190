import { relative, resolve } from 'node:path'
import { formatProblems } from '../budget/index.ts'
import { SloError } from '../errors.ts'
import { brokenCells, outcomeOf } from '../report/outcome.ts'
import { renderFinding, tellGitHub, writeReports } from '../report/index.ts'
import type { RunReport } from '../report/types.ts'
import { readBaselineFiles } from '../vitest/baselines.ts'
import { loadBudgets } from '../vitest/budgets-file.ts'
import { readArguments, usageError } from './arguments.ts'
import { parseMap } from './foreign-columns.ts'
import type { Command, CommandIo } from './io.ts'
import { judgeAgain } from './judge-again.ts'
import { loadRuns } from './load-runs.ts'
import type { RunChoice } from './load-runs.ts'
import { mergeRuns } from './merge-runs.ts'
import { checkZone } from './zone.ts'

const HELP = `vitest-slo report CSV… [options]

Judges samples again, from CSVs alone, and writes the reports. Nothing is asked
of anybody.

  --slo FILE       budgets (default: slo.yaml of this folder, if there is one)
  --tz ZONE        zone of the report's times of day, as Asia/Kolkata
                   (default: the budgets' timezone)
  --out DIR        where junit.xml, report.json, summary.md and report.html go
                   (default: slo-report)
  --run ID         judge this run instead of the newest of each file
  --runs all       pool all runs of each file
  --map COL=WHAT   for a CSV of others, repeated: COL=metric:unit
                   (ttft_seconds=ttft:s) or COL=word (model=target; probe
                   prompt region started_at outcome error_kind … as well)
  --junit-strict   junit.xml by the letter of the Jenkins schema
  --help

Several CSVs are pooled: regions, nights, shards. What a run planned comes from
the runs.jsonl beside its CSV; without one it is unknown, and said so.

Exit: 0 no budget breached; 1 one is, or could not be judged; 2 wrong usage,
unreadable input, a cell without any sample.

Example:
  vitest-slo report slo-report/samples.csv --slo stricter.yaml --out slo-again
  vitest-slo report theirs.csv --map ttft_seconds=ttft:s --map model=target
`

function choiceOf(run: string | undefined, runs: string | undefined): RunChoice {
  if (run !== undefined && runs !== undefined) throw usageError('report', 'give one of --run and --runs')
  if (runs !== undefined && runs !== 'all') throw usageError('report', `--runs ${runs}: the one choice is --runs all`)
  if (run !== undefined) return { kind: 'id', id: run }
  return runs === 'all' ? { kind: 'all' } : { kind: 'newest' }
}

function tellFindings(report: RunReport, io: CommandIo): void {
  const counts = { fail: 0, warn: 0, inconclusive: 0, pass: 0 }
  for (const finding of report.findings) {
    if (finding.verdict === 'pass') counts.pass += 1
    else counts[finding.verdict === 'fail' ? finding.severity : 'inconclusive'] += 1
    const outcome = outcomeOf(finding)
    if (outcome === 'fail') io.out(`${io.paint('red', 'FAIL')}  ${renderFinding(finding)}\n`)
    else if (outcome === 'warn') io.out(`${io.paint('yellow', 'warn')}  ${finding.message}`)
  }
  const words = Object.entries(counts).filter(([, count]) => count > 0)
  const verdicts =
    words.length === 0 ? 'no budget was judged' : words.map(([word, count]) => `${count} ${word}`).join(', ')
  const { run } = report
  const planned = run.planned === null ? ' (planned: unknown)' : ` of ${run.planned}`
  io.out(
    `run ${run.id}: ${run.sampled}${planned} samples; ${verdicts}${run.simulated ? '; SIMULATED, not measured' : ''}`,
  )
}

/** As of the run itself; that the run was interrupted is no interruption of the judging. */
function exitOf(report: RunReport, broken: string | null, cutShort: boolean, unwritten: boolean): number {
  // no data is no pass, whatever a budget makes of what is inconclusive
  const empty = report.run.sampled === 0 || (!cutShort && brokenCells(report).length > 0)
  if (unwritten || broken !== null || empty || report.findings.some((each) => each.broken)) return 2
  return report.findings.some((each) => outcomeOf(each) === 'fail') ? 1 : 0
}

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = readArguments('report', args, {
    slo: { type: 'string' },
    tz: { type: 'string' },
    out: { type: 'string' },
    run: { type: 'string' },
    runs: { type: 'string' },
    map: { type: 'string', multiple: true },
    'junit-strict': { type: 'boolean' },
  })
  if (positionals.length === 0)
    throw usageError('report', 'name at least one CSV', 'as: vitest-slo report slo-report/samples.csv')
  const note = (message: string): void => io.err(`note: ${message}`)
  const budgets = loadBudgets(io.cwd, values.slo ?? null)
  const { text, parsed } = budgets
  const errors = parsed.problems.filter((problem) => problem.level === 'error')
  if (errors.length > 0) throw new SloError('BUDGETS_INVALID', formatProblems(errors, text))
  for (const { code, message } of parsed.problems)
    note(code === 'no-budgets' ? 'there is no slo.yaml: numbers only, nothing is judged (--slo FILE)' : message)
  const { baselines, problems } = await readBaselineFiles(budgets)
  if (problems.length > 0) throw new SloError('BUDGETS_INVALID', problems.join('\n'))
  const timezone = checkZone('report', values.tz) ?? parsed.file.timezone
  const choice = choiceOf(values.run, values.runs)
  const maps = (values.map ?? []).map(parseMap)
  const merged = mergeRuns(await loadRuns(positionals, { cwd: io.cwd, choice, maps, note, earlier: true }), timezone)
  const report = judgeAgain(merged, parsed.file, text, note, baselines)
  const dir = resolve(io.cwd, values.out ?? 'slo-report')
  const files = await writeReports(report, dir, {
    junit: { strict: values['junit-strict'] === true },
    samples: merged.samples,
  })
  tellFindings(report, io)
  if (merged.broken !== null) io.err(`the run ended early by a fault of its own: ${merged.broken}`)
  for (const { file, message } of files.failed) io.err(`COULD NOT WRITE ${file}: ${message}`)
  io.out(`reports in ${relative(io.cwd, dir) || '.'}/: ${files.written.map((file) => relative(dir, file)).join(', ')}`)
  await tellGitHub(report, { variables: io.env, annotate: true, print: io.out, say: io.err })
  return exitOf(report, merged.broken, merged.cutShort, files.failed.length > 0)
}

/** `vitest-slo report`. */
export const reportCommand: Command = {
  name: 'report',
  about: 'judge CSVs again and write the reports',
  help: HELP,
  run,
}
