import { readFile } from 'node:fs/promises'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseLimit } from '../budget/index.ts'
import type { BudgetCase, CellKey } from '../budget/types.ts'
import type { FailedSample, Sample } from '../sample/types.ts'
import { seededRandom } from '../schedule/index.ts'
import { judge, judgeAll, judgeLimit } from './index.ts'
import type { Finding } from './types.ts'
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
      /^p50 ttft of example\/candidate\/medium is 1\.\d+ s, \d+(\.\d+)? % above current \(.*\): a regression beyond `<= baseline \+ 10%`, p < 0\.001; 288 paired rounds$/,
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

  it('leave a percentile open that a few cut-off requests lift', () => {
    // 12 of 288 are 4.2 %, and p95 allows 5 %
    const even = [
      ...arm(CANDIDATE, latencies(1, 'candidate', 288, 950, 0.1)),
      ...arm(CURRENT, latencies(1, 'current', 288, 1000, 0.1)),
    ]
    const samples = lose(even, (round) => round % 25 === 0)
    const finding = judge(against('p95 ttft <= baseline + 10%'), inputOf(samples))
    expect(finding).toMatchObject({ verdict: 'inconclusive', reason: 'censored', valueIsBound: true })
    expect(finding.message).toContain('more than 1 % of the estimate rests on requests that were cut off')
    expect(judge(ten, inputOf(samples)).verdict).toBe('pass')
  })
})

/** The candidate's requests of some rounds, cut off after 5 s or lost otherwise. */
function lose(
  samples: readonly Sample[],
  isLost: (round: number) => boolean,
  as: (fields: Partial<FailedSample>) => Sample = (fields) => cut({ ...fields, total_ms: 5000 }),
  target = 'candidate',
): Sample[] {
  return samples.map((sample) =>
    sample.target === target && isLost(sample.round)
      ? as({ ...CELL, target, round: sample.round, run_id: sample.run_id, started_at: sample.started_at })
      : sample,
  )
}

