import type { Acknowledgement, BudgetCase } from '../budget/types.ts'
import { isUpper } from '../budget/index.ts'
import type { Sample } from '../sample/types.ts'
import { amount } from './amounts.ts'
import { cellKey } from './pool.ts'
import type { CellIndex, Samples } from './pool.ts'
import type { Acknowledged, Finding, JudgeInput } from './types.ts'

/** What lets a breach pass for now: the first nights of `fail_after`, and what somebody has acknowledged. */

function dayIn(timezone: string, iso: string): string {
  // en-CA writes days as ISO 8601 does.
  return new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' }).format(new Date(iso))
}

function isWithin({ value, valueIsBound, operator }: Finding, upTo: number | null): boolean {
  if (upTo === null) return true
  if (value === null || valueIsBound) return false
  return isUpper(operator) ? value <= upTo : value >= upTo
}

function stateOf(finding: Finding, { until, upTo }: Acknowledgement, day: string): Acknowledged['state'] {
  if (day > until) return 'expired'
  return isWithin(finding, upTo) ? 'holds' : 'exceeded'
}

function acknowledgedWords({ state, until, reason, upTo }: Acknowledged, { unit, currency }: Finding): string {
  const value = upTo === null ? '' : ` up to ${amount(upTo, unit, currency)}`
  switch (state) {
    case 'holds':
      return `; acknowledged${value} until ${until}: ${reason}`
    case 'exceeded':
      return `; acknowledged${value} only: ${reason}`
    case 'expired':
      return `; its acknowledgement ended on ${until}: ${reason}`
  }
}

/** Nothing to be lenient about: a gate without samples is broken, whoever knows of it. */
function needsNone({ verdict, broken, n }: Finding): boolean {
  return verdict === 'pass' || broken || n === 0
}

function withAcknowledgement(finding: Finding, budgetCase: BudgetCase, day: string): Finding {
  const { acknowledge = [] } = budgetCase
  if (acknowledge.length === 0 || needsNone(finding)) return finding
  const all = acknowledge.map(({ until, reason, upTo, source, where }): Acknowledged => {
    const state = stateOf(finding, { until, reason, upTo, source, where }, day)
    return { state, until, reason, upTo, source }
  })
  const rank = { holds: 0, exceeded: 1, expired: 2 }
  const [best] = all.sort((one, other) => rank[one.state] - rank[other.state])
  if (best === undefined) return finding
  const told = { ...finding, acknowledged: best, message: `${finding.message}${acknowledgedWords(best, finding)}` }
  if (best.state !== 'holds') return told
  return { ...told, severity: 'warn', onInconclusive: told.onInconclusive === 'fail' ? 'warn' : told.onInconclusive }
}

function ofCells({ cells }: BudgetCase, index: CellIndex): readonly Sample[] {
  return cells.flatMap((cell) => index.get(cellKey(cell)) ?? [])
}

/** Earlier runs of the same cells, models and kind, newest first, each with what was there before it. */
function* runsBefore(
  own: readonly Sample[],
  earlier: readonly Sample[],
): Generator<{ readonly samples: readonly Sample[]; readonly before: readonly Sample[] }, void> {
  const kind = ({ probe, target, prompt, model, simulated }: Sample): string =>
    JSON.stringify([probe, target, prompt, model, simulated !== undefined])
  const kinds = new Set(own.map(kind))
  const ids = new Set(own.map((sample) => sample.run_id))
  const start = own.reduce((first, { started_at }) => (started_at < first ? started_at : first), '~')
  const rows = earlier.filter(
    (sample) => sample.started_at < start && !ids.has(sample.run_id) && kinds.has(kind(sample)),
  )
  const runs = Map.groupBy(rows, (sample) => sample.run_id)
  const startOf = (samples: readonly Sample[]): string =>
    samples.reduce((first, { started_at }) => (started_at < first ? started_at : first), '~')
  const newestFirst = [...runs.values()]
    .map((samples) => ({ samples, start: startOf(samples) }))
    .sort((one, other) => (one.start < other.start ? 1 : -1))
  for (const { samples, start: at } of newestFirst) {
    yield { samples, before: rows.filter((row) => row.started_at < at) }
  }
}

/** Runs in a row, this one included, that breach; nights that could not be judged are passed over. Counts no further than asked. */
function breachesInARow(
  budgetCase: BudgetCase,
  own: readonly Sample[],
  earlier: readonly Sample[],
  input: JudgeInput,
  judgeRun: (budgetCase: BudgetCase, input: JudgeInput) => Finding,
  enough: number,
): number {
  let count = 1
  const { failAfter: _failAfter, acknowledge: _acknowledge, ...plain } = budgetCase
  for (const { samples, before } of runsBefore(own, earlier)) {
    if (count >= enough) break
    // A night that lacks a whole cell of the pool is inconclusive, as it was then.
    const { verdict } = judgeRun(plain, { ...input, samples, earlier: before, incomplete: [], interrupted: false })
    if (verdict === 'pass') break
    if (verdict === 'fail') count += 1
  }
  return count
}

function ordinal(count: number): string {
  return ['', 'first', 'second', 'third'][count] ?? `${count}th`
}

/**
 * A finding as its test shall take it: a breach that `fail_after` still waits for, or that is acknowledged, keeps its verdict and only warns.
 * @param samples - those of this run and of earlier ones, by cell
 * @param judgeRun - judges an earlier run by the same case
 */
export function lenient(
  finding: Finding,
  budgetCase: BudgetCase,
  samples: Samples,
  input: JudgeInput,
  judgeRun: (budgetCase: BudgetCase, input: JudgeInput) => Finding,
): Finding {
  const own = ofCells(budgetCase, samples.own)
  const latest = own.reduce((last, { started_at }) => (started_at > last ? started_at : last), '')
  if (latest === '') return finding
  const { failAfter = 1 } = budgetCase
  let judged = finding
  if (failAfter > 1 && finding.verdict === 'fail') {
    const night = breachesInARow(budgetCase, own, ofCells(budgetCase, samples.earlier), input, judgeRun, failAfter)
    const waits = night < failAfter
    const words = waits
      ? `; ${ordinal(night)} run in a row beyond, fails from ${failAfter} on`
      : `; at least the ${ordinal(night)} run in a row beyond`
    judged = {
      ...finding,
      failAfter: { night, of: failAfter },
      message: `${finding.message}${words}`,
      ...(waits ? { severity: 'warn' as const } : {}),
    }
  }
  return withAcknowledgement(judged, budgetCase, dayIn(input.timezone ?? 'UTC', latest))
}

/** Notes about acknowledgements that have ended: they have no effect any more. One for each place in the file. */
export function acknowledgementNotes(
  findings: readonly Finding[],
): { readonly code: string; readonly message: string }[] {
  const messages = findings.flatMap(({ acknowledged, budget }) => {
    if (acknowledged?.state !== 'expired') return []
    const { until, reason, source } = acknowledged
    return [
      `the acknowledgement of ${budget} (${source.file}:${source.line}) ended on ${until} and has no effect: ${reason}`,
    ]
  })
  return [...new Set(messages)].map((message) => ({ code: 'acknowledgement-expired', message }))
}
