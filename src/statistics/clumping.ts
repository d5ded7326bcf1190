import { seededRandom } from '../schedule/index.ts'
import { chiSquareUpperTail } from './chi-square.ts'

/** Samples of one hour, and those of them that lie beyond the limit. */
export interface Stratum {
  readonly n: number
  readonly beyond: number
}

/** What {@link clumpingOf} finds. */
export interface Clumping {
  /** Chance of strata at least as uneven, if every sample were beyond with the same probability. */
  readonly pValue: number
  /** X² / (strata − 1), at least 1: how many samples weigh like one independent sample. */
  readonly designEffect: number
}

/** Below this expectation in some stratum the χ² distribution is no guide, and chance is drawn. */
const LEAST_EXPECTED = 5
const DRAWS = 2000
/** So many draws that are as uneven settle that nothing clumps. */
const ENOUGH = 20
/** More draws of more exceedances would take seconds; so many are beyond the reach of the test only in very uneven strata. */
const MOST_DRAWN = 20_000_000

/** X² = Σ (K − n p)² / (n p (1 − p)), p the share of all. */
function unevenness(strata: readonly Stratum[], p: number): number {
  return strata.reduce((sum, { n, beyond }) => sum + (beyond - n * p) ** 2 / (n * p * (1 - p)), 0)
}

/** Which stratum each sample is in. */
function ownersOf(strata: readonly Stratum[], n: number): Int32Array {
  const owners = new Int32Array(n)
  let from = 0
  strata.forEach((stratum, index) => {
    owners.fill(index, from, from + stratum.n)
    from += stratum.n
  })
  return owners
}

/**
 * Share of random placings of the same exceedances that are at least as uneven. Seeded: the same strata give the same. Drawing ends as
 * soon as the answer is plain.
 *
 * Source: Besag and Clifford, "Sequential Monte Carlo p-values", Biometrika 78 (1991).
 */
function drawnPValue(strata: readonly Stratum[], n: number, beyond: number, observed: number): number {
  const random = seededRandom(0, 'clumping', n, beyond, strata.length)
  const owners = ownersOf(strata, n)
  const p = beyond / n
  const counts = new Int32Array(strata.length)
  const sizes = Float64Array.from(strata, (stratum) => stratum.n)
  const draws = Math.max(200, Math.min(DRAWS, Math.floor(MOST_DRAWN / beyond)))
  let asUneven = 0
  for (let draw = 0; draw < draws; draw += 1) {
    counts.fill(0)
    // The first `beyond` places of a shuffle; `owners` stays shuffled, which is as good a start as any.
    for (let at = 0; at < beyond; at += 1) {
      const other = at + Math.floor(random() * (n - at))
      const owner = owners[other] ?? 0
      owners[other] = owners[at] ?? 0
      owners[at] = owner
      counts[owner] = (counts[owner] ?? 0) + 1
    }
    let drawn = 0
    for (let index = 0; index < sizes.length; index += 1) {
      const size = sizes[index] ?? 1
      drawn += ((counts[index] ?? 0) - size * p) ** 2 / (size * p * (1 - p))
    }
    // Sums in another order may differ in the last digit.
    if (drawn >= observed * (1 - 1e-9)) asUneven += 1
    if (asUneven === ENOUGH) return ENOUGH / (draw + 1)
  }
  return (asUneven + 1) / (draws + 1)
}

/**
 * Whether exceedances are spread over strata (hours) as chance would spread them, and the design effect: the variance of the strata
 * against the binomial one. The p-value is that of Pearson's X² where every stratum expects at least five of either sort, else of the
 * placings that leave the totals as they are.
 *
 * Source: Cochran, "Some Methods for Strengthening the Common χ² Tests", Biometrics 10 (1954); McCullagh and Nelder, "Generalized
 * Linear Models" (1989), 4.5 (overdispersion); Kish, "Survey Sampling" (1965) (design effect).
 * @returns `null` where there is nothing to compare: one stratum, fewer than two exceedances, or nothing else
 */
export function clumpingOf(all: readonly Stratum[]): Clumping | null {
  const strata = all.filter(({ n }) => n > 0)
  const n = strata.reduce((sum, stratum) => sum + stratum.n, 0)
  const beyond = strata.reduce((sum, stratum) => sum + stratum.beyond, 0)
  if (strata.length < 2 || beyond < 2 || beyond === n) return null
  const p = beyond / n
  const observed = unevenness(strata, p)
  const designEffect = Math.max(1, observed / (strata.length - 1))
  const least = Math.min(...strata.map((stratum) => stratum.n)) * Math.min(p, 1 - p)
  const pValue =
    least >= LEAST_EXPECTED ? chiSquareUpperTail(observed, strata.length - 1) : drawnPValue(strata, n, beyond, observed)
  return { pValue, designEffect }
}
