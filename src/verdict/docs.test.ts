import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { binomialCdf, quantile, samplesToProve, sortSamples } from '../statistics/index.ts'
import { isDecided, judge, powerOf } from './index.ts'
import { caseOf, CELL, cut, inputOf, ok, times } from './testing/cases.ts'

/** The numbers of docs/statistics.md, by the code that it speaks of. */
const page = await readFile(new URL('../../docs/statistics.md', import.meta.url), 'utf8')

const says = (text: string): void => expect(page).toContain(text)
const whole = (share: number): string => `${Math.round(share * 100)} %`
const good = (count: number) => times(count, () => ok())
const slow = (count: number) => times(count, () => ok({ ttft_ms: 61_000 }))
const NEEDS = { everyMs: null, tokens: null, cost: null, currency: null }

it('a percentile lies between two samples', () => {
  const sorted = sortSamples([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  const p95 = sorted === undefined ? 0 : quantile(sorted, { numerator: 95, denominator: 100 })
  says(`p95 lies at place 9 × 0.95 = 8.55: between 9 s and 10 s, at ${p95.toFixed(2)} s.`)
})

describe('evidence', () => {
  it('one of 120 proves nothing', () => {
    says(`= ${whole(binomialCdf(1, 120, 0.01))} of all runs`)
    const { message } = judge(caseOf('p99 ttft < 10s'), inputOf([...good(119), ...slow(1)]))
    const [words = 'none'] = /likely within: [^;]*/.exec(message) ?? []
    says(`the finding says "${words.replace(/ \(.*/, '')}"`)
    says(`With ${samplesToProve(1, 0.01, 0.05)} samples and one beyond`)
  })

  it('confidence asks for a proof', () => {
    const proof = caseOf('p99 ttft < 10s', { confidence: 0.95 })
    expect(judge(proof, inputOf(good(298)))).toMatchObject({ verdict: 'inconclusive', evidence: { samplesMissing: 1 } })
    expect(judge(proof, inputOf(good(299))).verdict).toBe('pass')
    says(`298 of them are inconclusive, and the finding asks for 1 more clean sample; 299 pass`)
    says(`0.99²⁹⁹ = ${(0.99 ** 299 * 100).toFixed(2)} %`)
    says(`needs ${samplesToProve(1, 0.01, 0.05)}, two ${samplesToProve(2, 0.01, 0.05)}.`)
  })

  it('eight in one hour weigh like one', () => {
    const hour = (at: number): string => new Date(Date.UTC(2026, 11, 1, at)).toISOString()
    const samples = times(1200, (at) =>
      ok({ started_at: hour(at % 24), ttft_ms: at % 24 === 3 && at < 24 * 8 ? 61_000 : 1000 }),
    )
    const { evidence, beyond } = judge(caseOf('share(ttft > 60s) < 2%'), inputOf(samples))
    const effect = evidence?.clumps?.designEffect ?? 0
    expect(beyond).toBe(8)
    expect(evidence?.proven).toBeNull()
    says(`X² is ${Math.round(effect * 23)} at 23, so the design effect is ${effect.toFixed(1)}.`)
    says(`weigh like ${Math.floor(1200 / effect)}, the 8 like ${Math.round(8 / effect)}.`)
    expect(binomialCdf(8, 1200, 0.02)).toBeLessThan(0.05)
  })
})

it('a window makes seven nights one', () => {
  const night = (day: number, count = 40) =>
    good(count).map((sample) => ({ ...sample, run_id: `${day}`, started_at: `2026-12-0${day}T02:00:00.000Z` }))
  const budget = caseOf('share(ttft > 60s) < 0.5%', { window: { forMs: 7 * 86_400_000, same: [] } })
  const earlier = [1, 2, 3, 4, 5, 6].flatMap((day) => night(day))
  const one = earlier.map((sample, at) => (at === 0 ? { ...sample, ttft_ms: 61_000 } : sample))
  expect(judge(budget, inputOf(night(7))).verdict).toBe('inconclusive')
  const finding = judge(budget, inputOf(night(7), { earlier: one }))
  expect(finding).toMatchObject({ verdict: 'pass', n: 280, beyond: 1, window: { runs: 7 } })
  says(`which is ${((finding.value ?? 0) * 100).toFixed(2)} %: pass, "pooled over 7 runs"`)
  expect(finding.message).toContain('pooled over 7 runs')
  says(`would take ${samplesToProve(1, 0.005, 0.05)} requests`)
})

it('a median is certain after 21 of 40', () => {
  const p50 = caseOf('p50 ttft < 10s')
  expect(isDecided([p50], inputOf(good(20)), [{ ...CELL, count: 20 }])).toBe(false)
  expect(isDecided([p50], inputOf(good(21)), [{ ...CELL, count: 19 }])).toBe(true)
  const p99 = caseOf('p99 ttft < 10s')
  expect(isDecided([p99], inputOf(good(99)), [{ ...CELL, count: 1 }])).toBe(false)
  expect(isDecided([p99], inputOf([...good(97), ...slow(2)]), [{ ...CELL, count: 1 }])).toBe(false)
})

it('two bad nights by chance are rare', () => {
  const { falseAlarm } = powerOf(caseOf('p99 ttft < 10s'), { planned: 120, needs: () => NEEDS })
  says(`in ${whole(falseAlarm ?? 0)} of its nights (120 samples, 0.5 % beyond)`)
  says(`0.12 × 0.12 = ${(0.12 * 0.12 * 100).toFixed(1)} %`)
})

it('an acknowledgement ends with its day', () => {
  const known = caseOf('p99 ttft < 10s', {
    acknowledge: [
      {
        until: '2026-12-15',
        reason: 'known',
        upTo: 15_000,
        where: {},
        source: { file: 'slo.yaml', line: 1, column: 1 },
      },
    ],
  })
  const at = (started_at: string, ttft_ms: number) =>
    judge(
      known,
      inputOf(
        times(100, () => ok({ started_at, ttft_ms })),
        { timezone: 'Asia/Kolkata' },
      ),
    ).severity
  expect(at('2026-12-15T18:29:00.000Z', 12_000)).toBe('warn')
  expect(at('2026-12-15T18:30:00.000Z', 12_000)).toBe('fail')
  expect(at('2026-12-10T18:30:00.000Z', 16_000)).toBe('fail')
  says('23:59 in Kolkata (18:29 UTC) warns')
})

it('a candidate that is cut off fails', () => {
  const current = { ...CELL, target: 'current' }
  const candidate = { ...CELL, target: 'candidate' }
  const p50 = caseOf('p50 ttft <= baseline + 10%', {
    ...candidate,
    cells: [candidate],
    baseline: { kind: 'target', target: 'current' },
    baselineCells: [current],
  })
  const after = (answered: number) =>
    judge(
      p50,
      inputOf(
        times(120, (round) => [
          ok({ ...current, round, ttft_ms: 1000 + round }),
          round < answered
            ? ok({ ...candidate, round, ttft_ms: 1000 + round })
            : cut({ ...candidate, round, total_ms: 30_000 }),
        ]).flat(),
      ),
    )
  const all = after(0)
  expect(all.verdict).toBe('fail')
  const [words = 'none'] = /none of .* did/.exec(all.message) ?? []
  says(`"${words}"`)
  const most = after(40)
  expect(most).toMatchObject({ verdict: 'fail', censored: 80 })
  const [least = 'none'] = /at least [\d.]+ s/.exec(most.message) ?? []
  says(`its p50 is "${least}"`)
})

it('a schedule tells what it can find', () => {
  const p99 = (planned: number) => powerOf(caseOf('p99 ttft < 10s'), { planned, needs: () => NEEDS })
  const [few, many] = [p99(120), p99(300)]
  const caught = few.caught?.twice ?? 0
  says(`two or more in ${whole(caught)} of all runs: the other ${whole(1 - caught)} of such breaches`)
  says(
    `fails in ${whole(few.falseAlarm ?? 0)} of its nights. With 300 samples it is ${whole(many.caught?.twice ?? 0)} and ${whole(many.falseAlarm ?? 0)}`,
  )
  const against = (limit: string) =>
    powerOf(
      caseOf(limit, {
        baseline: { kind: 'target', target: 'current' },
        baselineCells: [{ ...CELL, target: 'current' }],
      }),
      { planned: 288, needs: () => NEEDS },
    ).unchangedPasses ?? 0
  const [p50, p95] = [against('p50 ttft <= baseline + 10%'), against('p95 ttft <= baseline + 10%')]
  expect(page.match(/passes p50 in about .* in \d+ %\./)?.[0]).toBe(
    `passes p50 in about ${whole(p50)} of the nights and p95 in ${whole(p95)}.`,
  )
})
