import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SloError } from '../errors.ts'
import { formatCost, formatCount } from '../report/numbers.ts'
import { alignColumns } from '../report/plain-text.ts'
import { formatMs, isoTime } from '../units.ts'
import type { Effort } from '../verdict/index.ts'
import type { PlanFile } from '../vitest/plan-file.ts'
import { readArguments } from './arguments.ts'
import { coverage } from './coverage.ts'
import type { CaseOutlook } from './coverage.ts'
import { forecast } from './forecast.ts'
import type { Forecast } from './forecast.ts'
import type { Command, CommandIo } from './io.ts'
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

function table(rows: readonly (readonly string[])[], right: readonly boolean[]): string {
  return alignColumns(rows, right)
    .map((line) => `  ${line}`)
    .join('\n')
}

const count = (value: number | null): string => (value === null ? '?' : formatCount(value))

function scheduleLines(numbers: Forecast): string {
  const now = Date.now()
  return numbers.probes
    .map(({ probe, everyMs, rounds, forMs, roundMs, lastsMs }) => {
      const asked = rounds === null ? `for ${formatMs(forMs ?? 0)}` : `${formatCount(rounds)} rounds`
      const pace = everyMs === 0 ? 'back to back' : `one every ${formatMs(everyMs)}`
      const lasts = lastsMs === null ? 'how long is unknown' : `about ${formatMs(lastsMs)}`
      const until = lastsMs === null ? '' : `, started now until ${isoTime(now + lastsMs)}`
      const late =
        roundMs !== null && everyMs > 0 && roundMs > everyMs
          ? `\n    a round takes about ${formatMs(roundMs)}, longer than ${formatMs(everyMs)}: rounds will be missed`
          : ''
      return `  ${probe}: ${asked}, ${pace}; ${lasts}${until}${late}`
    })
    .join('\n')
}

function cellLines({ cells }: Forecast): string {
  const rows = cells.map((cell) => [
    `${cell.probe}/${cell.target}/${cell.prompt}`,
    count(cell.requests),
    cell.promptTokens === null ? '?' : `${cell.measured ? '' : '~'}${formatCount(cell.promptTokens)}`,
    cell.completionTokens === null ? `≤ ${formatCount(cell.maxTokens)}` : formatCount(cell.completionTokens),
    cell.costExpected === null ? '' : formatCost(cell.costExpected, cell.currency),
    cell.costAtMost === null ? 'no price' : `≤ ${formatCost(cell.costAtMost, cell.currency)}`,
  ])
  const titles = ['cell', 'requests', 'prompt tokens', 'reply tokens', 'cost', 'at most']
  return table([titles, ...rows], [false, true, true, true, true, true])
}

function totalCosts({ cells }: Forecast): string {
  const priced = Map.groupBy(
    cells.filter((cell) => cell.costAtMost !== null),
    (cell) => cell.currency,
  )
  const parts = [...priced].map(([currency, own]) => {
    const most = own.reduce((sum, cell) => sum + (cell.costAtMost ?? 0), 0)
    const known = own.every((cell) => cell.costExpected !== null)
    const expected = own.reduce((sum, cell) => sum + (cell.costExpected ?? 0), 0)
    return known
      ? `about ${formatCost(expected, currency)}, at most ${formatCost(most, currency)}`
      : `at most ${formatCost(most, currency)}`
  })
  const unpriced = cells.length - [...priced.values()].flat().length
  return [...parts, ...(unpriced > 0 ? [`${formatCount(unpriced)} cells without a price`] : [])].join('; ')
}

const percentOf = (share: number): string => `${Math.round(share * 100)} %`

/** `100 rounds, 300 requests, 13 h 20 min, 390,000 tokens, 1.20 USD`, as far as it is known. */
function effortWords({ rounds, requests, hours, tokens, cost, currency }: Effort): string {
  return [
    `${formatCount(rounds)} rounds`,
    `${formatCount(requests)} requests`,
    ...(hours === null ? [] : [formatMs(hours * 3_600_000)]),
    ...(tokens === null ? [] : [`${formatCount(tokens)} tokens`]),
    ...(cost === null ? [] : [formatCost(cost, currency)]),
  ].join(', ')
}