describe('a candidate that breaks', () => {
  const always = () => true
  const failing = (fields: Partial<FailedSample>) => failed('http_status', { ...fields, status: 500 })

  it('fails when all its requests are cut off, or fail', () => {
    const message = (words: string) =>
      expect.stringMatching(
        new RegExp(
          `^p50 ttft of example/candidate/medium fails: ${words}; 288 of 288 of current did, (1|1\\.0\\d*|0\\.9\\d*|9\\d\\d(\\.\\d+)?) m?s$`,
        ),
      )
    const none = message('none of 288 requests of candidate got a first token')
    expect(judge(ten, inputOf(lose(run(950), always)))).toMatchObject({ verdict: 'fail', value: null, message: none })
    expect(judge(ten, inputOf(lose(run(950), always, failing)))).toMatchObject({
      verdict: 'fail',
      value: null,
      n: 0,
      failed: 288,
      message: none,
    })
    expect(judge({ ...ten, failures: 'exceed' }, inputOf(lose(run(950), always, failing))).verdict).toBe('fail')
    const few = lose(run(950), (round) => round >= 3, failing)
    expect(judge(ten, inputOf(few))).toMatchObject({
      verdict: 'fail',
      message: message('3 of 288 requests of candidate got a first token, and p50 needs 10'),
    })
  })

  it('says nothing where the baseline has no numbers either, or is not there', () => {
    const neither = lose(lose(run(950), always), always, undefined, 'current')
    expect(judge(ten, inputOf(neither)).verdict).toBe('inconclusive')
    const baselineOnly = lose(run(950), always, failing, 'current')
    expect(judge(ten, inputOf(baselineOnly))).toMatchObject({
      verdict: 'inconclusive',
      reason: 'no-baseline',
      message: expect.stringContaining(
        'no round has both arms, 288 left out for failures (0 of candidate, 288 of current)',
      ),
    })
    expect(judge(ten, inputOf(lose(run(950), always, undefined, 'current'))).verdict).toBe('inconclusive')
    const alone = lose(run(950), always, failing).filter(({ target }) => target === 'candidate')
    expect(judge(ten, inputOf(alone)).verdict).toBe('inconclusive')
    expect(judge(ten, inputOf(lose(run(950), always), { incomplete: [CANDIDATE] })).reason).toBe('partial-selection')
  })

  it('does not fail for a metric that it merely does not report', () => {
    const counts = run(950).map((sample) => (sample.target === 'current' ? { ...sample, reasoning_tokens: 9 } : sample))
    expect(judge(against('p50 reasoning_tokens <= baseline + 10%'), inputOf(counts)).verdict).toBe('inconclusive')
  })

  it.each(['p50', 'p95', 'mean'])('fails when most of its requests are cut off: %s', (statistic) => {
    const finding = judge(
      against(`${statistic} ttft <= baseline + 10%`),
      inputOf(lose(run(950), (round) => round % 5 > 0)),
    )
    expect(finding).toMatchObject({ verdict: 'fail', censored: 230, valueIsBound: true })
    expect(finding.message).toContain('; cut-off requests count at their cut (230 of candidate, 0 of current)')
    expect(finding.message).toMatch(/ is at least \d/)
  })

  it('fails from below, too, where speeds were never reached', () => {
    const speeds = (target: string) =>
      latencies(1, target, 288, 60).map((decode_tps, round) => ok({ ...CELL, target, round, decode_tps }))
    const all = [...speeds('candidate'), ...speeds('current')]
    const tps = against('p50 decode_tps >= baseline - 10%')
    expect(judge(tps, inputOf(all)).verdict).toBe('pass')
    const most = judge(tps, inputOf(lose(all, (round) => round % 5 > 0)))
    expect(most).toMatchObject({ verdict: 'fail', valueIsBound: false })
    expect(most.message).toMatch(/ is at most .*; cut-off requests count as the worst number of all, /)
    // nobody knows how low a mean would be
    const mean = judge(against('mean decode_tps >= baseline - 10%'), inputOf(lose(all, (round) => round % 5 > 0)))
    expect(mean).toMatchObject({ verdict: 'inconclusive', reason: 'censored', value: null })
  })

  it('does not fail because the baseline was cut off more often', () => {
    const samples = lose(run(1400), (round) => round % 3 === 0, undefined, 'current')
    const finding = judge(against('p95 ttft <= baseline + 10%'), inputOf(samples))
    expect(finding.verdict).not.toBe('fail')
  })

  it('tells how many rounds its failures left out', () => {
    const half = judge(ten, inputOf(lose(run(950), (round) => round % 2 === 0, failing)))
    expect(half).toMatchObject({ verdict: 'pass', n: 144, failed: 144 })
    expect(half.message).toContain('144 paired rounds, 144 left out for failures (144 of candidate, 0 of current)')
  })

  it('a lost request more never turns a fail into a pass', () => {
    const rounds = 40
    const cuts = fc.record({ kind: fc.constant('cut' as const), at: fc.integer({ min: 300, max: 3000 }) })
    const lost = fc.oneof(cuts, fc.constant({ kind: 'failed' as const, at: 0 }))
    fc.assert(
      fc.property(
        fc.constantFrom('p50 ttft <= baseline + 10%', 'p80 ttft <= baseline', 'mean ttft <= baseline + 100ms'),
        fc.constantFrom('exclude' as const, 'exceed' as const),
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 1050, max: 1800 }),
        fc.array(fc.tuple(fc.nat(rounds - 1), lost), { minLength: 1, maxLength: rounds }),
        (limit, failures, seed, medianMs, losses) => {
          const budgetCase = against(limit, { failures, minSamples: 10 })
          const samples = run(medianMs, seed, rounds)
          fc.pre(judge(budgetCase, inputOf(samples)).verdict === 'fail')
          // Failures that are left out take their rounds with them: many may leave good ones only, one does not.
          const turned = losses.reduce(
            (all, [at, { kind, at: ms }], index) =>
              kind === 'failed' && failures === 'exclude' && index > 0
                ? all
                : lose(
                    all,
                    (round) => round === at,
                    (fields) => (kind === 'cut' ? cut({ ...fields, total_ms: ms }) : failing(fields)),
                  ),
            samples,
          )
          expect(judge(budgetCase, inputOf(turned)).verdict).not.toBe('pass')
        },
      ),
      { numRuns: 150 },
    )
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

  it('fail a night without any number, or of which most was cut off', () => {
    const none = lose(night(40, 1000), () => true)
    expect(judge(past, inputOf(none, history(3)))).toMatchObject({
      verdict: 'fail',
      value: null,
      message: expect.stringMatching(
        / fails: none of 40 requests of candidate got a first token; the median of 3 nights is /,
      ),
    })
    expect(judge(past, inputOf(none)).verdict).toBe('inconclusive')
    const most = inputOf(
      lose(night(40, 1000), (round) => round % 3 > 0),
      history(19),
    )
    expect(judge(past, most)).toMatchObject({ verdict: 'fail', valueIsBound: true, comparison: { pValue: 1 / 20 } })
    expect(judge(past, inputOf(most.samples, history(18)))).toMatchObject({
      verdict: 'inconclusive',
      reason: 'censored',
    })
  })

  it('say how many requests failed', () => {
    const half = lose(
      night(40, 1000),
      (round) => round % 2 === 0,
      (fields) => failed('reset', fields),
    )
    const finding = judge(past, inputOf(half, history(5)))
    expect(finding).toMatchObject({ verdict: 'pass', n: 20 })
    expect(finding.message).toContain(', 20 of 40 requests left out for failures')
    const stalled = night(40, 1000).map((sample) =>
      failed('stall_timeout', { ...CANDIDATE, run_id: sample.run_id, ttft_ms: sample.ttft_ms ?? 0 }),
    )
    expect(judge(past, inputOf(stalled, history(5))).message).not.toContain('left out')
  })

  it('have the same numbers judged together as alone', () => {
    const base = history(5).baselines
    const input = inputOf(
      [...night(40, 1020), ...arm(CURRENT, latencies(7, 'current', 40, 1000), { run_id: 'night 40' })],
      {
        baselines: [...base, { file: 'last.csv', samples: nights(2) }],
      },
    )
    const recent = { ...past, baseline: { kind: 'history', forMs: 38.5 * 86_400_000 } } as const
    const file = { ...past, baseline: { kind: 'file', file: 'last.csv' } } as const
    const cases = [past, recent, file, { ...past, limit: parseLimit('mean ttft <= baseline + 10%') }, ten]
    const numbers = ({ value, limit, n, beyond, comparison }: Finding) => [value, limit, n, beyond, comparison?.pValue]
    expect(judgeAll(cases, input).map(numbers)).toEqual(cases.map((each) => numbers(judge(each, input))))
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
