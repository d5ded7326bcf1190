import type { BudgetCase } from '../budget/types.ts'
import type { Sample } from '../sample/types.ts'
import { seededRandom } from '../schedule/index.ts'
import { median, sortSamples } from '../statistics/index.ts'
import { judgeAll } from '../verdict/index.ts'
import type { Finding, JudgeInput } from '../verdict/types.ts'
import type { BudgetHistory, LevelChange, Night } from './types.ts'

/** Nights that are shown: the newest ones. */
const MOST_NIGHTS = 60
/** With fewer, no split of the nights is rare enough. */
const LEAST_NIGHTS = 10
const PERMUTATIONS = 1999
/** False alarms: so often a budget whose level never changed is said to have changed. */
const ALPHA = 0.01

/** Ranks from 1; equal values share the middle of theirs. */
function midranks(values: readonly number[]): number[] {
  const order = values.map((_, index) => index).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0))
  const ranks = Array<number>(values.length).fill(0)
  for (let from = 0; from < order.length;) {
    let to = from
    while (to + 1 < order.length && values[order[to + 1] ?? 0] === values[order[from] ?? 0]) to += 1
    for (let at = from; at <= to; at += 1) ranks[order[at] ?? 0] = (from + to) / 2 + 1
    from = to + 1
  }
  return ranks
}

/** Pettitt's K, the largest |U|, and how many values lie before it: Uₜ = 2 Σᵢ≤ₜ rᵢ − t (n + 1). */
function pettitt(ranks: readonly number[]): { readonly k: number; readonly before: number } {
  let sum = 0
  let k = 0
  let before = 0
  for (let t = 1; t < ranks.length; t += 1) {
    sum += ranks[t - 1] ?? 0
    const u = Math.abs(2 * sum - t * (ranks.length + 1))
    if (u > k) {
      k = u
      before = t
    }
  }
  return { k, before }
}

/**
 * Where the values of the nights changed their level: Pettitt's test, its p by permuting the nights (seeded), at 1 %. Of budgets whose
 * level never changed, one in a hundred is said to have.
 *
 * Source: Pettitt, "A Non-Parametric Approach to the Change-Point Problem", Applied Statistics 28 (1979).
 * @returns the index of the first night of the new level; `null`: no change, or fewer than ten nights
 */
export function levelChange(
  values: readonly number[],
  name: string,
): { readonly at: number; readonly p: number } | null {
  if (values.length < LEAST_NIGHTS) return null
  const ranks = midranks(values)
  const { k, before } = pettitt(ranks)
  const random = seededRandom(0, 'level-change', name)
  const shuffled = [...ranks]
  let beyond = 0
  for (let draw = 0; draw < PERMUTATIONS; draw += 1) {
    for (let last = shuffled.length - 1; last > 0; last -= 1) {
      const other = Math.floor(random() * (last + 1))
      const kept = shuffled[last] ?? 0
      shuffled[last] = shuffled[other] ?? 0
      shuffled[other] = kept
    }
    if (pettitt(shuffled).k >= k) beyond += 1
  }
  const p = (1 + beyond) / (1 + PERMUTATIONS)
  return p <= ALPHA ? { at: before, p } : null
}

function middle(values: readonly number[]): number {
  const sorted = sortSamples(values)
  return sorted === undefined ? Number.NaN : median(sorted)
}

function changeOf(nights: readonly Night[], name: string): LevelChange | null {
  const known = nights.flatMap(({ value, ...night }) => (value === null ? [] : [{ ...night, value }]))
  const values = known.map(({ value }) => value)
  const found = levelChange(values, name)
  const first = found === null ? undefined : known[found.at]
  if (found === null || first === undefined) return null
  return {
    run: first.run,
    startedAt: first.startedAt,
    before: middle(values.slice(0, found.at)),
    after: middle(values.slice(found.at)),
    p: found.p,
  }
}

const keyOf = ({ budget, probe, target, prompt }: Pick<Finding, 'budget' | 'probe' | 'target' | 'prompt'>): string =>
  JSON.stringify([budget, probe, target, prompt])

function night(finding: Finding, run: string, startedAt: string): Night[] {
  if (finding.n === 0) return []
  const { value, valueIsBound, verdict, n } = finding
  return [{ run, startedAt, value, ...(valueIsBound ? { valueIsBound } : {}), verdict, n }]
}

/** Practice and measurement never mix, nor practice at two time scales: rows of the kind that the run has of the same target. */
function likeThose(samples: readonly Sample[]): (row: Sample) => boolean {
  const kinds = new Map(samples.map((sample) => [JSON.stringify([sample.probe, sample.target]), sample.simulated]))
  return (row) => {
    const key = JSON.stringify([row.probe, row.target])
    return kinds.has(key) && kinds.get(key) === row.simulated
  }
}

/** A quick look, an interrupted or a narrowed run is no night: it has less than half of the samples of the largest one. */
function wholeNights(nights: readonly Night[], tonight: readonly Night[]): readonly Night[] {
  const most = Math.max(0, ...(tonight.length === 0 ? nights : tonight).map(({ n }) => n))
  return nights.filter(({ n }) => 2 * n >= most)
}

/**
 * Each budget's value and verdict over the nights, the run itself last. Every night is judged by itself, by the budgets of today; budgets
 * that compare with a baseline are left out. Runs that are pooled are nights, too. Empty where there is no earlier run.
 * @param input - of the run; its `earlier` rows are the nights before
 */
export function budgetHistory(
  cases: readonly BudgetCase[],
  input: JudgeInput,
  findings: readonly Finding[],
): BudgetHistory[] {
  const own = cases
    .filter((each) => (each.baseline ?? null) === null)
    .map(({ failAfter: _failAfter, acknowledge: _acknowledge, ...each }): BudgetCase => ({ ...each, window: null }))
  const { samples, ...rest } = input
  const earlier = (input.earlier ?? []).filter(likeThose(samples))
  const [first] = samples
  const isOne = samples.every(({ run_id }) => run_id === first?.run_id)
  const runs = [...Map.groupBy(isOne ? earlier : [...earlier, ...samples], ({ run_id }) => run_id)]
    .map(([run, rows]) => ({ run, rows, startedAt: rows[0]?.started_at ?? '' }))
    .toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
    .slice(1 - MOST_NIGHTS)
  if (runs.length === 0) return []
  const before = new Map<string, Night[]>()
  for (const { run, rows, startedAt } of runs) {
    for (const finding of judgeAll(own, { ...rest, samples: rows, incomplete: [], interrupted: false })) {
      const nights = before.get(keyOf(finding)) ?? []
      before.set(keyOf(finding), nights)
      nights.push(...night(finding, run, startedAt))
    }
  }
  return findings.flatMap((finding): BudgetHistory[] => {
    const { budget, probe, target, prompt, text, unit, limit, currency } = finding
    const tonight = isOne ? night(finding, first?.run_id ?? '', first?.started_at ?? '') : []
    const earlierNights = wholeNights(before.get(keyOf(finding)) ?? [], tonight)
    if (earlierNights.length === 0) return []
    const nights = [...earlierNights, ...tonight]
    return [
      { budget, probe, target, prompt, text, unit, limit, currency, nights, change: changeOf(nights, keyOf(finding)) },
    ]
  })
}
