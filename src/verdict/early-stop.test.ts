import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BudgetCase } from '../budget/types.ts'
import type { Sample } from '../sample/types.ts'
import { isDecided, judge } from './index.ts'
import { caseOf, CELL, cut, failed, inputOf, ok, times } from './testing/cases.ts'

const decided = (budgetCase: BudgetCase, samples: readonly Sample[], missing: number) =>
  isDecided([budgetCase], inputOf(samples), [{ ...CELL, count: missing }])

const slow = () => ok({ ttft_ms: 20_000 })
const p50 = caseOf('p50 ttft < 10s')

describe('an early end', () => {
  it('comes when the worst that can still come passes', () => {
    // 40 planned, at most 20 may be beyond: 21 good ones decide a median
    expect(
      decided(
        p50,
        times(20, () => ok()),
        20,
      ),
    ).toBe(false)
    expect(
      decided(
        p50,
        times(21, () => ok()),
        19,
      ),
    ).toBe(true)
  })

  it('comes when the best that can still come fails', () => {
    expect(decided(p50, times(19, slow), 21)).toBe(false)
    expect(decided(p50, times(21, slow), 19)).toBe(true)
    // 2 of 100 are over 1 %, and 2 of 200 would not be
    const p99 = caseOf('p99 ttft < 10s')
    expect(decided(p99, [...times(98, () => ok()), ...times(2, slow)], 100)).toBe(false)
    expect(decided(p99, [...times(98, () => ok()), ...times(2, slow)], 10)).toBe(true)
  })

  it('counts failures: an error rate is open as long as they can come', () => {
    const errors = caseOf('error_rate < 10%')
    expect(
      decided(
        errors,
        times(90, () => ok()),
        10,
      ),
    ).toBe(false)
    expect(
      decided(
        errors,
        times(91, () => ok()),
        9,
      ),
    ).toBe(true)
    // 9 of 89 are over 10 %, 9 of 100 are not
    expect(decided(errors, [...times(80, () => ok()), ...times(9, () => failed('reset'))], 11)).toBe(false)
  })

  it('looks at limits from below and at rates of their own', () => {
    const speed = caseOf('p50 decode_tps > 5')
    const fast = () => ok({ decode_tps: 50 })
    expect(decided(speed, times(21, fast), 19)).toBe(true)
    expect(decided(speed, times(19, fast), 21)).toBe(false)
    const answered = caseOf('answered_rate > 50%')
    expect(
      decided(
        answered,
        times(21, () => ok({ first_answer_ms: 5 })),
        19,
      ),
    ).toBe(true)
    expect(
      decided(
        answered,
        times(19, () => ok({ first_answer_ms: 5 })),
        21,
      ),
    ).toBe(false)
  })

  it('waits for every budget, for min_samples, and for cells that have none yet', () => {
    expect(isDecided([p50, caseOf('p99 ttft < 10s')], inputOf(times(21, () => ok())), [{ ...CELL, count: 19 }])).toBe(
      false,
    )
    expect(
      decided(
        caseOf('p50 ttft < 10s', { minSamples: 30 }),
        times(21, () => ok()),
        19,
      ),
    ).toBe(false)
    expect(isDecided([p50], inputOf(times(21, () => ok())), [{ ...CELL, prompt: 'other', count: 1 }])).toBe(false)
    expect(isDecided([], inputOf([]), [])).toBe(false)
  })

  it('never comes where a window moves on: what diluted it may be behind it at the end', () => {
    const window = { forMs: 7 * 86_400_000, same: [] }
    expect(
      decided(
        caseOf('p50 ttft < 10s', { window }),
        times(21, () => ok()),
        19,
      ),
    ).toBe(false)
  })

  it('never comes where a baseline decides', () => {
    expect(
      decided(
        caseOf('p50 ttft <= baseline'),
        times(40, () => ok()),
        0,
      ),
    ).toBe(false)
  })

  it('is never wrong: whatever comes then, the verdict stays', () => {
    const come = fc.oneof(
      fc.integer({ min: 0, max: 30_000 }).map((ttft_ms) => () => ok({ ttft_ms })),
      fc.constant(() => failed('reset')),
      fc.constant(() => cut()),
    )
    const limits = fc.constantFrom(
      'p50 ttft < 10s',
      'p90 ttft < 10s',
      'error_rate < 20%',
      'mean ttft < 10s',
      'share(ttft > 5s) < 30%',
    )
    let ended = 0
    fc.assert(
      fc.property(
        limits,
        fc.array(come, { minLength: 30, maxLength: 30 }),
        fc.integer({ min: 10, max: 29 }),
        (limit, all, at) => {
          const samples = all.map((make) => make())
          const budgetCase = caseOf(limit)
          if (!decided(budgetCase, samples.slice(0, at), samples.length - at)) return
          ended += 1
          expect(judge(budgetCase, inputOf(samples)).verdict).toBe(
            judge(budgetCase, inputOf(samples.slice(0, at))).verdict,
          )
        },
      ),
      { seed: 1, numRuns: 400 },
    )
    expect(ended).toBeGreaterThan(10)
  })
})
