import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parseLimit } from '../budget/index.ts'
import type { BudgetCase, CellKey } from '../budget/types.ts'
import type { Sample } from '../sample/types.ts'
import { seededRandom } from '../schedule/index.ts'
import { judge, judgeAll, judgeLimit } from './index.ts'
import { caseOf, CELL, cut, failed, inputOf, ok, times } from './testing/cases.ts'

const CANDIDATE: CellKey = { ...CELL, target: 'candidate' }
const CURRENT: CellKey = { ...CELL, target: 'current' }

function against(limit: string, fields: Partial<BudgetCase> = {}): BudgetCase {
  return caseOf(limit, {
    ...CANDIDATE,
    cells: [CANDIDATE],
    baseline: { kind: 'target', target: 'current' },
    baselineCells: [CURRENT],
    onInconclusive: 'warn',
    ...fields,
  })
}

/** Lognormal around a median, as latencies are. */
function latencies(seed: number, arm: string, count: number, medianMs: number, sigma = 0.3): number[] {
  const random = seededRandom(seed, 'latencies', arm)
  return times(count, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    return medianMs * Math.exp(sigma * normal)
  })
}

function arm(cell: CellKey, values: readonly number[], fields: Partial<Sample> = {}): Sample[] {
  return values.map((ttft_ms, round) => ok({ ...cell, round, ttft_ms, ...(fields as object) }))
}

function run(candidateMs: number, seed = 1, count = 288): Sample[] {
  return [
    ...arm(CANDIDATE, latencies(seed, 'candidate', count, candidateMs)),
    ...arm(CURRENT, latencies(seed, 'current', count, 1000)),
  ]
}

const ten = against('p50 ttft <= baseline + 10%')

