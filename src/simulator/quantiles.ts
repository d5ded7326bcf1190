/** Pairs of probability and value, both ascending, from probability 0 to 1; values above 0. */
export type QuantileTable = readonly (readonly [probability: number, value: number])[]

/**
 * Inverse of the distribution function: straight lines between the knots on a logarithmic scale of values, so that the
 * knots themselves are exact: x = x₀·(x₁/x₀)^((u − u₀)/(u₁ − u₀)).
 * @param u - probability, in [0, 1]
 */
export function quantileAt(table: QuantileTable, u: number): number {
  let below = table[0]
  if (below === undefined) throw new RangeError('a quantile table has at least one knot')
  for (const knot of table) {
    if (knot[0] > u) {
      const share = knot[0] === below[0] ? 0 : (u - below[0]) / (knot[0] - below[0])
      return below[1] * (knot[1] / below[1]) ** Math.max(0, share)
    }
    below = knot
  }
  return below[1]
}

/** The same quantity at several prompt lengths. */
export interface LengthTable {
  readonly promptTokens: number
  readonly table: QuantileTable
}

/**
 * The quantile at a prompt's length: between two lengths of the profile straight in tokens, as prefill grows; outside
 * them that of the nearest.
 * @param lengths - ascending by prompt tokens, not empty
 */
export function quantileAtLength(lengths: readonly LengthTable[], promptTokens: number, u: number): number {
  const upper = lengths.find((length) => length.promptTokens >= promptTokens) ?? lengths.at(-1)
  const lower = lengths.findLast((length) => length.promptTokens <= promptTokens) ?? lengths[0]
  if (upper === undefined || lower === undefined) throw new RangeError('a profile has at least one prompt length')
  const low = quantileAt(lower.table, u)
  if (lower === upper || upper.promptTokens <= lower.promptTokens) return low
  const share = (promptTokens - lower.promptTokens) / (upper.promptTokens - lower.promptTokens)
  return low + share * (quantileAt(upper.table, u) - low)
}
