import { createHash } from 'node:crypto'

/**
 * The steps of the additive recurrences, one a quantity. Quadratic irrationals have bounded partial quotients, so that k
 * points leave no gap much wider than 1/k; each comes from a field of its own, so that no two quantities move together.
 */
const STEPS = {
  ttft: (Math.sqrt(5) - 1) / 2,
  speed: Math.SQRT2 - 1,
  error: Math.sqrt(3) - 1,
  reasoning: Math.sqrt(7) - 2,
  answer: Math.sqrt(6) - 2,
  perEvent: (Math.sqrt(37) - 6) / 2 + 0.5,
} as const

/** What is drawn for a request, each from its own sequence. */
export type Quantity = keyof typeof STEPS

/** Every {@link Quantity}. */
export const quantities = Object.keys(STEPS) as readonly Quantity[]

/** Which request of which cell is drawn. */
export interface DrawKey {
  readonly seed: number
  /** `probe/target/prompt`. */
  readonly cell: string
  /** The round. */
  readonly k: number
}

/** Names this version of the draws: another one gives other shifts, and so other samples for the same seed. */
const SALT = 'vitest-slo simulator 1'

const shifts = new Map<string, number>()

/** Uniform in [0, 1), a function of its arguments alone. */
function hashUnit(...parts: readonly (string | number)[]): number {
  return (
    createHash('sha256')
      .update(JSON.stringify([SALT, ...parts]))
      .digest()
      .readUIntBE(0, 6) /
    2 ** 48
  )
}

function shiftOf(seed: number, cell: string, quantity: Quantity): number {
  const key = `${seed}\n${quantity}\n${cell}`
  const known = shifts.get(key)
  if (known !== undefined) return known
  const shift = hashUnit(seed, cell, quantity)
  shifts.set(key, shift)
  return shift
}

/**
 * The k-th point of a quantity's low-discrepancy sequence: frac(shift + k·α), the shift from seed, cell and quantity
 * (an additive recurrence with a Cranley–Patterson rotation). In [0, 1).
 */
export function point({ seed, cell, k }: DrawKey, quantity: Quantity): number {
  const sum = shiftOf(seed, cell, quantity) + k * STEPS[quantity]
  return sum - Math.floor(sum)
}
