import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SloError } from '../errors.ts'
import { formatCount } from '../report/numbers.ts'
import type { PlanFile } from '../vitest/plan-file.ts'
import { wrapText } from '../vitest/wrap-text.ts'
import { readArguments } from './arguments.ts'
import { coverage } from './coverage.ts'
import { forecast } from './forecast.ts'
import type { GroundedForecast } from './forecast.ts'
import type { Command, CommandIo } from './io.ts'
import { budgetLines, cellLines, countOf, totalCosts, whenLines } from './plan-text.ts'
import { runVitest } from './run-vitest.ts'

const HELP = `vitest-slo plan [FILTER…] [options]

Says what a run would ask, when, how long it takes, how many tokens it needs and
what it costs; which budget judges which cell, which cell none does, and what
the planned samples can find out. Nothing is asked of anybody.

  FILTER           spec files, as vitest takes them
  -t PATTERN       tests by name, as vitest takes it
  --config FILE    configuration of Vitest
  --json           the plan as JSON
  --help

SLO_ROUNDS, SLO_EVERY, SLO_FOR, SLO_SIMULATE … hold as in a run. Tokens and
times are those of the newest run in slo-report/; without one they are estimated
from the prompts, and answers count as long as they may get.

Exit: 0 a run could start; 2 it could not, and why.

Example:
  vitest-slo plan
  SLO_ROUNDS=10 vitest-slo plan specs/serverless.probe.ts --json
`

/** Has the project's own Vitest collect the specs, and stop before the first request. */
async function collect(args: readonly string[], io: CommandIo): Promise<PlanFile> {
  const dir = await mkdtemp(join(tmpdir(), 'vitest-slo-plan-'))
  const path = join(dir, 'plan.json')
  try {
    const { output } = await runVitest(io.cwd, ['run', '--project', 'slo', ...args], {
      ...io.env,
      SLO_PLAN_FILE: path,
      SLO_RUN: '1',
      NO_COLOR: '1',
      FORCE_COLOR: undefined,
      GITHUB_ACTIONS: undefined,
    })
    const text = await readFile(path, 'utf8').catch(() => null)
    if (text !== null) return JSON.parse(text) as PlanFile
    throw new SloError('CONFIG_INVALID', `no plan came of it\n\n${output.trim()}\n`, {
      hint: 'is slo() of vitest-slo/config among the plugins of vitest.config.ts, and is there a *.probe.ts file?',
    })
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

function tell(plan: PlanFile, known: GroundedForecast, io: CommandIo): void {
  const { numbers } = known
  const { cases, bare } = coverage(plan, known)
  const overrides = Object.entries(plan.overrides).map(([name, value]) => `${name}=${value}`)
  const simulated = plan.probes.some(({ probe }) => probe.targets.some((target) => target.kind === 'simulated'))
  const title = (text: string): void => io.out(`\n${io.paint('bold', text)}`)
  const say = (lines: readonly string[]): void => lines.forEach((line) => io.out(line))
  io.out(
    `${countOf(numbers.requests, 'request')} and ${formatCount(numbers.warmups)} to warm up${simulated ? ', some or all SIMULATED' : ''}${overrides.length === 0 ? '' : ` (${overrides.join(' ')})`}`,
  )
  title('When')
  say(whenLines(numbers, Date.now(), plan.budgets.timezone))
  title('What: tokens of one request, cost of all')
  say(cellLines(numbers))
  io.out(
    numbers.basis === null
      ? '  ~ estimated from the size of the prompts: no earlier run tells the tokens'
      : `  tokens and times of run ${numbers.basis}`,
  )
  io.out(
    `  in all: ${totalCosts(numbers.cells)}${plan.maxCost === null ? '' : `; the run ends at maxCost ${plan.maxCost}`}`,
  )
  title('Budgets, if requests are independent')
  say(budgetLines(cases, (text) => io.paint('yellow', text)))
  if (cases.length === 0) io.out('  none judges anything')
  const unjudged = cases.filter((each) => !each.judgeable)
  if (unjudged.length > 0) {
    const verdicts = `${unjudged.length} of ${cases.length} verdicts cannot be reached with this many samples`
    io.out(`  ${io.paint('yellow', verdicts)}`)
  }
  if (bare.length > 0) {
    const names = bare.map((cell) => `${cell.probe}/${cell.target}/${cell.prompt}`)
    io.out(wrapText(`  no budget judges ${names.join(', ')}`, 80, 4))
  }
  for (const { message, hint } of plan.notes) io.err(`note: ${message}${hint === undefined ? '' : ` (${hint})`}`)
}

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = readArguments('plan', args, {
    json: { type: 'boolean' },
    config: { type: 'string' },
    testNamePattern: { type: 'string', short: 't' },
  })
  const passed = [
    ...(values.config === undefined ? [] : ['--config', values.config]),
    ...(values.testNamePattern === undefined ? [] : ['-t', values.testNamePattern]),
    ...positionals,
  ]
  const plan = await collect(passed, io)
  const known = await forecast(plan)
  if (values.json === true) io.out(JSON.stringify({ ...plan, ...known.numbers, ...coverage(plan, known) }, null, 2))
  else tell(plan, known, io)
  for (const { probe, prompt, problem } of plan.prompts)
    if (problem !== null) io.err(`prompt ${probe}/${prompt} cannot be made: ${problem}`)
  if (plan.refusal !== null) io.err(`\na run would not start: ${plan.refusal.trimEnd()}`)
  return plan.refusal !== null || plan.prompts.some((each) => each.problem !== null) ? 2 : 0
}

/** `vitest-slo plan`. */
export const planCommand: Command = { name: 'plan', about: 'say what a run would ask, cost and judge', help: HELP, run }
