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

/** The same with the variances of order statistics around it: how far the statistic may be off, from the arm's own samples. */
export interface SpreadArms extends Arms {
  readonly candidateVariance: number
  readonly baselineVariance: number
}

/** How often arms that are exchanged by chance differ as much as they do. */
export interface PermutationPValues {
  /** Of a candidate that is no worse. */
  readonly worse: number
  /** Of a candidate that is no better. */
  readonly better: number
}

/** A random number of 53 bits gives the coins of this many rounds. */
const COINS = 32

/** Less than this of an estimate cannot be told apart from nothing: the distance of 1 from the number before it. */
const NO_WEIGHT = Number.EPSILON / 2

/** Distances that differ by less are the same: sums in another order differ in their last digits. */
const DUST = 1e-9

/** E x² − (E x)², where that is more than what the subtraction left of equal numbers. */
function variance(square: number, mean: number): number {
  const difference = square - mean * mean
  return difference > DUST * square ? difference : 0
}

/**
 * Both arms of paired rounds, sorted once, so that a permutation or a resample of rounds costs no sorting, and no more than the part of a
 * pass that reaches the places which carry weight: for a p95 the largest tenth, from above.
 */
export class PairedArms {
  /** A value in the middle; the others are kept as deviations from it, so that equal values have no variance but 0. */
  readonly #pivot: number
  /** Deviations of both arms, from the end that the statistic is nearer to. */
  readonly #deviations: Float64Array
  /** Of each of them twice its round, and 1 more where it is the candidate's. */
  readonly #owners: Int32Array
  /** Weight of all places before each place of an arm, counted from the same end. */
  readonly #before: Float64Array
  /** No place before it has weight. */
  readonly #first: number
  /** No place from it on has weight. */
  readonly #end: number
  readonly pairs: number

  constructor(pairs: readonly Pair[], { q }: PairedStatistic) {
    this.pairs = pairs.length
    const fromAbove = q !== null && q > 0.5
    const all = pairs.flatMap(({ candidate, baseline }, round) => [
      { value: candidate, owner: 2 * round + 1 },
      { value: baseline, owner: 2 * round },
    ])
    all.sort((one, other) => (fromAbove ? other.value - one.value : one.value - other.value))
    const pivot = all[pairs.length]?.value ?? 0
    this.#pivot = pivot
    this.#deviations = Float64Array.from(all, ({ value }) => value - pivot)
    this.#owners = Int32Array.from(all, ({ owner }) => owner)
    this.#before = cumulativeWeights(pairs.length, fromAbove ? 1 - q : q)
    this.#first = this.#before.findLastIndex((weight) => weight < NO_WEIGHT)
    this.#end = this.#before.findIndex((weight) => weight > 1 - NO_WEIGHT)
  }

  /** The statistic of both arms. */
  observed(): SpreadArms {
    return this.exchanged(() => false)
  }

  /** The statistic of both arms, those of some rounds exchanged. */
  exchanged(swap: (round: number) => boolean): SpreadArms {
    const arms = Array.from({ length: this.pairs }, (_, round) => (swap(round) ? [1, 0] : [0, 1]))
    return this.#exchanged(Uint8Array.from(arms.flat()))
  }

  /** @param arms - of each owner its arm now, 1 the candidate */
  #exchanged(arms: Uint8Array): SpreadArms {
    const before = this.#before
    const first = this.#first
    const end = this.#end
    let candidates = 0
    for (let i = 0; i < first; i += 1) candidates += arms[this.#owners[i] ?? 0] ?? 0
    let baselines = first - candidates
    let candidate = 0
    let baseline = 0
    let candidateSquare = 0
    let baselineSquare = 0
    for (let i = first; candidates < end || baselines < end; i += 1) {
      const deviation = this.#deviations[i] ?? 0
      if (arms[this.#owners[i] ?? 0] === 1) {
        const part = ((before[candidates + 1] ?? 1) - (before[candidates] ?? 1)) * deviation
        candidate += part
        candidateSquare += part * deviation
        candidates += 1
      } else {
        const part = ((before[baselines + 1] ?? 1) - (before[baselines] ?? 1)) * deviation
        baseline += part
        baselineSquare += part * deviation
        baselines += 1
      }
    }
    return {
      candidate: this.#pivot + candidate,
      baseline: this.#pivot + baseline,
      candidateVariance: variance(candidateSquare, candidate),
      baselineVariance: variance(baselineSquare, baseline),
    }
  }

  /**
   * The statistic of both arms once rounds are repeated or left out.
   * @param times - how often each round counts; the sum must be the number of pairs
   */
  resampled(times: ArrayLike<number>): Arms {
    const before = this.#before
    const end = this.#end
    let candidates = 0
    let baselines = 0
    let candidate = 0
    let baseline = 0
    for (let i = 0; candidates < end || baselines < end; i += 1) {
      const owner = this.#owners[i] ?? 0
      const count = times[owner >> 1] ?? 0
      if (count === 0) continue
      const deviation = this.#deviations[i] ?? 0
      if ((owner & 1) === 1) {
        candidate += ((before[candidates + count] ?? 1) - (before[candidates] ?? 1)) * deviation
        candidates += count
      } else {
        baseline += ((before[baselines + count] ?? 1) - (before[baselines] ?? 1)) * deviation
        baselines += count
      }
    }
    return { candidate: this.#pivot + candidate, baseline: this.#pivot + baseline }
  }

  /**
   * One-sided permutation p-values: within each round the arms change places by chance.
   * p = (1 + draws at least as far as observed) / (1 + draws): never 0, and never too small.
   *
   * Source: Phipson and Smyth, "Permutation P-values Should Never Be Zero", Stat. Appl. Genet. Mol. Biol. 9 (2010).
   * @param distance - how far the candidate is on the bad side
   */
  permutationPValues(distance: (arms: SpreadArms) => number, draws: number, random: () => number): PermutationPValues {
    const observed = distance(this.observed())
    const dust = DUST * Math.max(1, Math.abs(observed))
    const arms = new Uint8Array(2 * this.pairs)
    let asBad = 0
    let asGood = 0
    for (let draw = 0; draw < draws; draw += 1) {
      let coins = 0
      for (let round = 0; round < this.pairs; round += 1) {
        coins = round % COINS === 0 ? Math.floor(random() * 2 ** COINS) : coins >>> 1
        arms[2 * round] = coins & 1
        arms[2 * round + 1] = ~coins & 1
      }
      const drawn = distance(this.#exchanged(arms))
      if (drawn >= observed - dust) asBad += 1
      if (drawn <= observed + dust) asGood += 1
    }
    return { worse: (asBad + 1) / (draws + 1), better: (asGood + 1) / (draws + 1) }
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
      for (let round = 0; round < times.length; round += 2) {
        // What is left of a random number behind the point is as random: its 53 bits do for two rounds.
        const one = random() * times.length
        const other = (one - Math.floor(one)) * times.length
        times[Math.floor(one)] = (times[Math.floor(one)] ?? 0) + 1
        if (round + 1 < times.length) times[Math.floor(other)] = (times[Math.floor(other)] ?? 0) + 1
      }
      const arms = this.resampled(times)
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
