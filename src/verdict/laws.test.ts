import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BudgetCase } from '../budget/types.ts'
import type { Sample } from '../sample/types.ts'
import { judge, judgeAll } from './index.ts'
import { caseOf, cut, failed, inputOf, ok } from './testing/cases.ts'

/** Limits on which a cut-off sample counts; the small numbers make both verdicts likely. */
const LIMITS = [
  'p50 ttft < 10ms',
  'p90 ttft <= 10ms',
  'p99 ttft < 10ms',
  'p10 ttft > 10ms',
  'p100 ttft <= 10ms',
  'p50 decode_tps > 10',
  'p5 decode_tps >= 10',
  'p95 total < 10ms',
  'p95 gap_max < 10ms',
  'p95 tpot < 10ms',
  'p95 completion_tokens <= 10',
  'p5 completion_tokens >= 10',
  'mean ttft < 10ms',
  'max ttft <= 10ms',
  'mean decode_tps > 10',
  'min decode_tps >= 10',
  'share(ttft > 10ms) < 20%',
  'share(ttft < 10ms) >= 80%',
  'share(decode_tps < 10) <= 20%',
  'error_rate < 20%',
  'error_rate <= 0%',
]
const RATES = [
  'answered_rate > 80%',
  'length_rate < 20%',
  'length_rate > 20%',
  'cache_hit_rate >= 50%',
  'stall_rate < 20%',
]

const budgetCase = (limits: readonly string[]): fc.Arbitrary<BudgetCase> =>
  fc
    .record({
      text: fc.constantFrom(...limits),
      minSamples: fc.constantFrom(0, 1, 3, 10, null),
      failures: fc.constantFrom('exclude' as const, 'exceed' as const),
    })
    .map(({ text, ...fields }) => caseOf(text, { ...fields, stallOverMs: 10 }))

const number = fc.integer({ min: 1, max: 20 })

const good: fc.Arbitrary<Sample> = fc
  .record({ ttft: number, decode: number, tokens: number, lag: fc.constantFrom(0, 0, 1, 30), answered: fc.boolean() })
  .map(({ ttft, decode, tokens, lag, answered }) =>
    ok({
      ttft_ms: ttft,
      ttft_error_ms: lag,
      client_lag_ms: lag,
      last_token_ms: ttft + decode,
      total_ms: ttft + decode,
      gap_max_ms: decode,
      tpot_ms: decode,
      decode_tps: tokens,
      completion_tokens: tokens,
      prompt_tokens: 10,
      cached_tokens: tokens - 1,
      finish_reason: tokens > 15 ? 'length' : 'stop',
      ...(answered ? { first_answer_ms: ttft } : {}),
    }),
  )

const censored: fc.Arbitrary<Sample> = fc.oneof(
  number.map((total_ms) => cut({ total_ms })),
  fc.constant(null).map(() => failed('connect_timeout', { connect_ms: 5 })),
)
const anySample = fc.oneof(
  { weight: 8, arbitrary: good },
  { weight: 2, arbitrary: censored },
  { weight: 1, arbitrary: fc.constant(null).map(() => failed('http_status', { status: 529 })) },
)
const anySamples = fc.array(anySample, { maxLength: 30 })

