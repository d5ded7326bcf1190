import type { NumberColumn, StudyRow } from './row.ts'

/** The study's published figures, as data. */

export const models = ['glm-5.3', 'gemma-4-31B-it', 'llama-4-maverick', 'deepseek-3.2'] as const
export type Model = (typeof models)[number]
export type Length = 'short' | 'medium' | 'long'

/** A percentile of the successes. */
export interface PercentileFigure {
  readonly kind: 'percentile'
  readonly name: string
  readonly target: Model
  /** Absent: all lengths pooled. */
  readonly prompt?: Length
  readonly column: NumberColumn
  readonly q: number
  /** A range is a pair. */
  readonly published: number | readonly [number, number]
  /** `close`: p50 of TTFT and speed, also within 5 % or 2 ms of real time; `about`: marked ≈, within 10 %. */
  readonly tolerance: 'interval' | 'close' | 'about'
}

/** A count among the successes, or among all requests. */
export interface CountFigure {
  readonly kind: 'count'
  readonly name: string
  readonly target: Model
  readonly of: 'successes' | 'requests'
  readonly published: number
  /** Of so many. */
  readonly among: number
  readonly matches: (row: StudyRow) => boolean
}

/** A number that is worked out from all rows. */
export interface DerivedFigure {
  readonly kind: 'derived'
  readonly name: string
  readonly published: string
  /** What the value must lie in; it may depend on how many rows there are. */
  readonly bounds: (rows: readonly StudyRow[]) => readonly [low: number, high: number]
  readonly value: (rows: readonly StudyRow[]) => number
}

/** Milliseconds and tokens per second of the headline table, for medium prompts. */
const HEADLINE: Readonly<Record<Model, readonly [p50: number, p95: number, p99: number, tps50: number, tps5: number]>> =
  {
    'glm-5.3': [1049, 1846, 2130, 59.4, 52.4],
    'gemma-4-31B-it': [1059, 1986, 2225, 43.9, 24.6],
    'llama-4-maverick': [1119, 2116, 3332, 15.0, 6.8],
    'deepseek-3.2': [1353, 5837, 13_654, 32.6, 5.4],
  }

type Extra = readonly [
  target: Model,
  prompt: Length | undefined,
  column: NumberColumn,
  q: number,
  published: PercentileFigure['published'],
  tolerance?: PercentileFigure['tolerance'],
]

const OTHERS: readonly Extra[] = [
  ['glm-5.3', 'long', 'ttft', 0.5, 1600, 'about'],
  ['glm-5.3', 'long', 'ttft', 0.99, 2889],
  ['gemma-4-31B-it', 'short', 'ttft', 0.5, 942, 'close'],
  ['gemma-4-31B-it', 'long', 'ttft', 0.5, 2830, 'close'],
  ['gemma-4-31B-it', 'long', 'ttft', 0.99, 4308],
  ['llama-4-maverick', 'long', 'ttft', 0.5, 1600, 'about'],
  ['llama-4-maverick', 'long', 'ttft', 0.99, 5910],
  ['deepseek-3.2', 'long', 'ttft', 0.99, 20_200],
  ['glm-5.3', 'short', 'firstAnswer', 0.5, 25_100],
  ['glm-5.3', 'medium', 'firstAnswer', 0.5, 27_000],
  ['glm-5.3', 'long', 'firstAnswer', 0.5, 26_900],
  ['glm-5.3', 'short', 'firstAnswer', 0.95, [34_000, 36_000]],
  ['glm-5.3', 'medium', 'firstAnswer', 0.95, [34_000, 36_000]],
  ['glm-5.3', 'long', 'firstAnswer', 0.95, [34_000, 36_000]],
  ['glm-5.3', undefined, 'completionTokens', 0.5, 1911],
  ['gemma-4-31B-it', 'medium', 'completionTokens', 0.5, 224],
  ['llama-4-maverick', 'medium', 'completionTokens', 0.5, 235],
  ['deepseek-3.2', 'medium', 'completionTokens', 0.5, 165],
  ['glm-5.3', undefined, 'tokensPerEvent', 0.5, [1, 1.02]],
  ['gemma-4-31B-it', undefined, 'tokensPerEvent', 0.5, [1, 1.02]],
  ['llama-4-maverick', undefined, 'tokensPerEvent', 0.5, [1, 1.02]],
  ['deepseek-3.2', undefined, 'tokensPerEvent', 0.5, 2.01],
  ['deepseek-3.2', undefined, 'tps', 0.95, 150],
]

