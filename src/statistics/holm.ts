/**
 * p-values adjusted for how many there are: sorted ascending, the j-th (from 0) of m times (m − j), never less than the one before.
 * The chance of any false alarm among all stays at the level, whatever they have to do with each other.
 *
 * Source: Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scand. J. Statist. 6 (1979).
 */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((p, at) => ({ p, at })).sort((one, other) => one.p - other.p)
  const adjusted = Array<number>(pValues.length).fill(1)
  let least = 0
  order.forEach(({ p, at }, rank) => {
    least = Math.min(1, Math.max(least, p * (pValues.length - rank)))
    adjusted[at] = least
  })
  return adjusted
}
