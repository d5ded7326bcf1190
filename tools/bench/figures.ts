/** One bar of the design: what was measured in each block, and what decides. */
export interface Figure {
  /** Key in the JSON. */
  readonly key: string
  readonly about: string
  readonly bar: number
  /** `=`: exactly the bar. */
  readonly sense: '<=' | '='
  /** One number a block, in the order of the run. */
  readonly blocks: readonly number[]
  /** @default median */
  readonly decides?: 'median' | 'max' | 'min'
}

/** Numbers that have no bar, shown beside. */
interface SideNote {
  readonly key: string
  readonly about: string
  readonly value: number
}

export interface BenchResult {
  readonly figures: readonly Figure[]
  readonly notes: readonly SideNote[]
}

/** Type 7 quantile; `p` from 0 to 1. */
export function quantile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const h = (sorted.length - 1) * p
  const low = sorted[Math.floor(h)] ?? Number.NaN
  const high = sorted[Math.ceil(h)] ?? Number.NaN
  return low + (h - Math.floor(h)) * (high - low)
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function valueOf(figure: Figure): number {
  if (figure.decides === 'max') return Math.max(...figure.blocks)
  if (figure.decides === 'min') return Math.min(...figure.blocks)
  return median(figure.blocks)
}

export function isMet(figure: Figure): boolean {
  const value = valueOf(figure)
  return figure.sense === '=' ? value === figure.bar : value <= figure.bar
}