describe('laws of the verdict', () => {
  it('a cut-off sample more never turns a fail into a pass', () => {
    fc.assert(
      fc.property(budgetCase(LIMITS), anySamples, censored, (each, samples, more) => {
        fc.pre(judge(each, inputOf(samples)).verdict === 'fail')
        expect(judge(each, inputOf([...samples, more])).verdict).not.toBe('pass')
      }),
      { numRuns: 1000 },
    )
  })

  it('a failure more never turns a fail into a pass where failures exceed', () => {
    fc.assert(
      fc.property(budgetCase(LIMITS), anySamples, (each, samples) => {
        const exceeding = { ...each, failures: 'exceed' as const }
        fc.pre(judge(exceeding, inputOf(samples)).verdict === 'fail')
        expect(judge(exceeding, inputOf([...samples, failed('reset')])).verdict).not.toBe('pass')
      }),
      { numRuns: 500 },
    )
  })

  it('no limit passes on no samples', () => {
    fc.assert(
      fc.property(budgetCase([...LIMITS, ...RATES]), fc.nat(5), (each, aborted) => {
        const samples = Array.from({ length: aborted }, () => failed('aborted', { ttft_ms: 1 }))
        expect(judge(each, inputOf(samples))).toMatchObject({ verdict: 'inconclusive', n: 0 })
      }),
    )
  })

  it('the order of the samples changes nothing', () => {
    fc.assert(
      fc.property(
        budgetCase([...LIMITS, ...RATES]),
        anySamples.chain((samples) =>
          fc.tuple(fc.constant(samples), fc.shuffledSubarray(samples, { minLength: samples.length })),
        ),
        (each, [samples, shuffled]) => {
          expect(judge(each, inputOf(shuffled))).toEqual(judge(each, inputOf(samples)))
        },
      ),
      { numRuns: 500 },
    )
  })

  it('aborted samples and those of other cells change nothing', () => {
    fc.assert(
      fc.property(budgetCase([...LIMITS, ...RATES]), anySamples, (each, samples) => {
        const noise = [failed('aborted', { ttft_ms: 99 }), ok({ target: 'other', ttft_ms: 99 })]
        expect(judge(each, inputOf([...samples, ...noise]))).toEqual(judge(each, inputOf(samples)))
      }),
    )
  })

  it('budgets judged together, in any order, come out as each does alone', () => {
    const looking = fc.record({
      window: fc.constantFrom(null, { forMs: 36 * 3_600_000, same: [] }),
      failAfter: fc.constantFrom(1, 2, 3),
    })
    const oneOf = fc.tuple(budgetCase([...LIMITS, ...RATES]), looking).map(([each, more]) => ({ ...each, ...more }))
    const several = fc.array(oneOf, { minLength: 2, maxLength: 12 })
    fc.assert(
      fc.property(several, anySamples, fc.array(anySamples, { maxLength: 3 }), (cases, samples, nights) => {
        const other = { probe: 'example', target: 'glm-5.3', prompt: 'long' }
        const mixed = cases.map((each, at) => (at % 3 === 0 ? { ...each, cells: [...each.cells, other] } : each))
        const all = [...samples, ok({ ...other, ttft_ms: 15 })]
        const earlier = nights.flatMap((night, at) =>
          night.map((sample) => ({ ...sample, run_id: `night-${at}`, started_at: `2026-11-${28 + at}T03:00:00.000Z` })),
        )
        const input = inputOf(all, { earlier })
        expect(judgeAll(mixed, input)).toEqual(mixed.map((each) => judge(each, input)))
      }),
    )
  })

  it('counts add up', () => {
    fc.assert(
      fc.property(budgetCase([...LIMITS, ...RATES]), anySamples, (each, samples) => {
        const [finding] = judgeAll([each], inputOf(samples))
        expect(finding).toBeDefined()
        if (finding === undefined) return
        expect(finding.beyond).toBeLessThanOrEqual(finding.n)
        expect(finding.censored).toBeLessThanOrEqual(finding.beyond)
        expect(finding.n).toBeLessThanOrEqual(samples.length)
        expect(Object.values(finding.failures).reduce((sum, count) => sum + count, 0)).toBe(finding.failed)
        expect(finding.reason === undefined).toBe(finding.verdict !== 'inconclusive')
        expect(finding.worst.length).toBeLessThanOrEqual(5)
        expect(finding.message).not.toMatch(/undefined|null|NaN|Infinity|\n/)
      }),
      { numRuns: 500 },
    )
  })

  it('a passing verdict is never against the proof, nor a failing one', () => {
    fc.assert(
      fc.property(budgetCase([...LIMITS, ...RATES]), anySamples, (each, samples) => {
        const { verdict, evidence } = judge(each, inputOf(samples))
        if (evidence === null || evidence.proven === null || verdict === 'inconclusive') return
        expect(evidence.proven).toBe(verdict)
      }),
      { numRuns: 1000 },
    )
  })
})