describe('a baseline in the same run', () => {
  it('fails a regression beyond the margin', () => {
    const finding = judge(ten, inputOf(run(1400)))
    expect(finding).toMatchObject({
      verdict: 'fail',
      n: 288,
      evidence: null,
      comparison: { kind: 'target', baseline: 'current', margin: 'baseline + 10%', comparisons: 1, pairs: 288 },
    })
    // never below 1/(R + 1)
    expect(finding.comparison?.pValue).toBeCloseTo(1 / 2001, 6)
    expect(finding.limit).toBeCloseTo((finding.comparison?.baselineValue ?? 0) * 1.1, 9)
    expect(finding.message).toMatch(
      /^p50 ttft of example\/candidate\/medium is 1\.\d+ s, \d+(\.\d+)? % above current \(.*\): a regression beyond `<= baseline \+ 10%`, p < 0\.001; at 95 % no worse than .* above the baseline; 288 paired rounds$/,
    )
  })

  it('passes what surely is within it', () => {
    const finding = judge(ten, inputOf(run(950)))
    expect(finding.verdict).toBe('pass')
    expect(finding.comparison?.bound).toBeLessThan(1.1)
    expect(finding.message).toMatch(/: within `<= baseline \+ 10%`; at 95 % no worse than /)
  })

  it('is inconclusive between', () => {
    const finding = judge(ten, inputOf(run(1100, 3)))
    expect(finding).toMatchObject({ verdict: 'inconclusive', reason: 'not-significant', onInconclusive: 'warn' })
    expect(finding.message).toContain('neither a regression beyond')
  })

  it('takes an amount for a margin, and limits from below', () => {
    expect(judge(against('p50 ttft <= baseline + 100ms'), inputOf(run(1400))).verdict).toBe('fail')
    expect(judge(against('p50 ttft <= baseline + 600ms'), inputOf(run(1400))).verdict).toBe('pass')
    const speeds = (cell: CellKey, values: readonly number[]) =>
      values.map((decode_tps, round) => ok({ ...cell, round, decode_tps, last_token_ms: 9000 }))
    const slow = [
      ...speeds(CANDIDATE, latencies(1, 'candidate', 288, 40)),
      ...speeds(CURRENT, latencies(1, 'current', 288, 60)),
    ]
    expect(judge(against('p50 decode_tps >= baseline - 10%'), inputOf(slow)).verdict).toBe('fail')
    expect(judge(against('p50 decode_tps >= baseline - 50%'), inputOf(slow)).verdict).toBe('pass')
  })

  it('knows the mean too', () => {
    expect(judge(against('mean ttft <= baseline + 10%'), inputOf(run(1400))).verdict).toBe('fail')
  })

  it('never fails differences below the floor', () => {
    expect(judge({ ...ten, floor: 1000 }, inputOf(run(1400))).verdict).toBe('pass')
    expect(judge({ ...ten, floor: 50 }, inputOf(run(1400))).verdict).toBe('fail')
  })

  it('says that a pass rests on the floor, and that a significant difference may be below it', () => {
    const above = (ms: number, spread: number) => [
      ...arm(CANDIDATE, latencies(1, 'candidate', 288, 1000 + ms, spread)),
      ...arm(CURRENT, latencies(1, 'current', 288, 1000, spread)),
    ]
    const pass = judge({ ...ten, floor: 1000 }, inputOf(above(400, 0.3)))
    expect(pass.verdict).toBe('pass')
    expect(pass.message).toContain(': beyond `<= baseline + 10%`, by less than the floor of 1 s;')
    const open = judge({ ...ten, floor: 400 }, inputOf(above(350, 0.3)))
    expect(open).toMatchObject({ verdict: 'inconclusive', reason: 'not-significant' })
    expect(open.message).toContain(
      'a regression beyond `<= baseline + 10%` (p < 0.001), but not surely more than the floor',
    )
  })

  it('knows what is more than nothing, and calls it no percentage', () => {
    const counts = (cell: CellKey, reasoning_tokens: number): Sample[] =>
      times(40, (round) => ok({ ...cell, round, reasoning_tokens }))
    const finding = judge(
      against('p50 reasoning_tokens <= baseline + 10%'),
      inputOf([...counts(CANDIDATE, 5), ...counts(CURRENT, 0)]),
    )
    expect(finding.verdict).toBe('fail')
    expect(finding.message).not.toMatch(/no worse than/)
  })

  it.each(['p50', 'p95', 'mean'])('passes %s of equal values, and is open at the very margin', (statistic) => {
    const equal = (ms: number): Sample[] => [
      ...arm(CANDIDATE, Array<number>(40).fill(ms)),
      ...arm(CURRENT, Array<number>(40).fill(1000)),
    ]
    const limit = against(`${statistic} ttft <= baseline + 10%`)
    expect(judge(limit, inputOf(equal(1000)))).toMatchObject({ verdict: 'pass', comparison: { pValue: 1 } })
    expect(judge(limit, inputOf(equal(1100)))).toMatchObject({ verdict: 'inconclusive', comparison: { pValue: 1 } })
    expect(judge(limit, inputOf(equal(1101))).verdict).toBe('fail')
  })

  it('gives the same in any order, and again', () => {
    const samples = run(1150)
    expect(judge(ten, inputOf(samples.toReversed()))).toEqual(judge(ten, inputOf(samples)))
  })

  it('adjusts for all comparisons of the run', () => {
    // a p between 1 % and 5 %, alone significant, with nine others not
    const cases = times(10, (at) => against('p50 ttft <= baseline + 10%', { budget: `b${at}` }))
    const found = times(40, (seed) => run(1180, seed)).find((samples) => {
      const p = judge(cases[0] ?? ten, inputOf(samples)).comparison?.pValue ?? 1
      return p > 0.02 && p < 0.04
    })
    expect(judge(cases[0] ?? ten, inputOf(found ?? []))).toMatchObject({ verdict: 'fail' })
    const findings = judgeAll(cases, inputOf(found ?? []))
    for (const finding of findings) {
      expect(finding.verdict).not.toBe('fail')
      expect(finding.comparison?.comparisons).toBe(10)
    }
  })
})