const NAMES: Readonly<Record<NumberColumn, string>> = {
  ttft: 'TTFT ms',
  firstAnswer: 'first answer ms',
  total: 'total ms',
  tps: 'tok/s',
  tokensPerEvent: 'tokens per event',
  promptTokens: 'prompt tokens',
  completionTokens: 'reply tokens',
}

function percentile([target, prompt, column, q, published, tolerance = 'interval']: Extra): PercentileFigure {
  const name = `${target}, ${prompt ?? 'all lengths'}: ${NAMES[column]} p${Math.round(q * 100)}`
  return {
    kind: 'percentile',
    name,
    target,
    ...(prompt === undefined ? {} : { prompt }),
    column,
    q,
    published,
    tolerance,
  }
}

const headline = models.flatMap((model): PercentileFigure[] => {
  const [p50, p95, p99, tps50, tps5] = HEADLINE[model]
  return [
    percentile([model, 'medium', 'ttft', 0.5, p50, 'close']),
    percentile([model, 'medium', 'ttft', 0.95, p95]),
    percentile([model, 'medium', 'ttft', 0.99, p99]),
    percentile([model, 'medium', 'tps', 0.5, tps50, 'close']),
    percentile([model, 'medium', 'tps', 0.05, tps5]),
  ]
})

function count(
  target: Model,
  what: string,
  of: CountFigure['of'],
  published: number,
  among: number,
  matches: CountFigure['matches'],
): CountFigure {
  return { kind: 'count', name: `${target}: ${what}`, target, of, published, among, matches }
}

const over =
  (column: 'ttft' | 'total', seconds: number): CountFigure['matches'] =>
  (row) =>
    (row[column] ?? 0) > seconds * 1000

const failures: Readonly<Record<Model, number>> = {
  'glm-5.3': 1,
  'gemma-4-31B-it': 0,
  'llama-4-maverick': 1,
  'deepseek-3.2': 7,
}

const counts: readonly CountFigure[] = [
  ...models.map((model) => count(model, 'failures', 'requests', failures[model], 864, (row) => !row.ok)),
  count('glm-5.3', 'HTTP 529', 'requests', 1, 864, (row) => row.status === 529),
  count('llama-4-maverick', 'HTTP 529', 'requests', 1, 864, (row) => row.status === 529),
  count('deepseek-3.2', 'HTTP 529', 'requests', 6, 864, (row) => row.status === 529),
  count('deepseek-3.2', 'empty 200', 'requests', 1, 864, (row) => row.errorKind === 'empty'),
  count('glm-5.3', 'stopped at the cap', 'successes', 373, 863, (row) => row.finishReason === 'length'),
  count('glm-5.3', 'stopped without an answer', 'successes', 277, 863, (row) => row.firstAnswer === undefined),
  count('glm-5.3', 'over 30 s in all', 'successes', 607, 863, over('total', 30)),
  count('deepseek-3.2', 'TTFT over 10 s', 'successes', 14, 857, over('ttft', 10)),
  count('deepseek-3.2', 'TTFT over 30 s', 'successes', 4, 857, over('ttft', 30)),
  count('deepseek-3.2', 'TTFT over 60 s', 'successes', 2, 857, over('ttft', 60)),
  count('deepseek-3.2', 'over 60 s in all', 'successes', 14, 857, over('total', 60)),
]

/** Slowest request of each model in the study, seconds. */
export const slowest: Readonly<Record<Model, number>> = {
  'glm-5.3': 229,
  'gemma-4-31B-it': 89,
  'llama-4-maverick': 44,
  'deepseek-3.2': 242,
}

/** Percentiles and counts; what is worked out from several cells is in `derived.ts`. */
export const figures: readonly (PercentileFigure | CountFigure)[] = [...headline, ...OTHERS.map(percentile), ...counts]
