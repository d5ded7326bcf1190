import { budgetCases, parseBudgets } from '../budget/index.ts'
import { oneLine } from '../report/plain-text.ts'
import type { RunReport } from '../report/types.ts'
import type { Sample } from '../sample/types.ts'
import { clopperPearson, quantile, quantileInterval, sortSamples } from '../statistics/index.ts'
import { formatMs, formatRatio, trim } from '../units.ts'
import { judgeAll } from '../verdict/index.ts'
import type { Advice } from '../verdict/types.ts'
import { cellId } from './merge-runs.ts'
import type { MergedRuns } from './merge-runs.ts'

/** Room between what was measured and what is refused. */
const HEADROOM = 1.2
/** One-sided 95 %. */
const CONFIDENCE = 0.9

/** One proposed budget, before it was tried on its own data. */
interface Proposal {
  readonly id: string
  readonly limit: string
  readonly where: Readonly<Record<string, string>>
  readonly reason: string
  readonly per?: 'target'
}

/** Rounded up to two digits, so that a person can remember it. */
function roundUp(value: number): number {
  if (value <= 0) return 0
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1)
  return Number((Math.ceil(value / unit - 1e-9) * unit).toPrecision(12))
}

function roundDown(value: number): number {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1)
  return Number((Math.floor(value / unit + 1e-9) * unit).toPrecision(12))
}

function timeText(ms: number): string {
  const rounded = roundUp(ms)
  return rounded < 1000 ? `${rounded}ms` : `${trim(rounded / 1000, 3)}s`
}

/** The highest percentile that so many samples can judge: p99 from 100 on, p95 from 20, p90 from 10. */
function percentileFor(n: number): number | null {
  if (n >= 100) return 99
  if (n >= 20) return 95
  return n >= 10 ? 90 : null
}

const wordOf = (...parts: readonly string[]): string =>
  parts.map((part) => part.replace(/[^\p{L}\p{N}._-]+/gu, '-')).join('-')

/** An upper limit on a time: the upper tolerance bound of the percentile, or the slowest seen where there are too few for one. */
function timeProposal(samples: readonly Sample[], metric: 'ttft' | 'first_answer'): Proposal[] {
  const [first] = samples
  const values = sortSamples(
    samples.flatMap((sample) => (sample.outcome === 'ok' ? (sample[`${metric}_ms`] ?? []) : [])),
  )
  const percent = percentileFor(values?.length ?? 0)
  if (first === undefined || values === undefined || percent === null) return []
  const measured = quantile(values, { numerator: percent, denominator: 100 })
  const { upper } = quantileInterval(values, percent / 100, CONFIDENCE)
  const basis = Math.max(measured, upper ?? values.at(-1) ?? measured)
  const bound =
    upper === null ? `too few for a bound, the slowest ${formatMs(basis)}` : `at most ${formatMs(upper)}, 95 % sure`
  return [
    {
      id: wordOf(metric, first.target, first.prompt),
      limit: `p${percent} ${metric} < ${timeText(basis * HEADROOM)}`,
      where: { probe: first.probe, target: first.target, prompt: first.prompt },
      reason: `p${percent} ${formatMs(measured)} of ${values.length}; ${bound}; plus 20 %`,
    },
  ]
}

function speedProposal(samples: readonly Sample[]): Proposal[] {
  const [first] = samples
  const values = sortSamples(samples.flatMap((sample) => (sample.outcome === 'ok' ? (sample.decode_tps ?? []) : [])))
  if (first === undefined || values === undefined || values.length < 20) return []
  const measured = quantile(values, { numerator: 5, denominator: 100 })
  const { lower } = quantileInterval(values, 0.05, CONFIDENCE)
  const basis = Math.min(measured, lower ?? values[0])
  const limit = roundDown(basis / HEADROOM)
  if (!(limit > 0)) return []
  return [
    {
      id: wordOf('speed', first.target, first.prompt),
      limit: `p5 decode_tps > ${trim(limit, 6)} tok/s`,
      where: { probe: first.probe, target: first.target, prompt: first.prompt },
      reason: `p5 ${trim(measured, 1)} of ${values.length}; ${lower === null ? `too few for a bound, the slowest ${trim(basis, 1)}` : `at least ${trim(lower, 1)}, 95 % sure`}; less a sixth`,
    },
  ]
}

function percentText(ratio: number): string {
  return `${trim(Math.min(100, roundUp(ratio * 100)), 4)}%`
}

function rateProposals(samples: readonly Sample[]): Proposal[] {
  const [first] = samples
  if (first === undefined || samples.length < 10) return []
  const where = { probe: first.probe, target: first.target }
  const failed = samples.filter((sample) => sample.outcome === 'error').length
  const worst = clopperPearson(failed, samples.length, 1 - CONFIDENCE).upper
  const errors = Math.min(0.99, worst * HEADROOM)
  const ok = samples.filter((sample) => sample.outcome === 'ok')
  const silent = ok.filter((sample) => sample.first_answer_ms === undefined).length
  const unanswered = ok.length < 10 ? 1 : clopperPearson(silent, ok.length, 1 - CONFIDENCE).upper * HEADROOM
  const reasons = ok.some((sample) => sample.first_token_kind === 'reasoning')
  const floor = Math.floor((1 - unanswered) * 100)
  return [
    {
      id: wordOf('errors', first.target),
      limit: `error_rate < ${percentText(errors)}`,
      where,
      per: 'target',
      reason: `${failed} of ${samples.length} failed; at most ${formatRatio(worst)}, 95 % sure; plus 20 %`,
    },
    ...(reasons && floor > 0
      ? [
          {
            id: wordOf('answered', first.target),
            limit: `answered_rate > ${floor}%`,
            where,
            per: 'target' as const,
            reason: `${ok.length - silent} of ${ok.length} answered before the token cap; the bound plus 20 % of what is missing`,
          },
        ]
      : []),
  ]
}