describe('rounds of a comparison', () => {
  it('count whole only', () => {
    const samples = run(1000).filter(({ target, round }) => target === 'current' || round >= 100)
    const finding = judge(ten, inputOf(samples))
    expect(finding.n).toBe(188)
    expect(finding.message).toContain('188 paired rounds, 100 left out because one arm is missing')
  })

  it('leave out failures, unless they exceed', () => {
    const samples = run(950).map((sample) =>
      sample.target === 'candidate' && sample.round < 5
        ? failed('reset', { ...CANDIDATE, round: sample.round })
        : sample,
    )
    expect(judge(ten, inputOf(samples))).toMatchObject({ n: 283, failed: 5, verdict: 'pass' })
    expect(judge({ ...ten, failures: 'exceed' }, inputOf(samples))).toMatchObject({ n: 288, censored: 5 })
  })

  it('must be enough', () => {
    expect(judge(ten, inputOf(run(1400, 1, 9)))).toMatchObject({
      verdict: 'inconclusive',
      reason: 'too-few-samples',
      n: 9,
    })
  })

  it('never pass without a baseline', () => {
    const alone = run(900).filter(({ target }) => target === 'candidate')
    expect(judge(ten, inputOf(alone))).toMatchObject({ verdict: 'inconclusive', value: null, broken: true })
    expect(judge(ten, inputOf([]))).toMatchObject({ verdict: 'inconclusive', reason: 'no-samples' })
    expect(judge(ten, inputOf(alone, { incomplete: [CURRENT] }))).toMatchObject({
      verdict: 'inconclusive',
      reason: 'partial-selection',
      message: expect.stringContaining('partial selection, 1 of 2 cells not sampled to the end'),
    })
    const early = { incomplete: [CURRENT, CANDIDATE], interrupted: true }
    expect(judge(ten, inputOf(run(900), early))).toMatchObject({
      verdict: 'inconclusive',
      reason: 'ended-early',
      broken: false,
      message: expect.stringContaining('the run ended early: 2 of 2 cells not sampled to the end'),
    })
  })

  it('never compare practice with the real thing', () => {
    const samples = run(900).map((sample) => (sample.target === 'current' ? { ...sample, simulated: 100 } : sample))
    const finding = judge(ten, inputOf(samples))
    expect(finding).toMatchObject({ verdict: 'inconclusive', reason: 'no-baseline' })
    expect(finding.message).toContain('one arm is simulated')
  })
})

describe('different timeouts', () => {
  it('cut both arms at the smaller one', () => {
    // The candidate gives up after 5 s; the current model waits and gets its answer at 8 s, as often.
    const samples = run(950).map((sample) => {
      if (sample.round % 96 !== 0) return sample
      return sample.target === 'candidate'
        ? cut({ ...CANDIDATE, round: sample.round, total_ms: 5000 })
        : { ...sample, ttft_ms: 8000 }
    })
    const finding = judge(ten, inputOf(samples))
    expect(finding).toMatchObject({ verdict: 'pass', censored: 3 })
    expect(finding.message).toContain('both arms cut at 5 s')
  })

  it('leave a percentile open that rests on what was cut', () => {
    const samples = run(950).map((sample) =>
      sample.target === 'candidate' && sample.round % 20 === 0
        ? cut({ ...CANDIDATE, round: sample.round, total_ms: 5000 })
        : sample,
    )
    expect(judge(against('p95 ttft <= baseline + 10%'), inputOf(samples))).toMatchObject({
      verdict: 'inconclusive',
      reason: 'censored',
    })
    expect(judge(ten, inputOf(samples)).verdict).toBe('pass')
  })
})

it('a slow runner is not a slow candidate', () => {
  const samples = run(1400).map((sample) =>
    sample.target === 'candidate' ? { ...sample, ttft_error_ms: 400, client_lag_ms: 400 } : sample,
  )
  expect(judge(ten, inputOf(samples))).toMatchObject({ verdict: 'inconclusive', reason: 'client-delay' })
})

it('given samples have no baseline', () => {
  const defaults = {
    severity: 'fail',
    onInconclusive: 'fail',
    per: 'cell',
    minSamples: null,
    failures: 'exclude',
  } as const
  expect(() => judgeLimit(parseLimit('p50 ttft <= baseline'), [], defaults)).toThrow(/given samples have no baseline/)
})

