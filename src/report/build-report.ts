import type { CellKey } from '../budget/types.ts'
import type { Sample } from '../sample/types.ts'
import { quantile, sortSamples } from '../statistics/index.ts'
import { acknowledgementNotes } from '../verdict/index.ts'
import { advise } from '../verdict/index.ts'
import type { Finding } from '../verdict/types.ts'
import { dataNotes } from './data-notes.ts'
import { studyOf } from './study.ts'
import type { BudgetHistory, CellSummary, Note, RunReport, RunSummary } from './types.ts'

/** What {@link buildReport} draws together. */
export interface ReportInput {
  readonly run: RunSummary
  readonly findings: readonly Finding[]
  readonly samples: readonly Sample[]
  /** The selected cells in order, those without any sample too. */
  readonly cells: readonly CellKey[]
  readonly currencies: readonly { readonly probe: string; readonly target: string; readonly currency: string }[]
  /** Each budget over the nights. @default none */
  readonly history?: readonly BudgetHistory[]
  /** What the run itself has to say; notes told by the samples are added. */
  readonly notes: readonly Note[]
}

/** `http_status` split by status, as in a finding's failures. */
function kindOf(sample: Extract<Sample, { outcome: 'error' }>): string {
  return sample.error_kind === 'http_status' && sample.status !== undefined
    ? `http_status ${sample.status}`
    : sample.error_kind
}

/** Adds from the smallest on, so that no order of the rows changes the sum. */
function sumOf(values: readonly number[]): number {
  return Float64Array.from(values)
    .sort()
    .reduce((sum, value) => sum + value, 0)
}

/** Each percentile (type 7) of the values that exist; `null` where there are none. */
function percentiles(values: readonly (number | undefined)[], percents: readonly number[]): (number | null)[] {
  const sorted = sortSamples(values.filter((value) => value !== undefined))
  return percents.map((numerator) => (sorted === undefined ? null : quantile(sorted, { numerator, denominator: 100 })))
}

function summarize(cell: CellKey, samples: readonly Sample[], currency: string | null): CellSummary {
  const ok = samples.filter((sample) => sample.outcome === 'ok')
  const of = (valueOf: (sample: Sample) => number | undefined, ...percents: number[]): (number | null)[] =>
    percentiles(ok.map(valueOf), percents)
  const [ttft50 = null, ttft95 = null, ttft99 = null] = of((sample) => sample.ttft_ms, 50, 95, 99)
  const [answer50 = null, answer95 = null] = of((sample) => sample.first_answer_ms, 50, 95)
  const [speed5 = null, speed50 = null] = of((sample) => sample.decode_tps, 5, 50)
  const [promptTokensP50 = null] = of((sample) => sample.prompt_tokens, 50)
  const [completionTokensP50 = null] = of((sample) => sample.completion_tokens, 50)
  const errors: Record<string, number> = {}
  for (const sample of samples) {
    if (sample.outcome === 'error') errors[kindOf(sample)] = (errors[kindOf(sample)] ?? 0) + 1
  }
  const costs = samples.flatMap((sample) => (sample.cost === undefined ? [] : [sample.cost]))
  return {
    probe: cell.probe,
    target: cell.target,
    prompt: cell.prompt,
    n: samples.length,
    failed: samples.length - ok.length,
    ...(samples.some((sample) => sample.simulated !== undefined) ? { simulated: true } : {}),
    ttft: { p50: ttft50, p95: ttft95, p99: ttft99 },
    firstAnswer: { p50: answer50, p95: answer95 },
    decodeTps: { p5: speed5, p50: speed50 },
    promptTokensP50,
    completionTokensP50,
    errors,
    cost: costs.length === 0 ? null : sumOf(costs),
    currency,
  }
}

const keyOf = ({ probe, target, prompt }: CellKey): string => JSON.stringify([probe, target, prompt])

/**
 * Draws one run together: a summary per cell and the notes that the samples themselves tell.
 * Quantiles are type 7 (as numpy and pandas) over the successful samples that have the metric, as the study's: the latency of a
 * failed request is none. `aborted` samples (we stopped) count nowhere.
 */
export function buildReport(input: ReportInput): RunReport {
  const samples = input.samples.filter((sample) => !(sample.outcome === 'error' && sample.error_kind === 'aborted'))
  const groups = new Map<string, { readonly cell: CellKey; readonly samples: Sample[] }>()
  for (const cell of input.cells) groups.set(keyOf(cell), { cell, samples: [] })
  for (const sample of samples) {
    const key = keyOf(sample)
    // a cell that was sampled but is not among the selected ones is shown too, at the end
    const group = groups.get(key) ?? { cell: sample, samples: [] }
    groups.set(key, group)
    group.samples.push(sample)
  }
  const cells = [...groups.values()].map(({ cell, samples: own }) => {
    const price = input.currencies.find((each) => each.probe === cell.probe && each.target === cell.target)
    return summarize(cell, own, price?.currency ?? null)
  })
  return {
    version: 1,
    run: input.run,
    findings: input.findings,
    cells,
    notes: [...input.notes, ...acknowledgementNotes(input.findings), ...dataNotes(samples, cells, input.run)],
    advice: advise(samples),
    ...((input.history ?? []).length === 0 ? {} : { history: input.history }),
    study: studyOf(samples, cells, input.run.timezone),
  }
}
