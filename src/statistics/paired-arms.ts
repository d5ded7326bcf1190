import { cumulativeWeights } from './harrell-davis.ts'

/** One round: both arms were asked. */
export interface Pair {
  readonly candidate: number
  readonly baseline: number
}

/** A percentile, or the mean. */
export interface PairedStatistic {
  /** From 0 to 1, `null` for the mean. */
  readonly q: number | null
}

/** The statistic of both arms. */
export interface Arms {
  readonly candidate: number
  readonly baseline: number
}

/**
 * Both arms of paired rounds, sorted once, so that a permutation or a resample of rounds costs one pass and no sorting.
 */
export class PairedArms {
  readonly #weights: Float64Array
  /** All values of both arms, ascending. */
  readonly #values: Float64Array
  /** Their rounds. */
  readonly #rounds: Int32Array
  /** 1 where the value is the candidate's. */
  readonly #isCandidate: Uint8Array
  readonly pairs: number

  constructor(pairs: readonly Pair[], { q }: PairedStatistic) {
    this.pairs = pairs.length
    this.#weights = cumulativeWeights(pairs.length, q)
    const all = pairs.flatMap(({ candidate, baseline }, round) => [
      { value: candidate, round, arm: 1 },
      { value: baseline, round, arm: 0 },
    ])
    all.sort((one, other) => one.value - other.value)
    this.#values = Float64Array.from(all, ({ value }) => value)
    this.#rounds = Int32Array.from(all, ({ round }) => round)
    this.#isCandidate = Uint8Array.from(all, ({ arm }) => arm)
  }

  /**
   * The statistic of both arms once rounds are exchanged or repeated.
   * @param times - how often each round counts; the sum must be the number of pairs
   * @param swap - 1 where a round's arms change places
   */
  of(times: ArrayLike<number> | null = null, swap: ArrayLike<number> | null = null): Arms {
    const weights = this.#weights
    const at = [0, 0]
    const sum = [0, 0]
    for (let i = 0; i < this.#values.length; i += 1) {
      const round = this.#rounds[i] ?? 0
      const count = times === null ? 1 : (times[round] ?? 0)
      if (count === 0) continue
      const arm = (this.#isCandidate[i] ?? 0) ^ (swap === null ? 0 : (swap[round] ?? 0))
      const from = at[arm] ?? 0
      sum[arm] = (sum[arm] ?? 0) + ((weights[from + count] ?? 1) - (weights[from] ?? 0)) * (this.#values[i] ?? 0)
      at[arm] = from + count
    }
    return { candidate: sum[1] ?? 0, baseline: sum[0] ?? 0 }
  }

  /**
   * One-sided permutation p-value: within each round the arms change places by chance.
   * p = (1 + draws at least as far as observed) / (1 + draws): never 0, and never too small.
   *
   * Source: Phipson and Smyth, "Permutation P-values Should Never Be Zero", Stat. Appl. Genet. Mol. Biol. 9 (2010).
   * @param distance - how far the candidate is on the bad side
   */
  permutationPValue(distance: (arms: Arms) => number, draws: number, random: () => number): number {
    const observed = distance(this.of())
    // Sums in another order may differ in the last digits.
    const dust = 1e-12 * Math.max(1, Math.abs(observed))
    const swap = new Uint8Array(this.pairs)
    let asFar = 0
    for (let draw = 0; draw < draws; draw += 1) {
      for (let round = 0; round < swap.length; round += 1) swap[round] = random() < 0.5 ? 1 : 0
      if (distance(this.of(null, swap)) >= observed - dust) asFar += 1
    }
    return (asFar + 1) / (draws + 1)
  }

  /**
   * Upper confidence bounds of distances, from one set of resamples of whole rounds (percentile bootstrap).
   *
   * Source: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), 13.3.
   */
  bootstrapUpperBounds(
    distances: readonly ((arms: Arms) => number)[],
    alpha: number,
    draws: number,
    random: () => number,
  ): number[] {
    const drawn = distances.map(() => new Float64Array(draws))
    const times = new Uint32Array(this.pairs)
    for (let draw = 0; draw < draws; draw += 1) {
      times.fill(0)
      for (let round = 0; round < times.length; round += 1) {
        const taken = Math.floor(random() * times.length)
        times[taken] = (times[taken] ?? 0) + 1
      }
      const arms = this.of(times)
      distances.forEach((distance, which) => {
        const column = drawn[which]
        if (column !== undefined) column[draw] = distance(arms)
      })
    }
    return drawn.map(
      (column) => column.sort()[Math.min(draws - 1, Math.ceil((1 - alpha) * (draws + 1)) - 1)] ?? Infinity,
    )
  }
}