describe('nights of the history', () => {
  const past = against('p50 ttft <= baseline + 10%', {
    baseline: { kind: 'history', forMs: 90 * 86_400_000 },
    baselineCells: [],
  })
  const night = (day: number, medianMs: number): Sample[] =>
    arm(CANDIDATE, latencies(day, 'night', 40, medianMs)).map((sample) => ({
      ...sample,
      run_id: `night ${String(day).padStart(2, '0')}`,
      started_at: new Date(Date.UTC(2026, 9, day, 2)).toISOString(),
    }))
  const nights = (count: number) => times(count, (at) => night(at + 1, 1000 + 10 * (at % 5))).flat()
  const history = (count: number) => ({ baselines: [{ file: null, samples: nights(count) }] })

  it('are compared as nights: the worst of 20 is significant, of 19 it is not', () => {
    const bad = inputOf(night(40, 1500), history(19))
    const finding = judge(past, bad)
    expect(finding).toMatchObject({ verdict: 'fail', comparison: { kind: 'history', pairs: 19, pValue: 1 / 20 } })
    const few = judge(past, inputOf(night(40, 1500), history(18)))
    expect(few).toMatchObject({ verdict: 'inconclusive', reason: 'not-significant', comparison: { pValue: 1 / 19 } })
    expect(few.message).toMatch(/; under 19 nights it can only warn$/)
  })

  it('pass a night like the others', () => {
    const finding = judge(past, inputOf(night(40, 1020), history(5)))
    expect(finding.verdict).toBe('pass')
    expect(finding.message).toMatch(/ the median of 5 nights \(/)
  })

  it('none yet is no pass', () => {
    const finding = judge(past, inputOf(night(40, 900)))
    expect(finding).toMatchObject({ verdict: 'inconclusive', reason: 'no-baseline', limit: 0 })
    expect(finding.message).toContain('no passing run to compare with yet')
  })

  it('leave out practice, nights out of reach and nights too thin', () => {
    const practice = nights(3).map((sample) => ({ ...sample, simulated: 100 }))
    expect(
      judge(past, inputOf(night(40, 900), { baselines: [{ file: null, samples: practice }] })).comparison?.pairs,
    ).toBe(0)
    const recent = { ...past, baseline: { kind: 'history', forMs: 38.5 * 86_400_000 } } as const
    expect(judge(recent, inputOf(night(40, 900), history(5))).comparison?.pairs).toBe(4)
    const thin = nights(5).filter(({ round, run_id }) => round < 5 || run_id !== 'night 03')
    expect(judge(past, inputOf(night(40, 900), { baselines: [{ file: null, samples: thin }] })).comparison?.pairs).toBe(
      4,
    )
  })

  it('come from a file likewise', () => {
    const file = { ...past, baseline: { kind: 'file', file: 'last.csv' } } as const
    const input = inputOf(night(40, 900), { baselines: [{ file: 'last.csv', samples: nights(1) }] })
    expect(judge(file, input)).toMatchObject({
      verdict: 'pass',
      comparison: { kind: 'file', baseline: 'last.csv', pairs: 1 },
    })
    expect(judge(file, inputOf(night(40, 900), history(5))).reason).toBe('no-baseline')
  })
})

it('the worked example of docs/statistics.md is true', async () => {
  const page = await readFile(new URL('../../docs/statistics.md', import.meta.url), 'utf8')
  const { value, verdict, comparison } = judge(ten, inputOf(run(1160, 2)))
  const seconds = (ms: number | null | undefined) => ((ms ?? 0) / 1000).toFixed(2)
  expect(verdict).toBe('inconclusive')
  expect(page).toContain(
    `The current model's p50 is ${seconds(comparison?.baselineValue)} s, the candidate's ${seconds(value)} s, the margin 10 %, 288 rounds.`,
  )
  expect(page).toContain(`in ${((comparison?.pValue ?? 0) * 100).toFixed(0)} % of the draws`)
  expect(page).toContain(`reaches ${comparison?.bound?.toFixed(2)} times the baseline`)
})