/** What the samples can find out, and what a proof takes. */
function caseWords({ planned, needed, provenFrom, judgeable, power }: CaseOutlook): string {
  const { caught, falseAlarm, unchangedPasses, toProve } = power
  const found = [
    ...(caught === null ? [] : [`catches ${percentOf(caught.twice)} of breaches twice as bad as allowed`]),
    ...(falseAlarm === null ? [] : [`fails ${percentOf(falseAlarm)} of targets half as bad`]),
    ...(unchangedPasses === null ? [] : [`an unchanged model passes ${percentOf(unchangedPasses)} of the nights`]),
  ].join(', ')
  if (!judgeable) return `CANNOT BE JUDGED: needs ${count(needed)}`
  if (provenFrom === null || toProve === null) return found
  if (planned === null) return `proven from ${formatCount(provenFrom)} clean samples on`
  const proof =
    planned >= provenFrom
      ? 'enough for a proof'
      : `a proof takes ${formatCount(provenFrom)} clean samples: ${effortWords(toProve)}`
  return `${found}; ${proof}`
}

function tell(plan: PlanFile, numbers: Forecast, io: CommandIo): void {
  const { cases, bare } = coverage(plan, numbers)
  const overrides = Object.entries(plan.overrides).map(([name, value]) => `${name}=${value}`)
  const simulated = plan.probes.some(({ probe }) => probe.targets.some((target) => target.kind === 'simulated'))
  const title = (text: string): void => io.out(`\n${io.paint('bold', text)}`)
  io.out(
    `${count(numbers.requests)} requests and ${formatCount(numbers.warmups)} to warm up${simulated ? ', some or all SIMULATED' : ''}${overrides.length === 0 ? '' : ` (${overrides.join(' ')})`}`,
  )
  title('When')
  io.out(scheduleLines(numbers))
  title('What')
  io.out(cellLines(numbers))
  io.out(
    numbers.basis === null
      ? '  ~ estimated from the size of the prompts: no earlier run tells the tokens'
      : `  tokens and times of run ${numbers.basis}`,
  )
  io.out(`  in all: ${totalCosts(numbers)}${plan.maxCost === null ? '' : `; the run ends at maxCost ${plan.maxCost}`}`)
  title('Budgets')
  const rows = cases.map((each) => [
    each.budget === each.text ? each.text : `${each.budget}: ${each.text}`,
    each.name,
    `n ${count(each.planned)}`,
    caseWords(each),
    each.place,
  ])
  io.out(rows.length === 0 ? '  none judges anything' : table(rows, [false, false, true, false, false]))
  const unjudged = cases.filter((each) => !each.judgeable)
  if (unjudged.length > 0)
    io.out(
      `  ${io.paint('yellow', `${unjudged.length} of ${cases.length} verdicts cannot be reached with this many samples`)}`,
    )
  if (bare.length > 0)
    io.out(`  no budget judges ${bare.map((cell) => `${cell.probe}/${cell.target}/${cell.prompt}`).join(', ')}`)
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
  const numbers = await forecast(plan)
  if (values.json === true) io.out(JSON.stringify({ ...plan, ...numbers, ...coverage(plan, numbers) }, null, 2))
  else tell(plan, numbers, io)
  for (const { probe, prompt, problem } of plan.prompts)
    if (problem !== null) io.err(`prompt ${probe}/${prompt} cannot be made: ${problem}`)
  if (plan.refusal !== null) io.err(`\na run would not start: ${plan.refusal.trimEnd()}`)
  return plan.refusal !== null || plan.prompts.some((each) => each.problem !== null) ? 2 : 0
}

/** `vitest-slo plan`. */
export const planCommand: Command = { name: 'plan', about: 'say what a run would ask, cost and judge', help: HELP, run }