function proposalsOf(merged: MergedRuns): Proposal[] {
  const targets = Map.groupBy(merged.samples, ({ probe, target }) => JSON.stringify([probe, target]))
  const cells = Map.groupBy(merged.samples, cellId)
  const own = (probe: string, target: string): Sample[][] =>
    merged.cells
      .filter((cell) => cell.probe === probe && cell.target === target)
      .flatMap((cell) => {
        const samples = cells.get(cellId(cell))
        return samples === undefined ? [] : [samples]
      })
  const taken = new Set<string>()
  const unique = (proposal: Proposal): Proposal => {
    let id = proposal.id
    for (let count = 2; taken.has(id); count += 1) id = `${proposal.id}-${count}`
    taken.add(id)
    return { ...proposal, id }
  }
  return [...targets.values()].flatMap((samples) => {
    const [first] = samples
    if (first === undefined) return []
    const groups = own(first.probe, first.target)
    const reasons = samples.some((sample) => sample.first_token_kind === 'reasoning')
    return [
      ...groups.flatMap((group) => timeProposal(group, 'ttft')),
      ...(reasons ? groups.flatMap((group) => timeProposal(group, 'first_answer')) : []),
      ...groups.flatMap(speedProposal),
      ...rateProposals(samples),
    ].map(unique)
  })
}

function entry({ id, limit, where, reason, per }: Proposal): string[] {
  const named = Object.entries(where).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  return [
    `  # ${reason}`,
    `  - id: ${JSON.stringify(id)}`,
    `    limit: ${limit}`,
    `    where: { ${named.join(', ')} }`,
    ...(per === undefined ? [] : [`    per: ${per}`]),
  ]
}

function fileOf(head: readonly string[], bodies: readonly (readonly string[])[]): string {
  return `${[...head, 'budgets:', ...bodies.flat()].join('\n')}\n`
}

/** Timeouts of the advice, as comments. */
function timeoutLines(advice: readonly Advice[]): readonly string[] {
  const told = advice.flatMap(({ target, prompt, firstTokenTimeoutMs, ttftP99, totalTimeoutMs, slowestTotalMs }) => {
    const timeouts = [
      ...(firstTokenTimeoutMs === null
        ? []
        : [`firstToken ${formatMs(firstTokenTimeoutMs)} (p99 ${formatMs(ttftP99 ?? 0)}, plus a margin)`]),
      ...(totalTimeoutMs === null
        ? []
        : [`total ${formatMs(totalTimeoutMs)} (slowest ${formatMs(slowestTotalMs ?? 0)})`]),
    ]
    return timeouts.length === 0 ? [] : [`#   ${oneLine(`${target}/${prompt}`)}: ${timeouts.join(', ')}`]
  })
  if (told.length === 0) return []
  const few = advice.some(({ firstTokenTimeoutMs }) => firstTokenTimeoutMs === null)
  return [`# Timeouts for your own client${few ? ', firstToken from 100 answers on' : ''}:`, ...told]
}

function headOf(merged: MergedRuns, timezone: string, advice: readonly Advice[]): string[] {
  const { run, cutShort, incomplete } = merged
  return [
    '# yaml-language-server: $schema=./node_modules/vitest-slo/schema/slo.schema.json',
    `# Proposed from ${run.sampled} samples of run ${oneLine(run.id)}${run.simulated ? ', SIMULATED: practice, no measurement' : ''}.`,
    ...(cutShort || incomplete.length > 0
      ? ['# Not all of it was sampled: on this run itself a report is inconclusive where samples are missing.']
      : []),
    '# Each limit: what was measured, its tolerance bound (if requests are independent), and 20 % of headroom.',
    '# Edit it: a budget should say what your users need, not only what the provider does today.',
    ...timeoutLines(advice),
    'version: 1',
    `timezone: ${JSON.stringify(timezone)}`,
  ]
}

/** A proposed `slo.yaml`, and how many budgets are in it. */
export interface Suggestion {
  readonly text: string
  readonly budgets: number
  /** Proposals that their own data do not meet; they stand in the text as comments. */
  readonly left: number
}

/** Budgets for measured samples; each was judged on them, and what does not pass is a comment. */
export function suggest(merged: MergedRuns, timezone: string, advice: NonNullable<RunReport['advice']>): Suggestion {
  const proposals = proposalsOf(merged)
  const head = headOf(merged, timezone, advice)
  const { file } = parseBudgets(fileOf(head, proposals.map(entry)), 'slo.yaml')
  const findings = judgeAll(budgetCases(file, merged.allCells), {
    samples: merged.samples,
    incomplete: [],
    interrupted: false,
    currencies: merged.currencies,
  })
  const verdicts = Map.groupBy(findings, ({ budget }) => budget)
  const holds = ({ id }: Proposal): boolean => {
    const own = verdicts.get(id) ?? []
    return own.length > 0 && own.every(({ verdict }) => verdict === 'pass')
  }
  const bodies = proposals.map((proposal) => {
    if (holds(proposal)) return entry(proposal)
    const why = verdicts.get(proposal.id)?.find(({ verdict }) => verdict !== 'pass')?.message ?? 'it judges nothing'
    return [
      '  # not proposed, its own data do not meet it: ' + why.replaceAll(/\s+/g, ' '),
      ...entry(proposal).map((line) => `  #${line.slice(1)}`),
    ]
  })
  const kept = proposals.filter(holds).length
  const text = kept === 0 ? `${[...head, 'budgets: []', ...bodies.flat()].join('\n')}\n` : fileOf(head, bodies)
  return { text, budgets: kept, left: proposals.length - kept }
}
