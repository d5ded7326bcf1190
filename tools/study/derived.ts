import { quantile, sortSamples } from '../../src/statistics/index.ts'
import { correlation } from './exact.ts'
import { models, slowest } from './published.ts'
import type { DerivedFigure, Length, Model } from './published.ts'
import type { NumberColumn, StudyRow } from './row.ts'

function values(
  rows: readonly StudyRow[],
  target: Model | null,
  prompt: Length | null,
  column: NumberColumn,
): number[] {
  return rows
    .filter((row) => row.ok && (target === null || row.target === target) && (prompt === null || row.prompt === prompt))
    .flatMap((row) => row[column] ?? [])
}

function quantileOf(values: readonly number[], q: number): number {
  const sorted = sortSamples(values)
  return sorted === undefined ? Number.NaN : quantile(sorted, q)
}

/** Milliseconds of median TTFT per 1,000 more prompt tokens, from the medium to the long prompt. */
function slope(target: Model): DerivedFigure['value'] {
  return (rows) => {
    const median = (prompt: Length, column: NumberColumn): number =>
      quantileOf(values(rows, target, prompt, column), 0.5)
    const tokens = median('long', 'promptTokens') - median('medium', 'promptTokens')
    return ((median('long', 'ttft') - median('medium', 'ttft')) / tokens) * 1000
  }
}

const slopes = models.map((model): DerivedFigure => {
  const [low, high] = model === 'gemma-4-31B-it' ? [181, 181] : [51, 58]
  return {
    kind: 'derived',
    name: `${model}: TTFT ms per 1,000 prompt tokens`,
    published: low === high ? `≈ ${low}` : `≈ ${low}–${high}`,
    bounds: () => [low * 0.9, high * 1.1],
    value: slope(model),
  }
})

/** Tokens of the study's tokenizers. */
const LENGTHS: Readonly<Record<Length, readonly [number, number]>> = {
  short: [159, 185],
  medium: [1035, 1133],
  long: [9551, 10_900],
}

const promptSizes = Object.entries(LENGTHS).flatMap(([prompt, [low, high]]): DerivedFigure[] =>
  ([0, 1] as const).map((q) => ({
    kind: 'derived',
    name: `${prompt}: prompt tokens, ${q === 0 ? 'fewest' : 'most'}`,
    published: `${low}–${high}`,
    bounds: () => [low, high],
    value: (rows) => quantileOf(values(rows, null, prompt as Length, 'promptTokens'), q),
  })),
)

/**
 * A sample's largest value has no interval. What can be said: of two samples of the same size from one distribution, k or
 * more of one lie beyond all of the other with probability about 2⁻ᵏ; 9 and fewer are within 99.9 %.
 */
const beyond = models.map((model): DerivedFigure => ({
  kind: 'derived',
  name: `${model}: slower than the study’s slowest, ${slowest[model]} s`,
  published: '0',
  bounds: () => [0, 9],
  value: (rows) => {
    const totals = values(rows, model, null, 'total')
    return totals.length === 0 ? Number.NaN : totals.filter((total) => total > slowest[model] * 1000).length
  },
}))

function sum(rows: readonly StudyRow[], column: NumberColumn): number {
  return values(rows, null, null, column).reduce((total, value) => total + value, 0)
}

/** Totals are of 3,447 successes: brought to that number, so that another number of rounds can be compared. */
function million(column: NumberColumn): DerivedFigure['value'] {
  return (rows) => (sum(rows, column) / rows.filter((row) => row.ok).length) * (3447 / 1e6)
}

/**
 * Tokens per event and speed of deepseek's successes. The bounds of their correlation are Fisher's, at 99.9 %, for the
 * difference of two samples: the published one is of 857 pairs, and no law either.
 */
function pairs(rows: readonly StudyRow[]): (readonly [number, number])[] {
  return rows
    .filter((row) => row.target === 'deepseek-3.2')
    .flatMap(({ tps, tokensPerEvent }) =>
      tps === undefined || tokensPerEvent === undefined ? [] : [[tokensPerEvent, tps] as const],
    )
}

export const derived: readonly DerivedFigure[] = [
  ...slopes,
  ...promptSizes,
  ...beyond,
  {
    kind: 'derived',
    name: 'deepseek-3.2: correlation of tokens per event and speed',
    published: '0.05',
    bounds: (rows) => {
      const error = 3.29 * Math.sqrt(1 / (857 - 3) + 1 / Math.max(1, pairs(rows).length - 3))
      return [Math.tanh(Math.atanh(0.05) - error), Math.tanh(Math.atanh(0.05) + error)]
    },
    value: (rows) => correlation(pairs(rows)),
  },
  {
    kind: 'derived',
    name: 'input tokens, million',
    published: '12.93',
    bounds: () => [12.93 * 0.9, 12.93 * 1.1],
    value: million('promptTokens'),
  },
  {
    kind: 'derived',
    name: 'output tokens, million',
    published: '2.05',
    bounds: () => [2.05 * 0.9, 2.05 * 1.1],
    value: million('completionTokens'),
  },
]
