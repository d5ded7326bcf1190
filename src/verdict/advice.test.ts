import { describe, expect, it } from 'vitest'
import type { Sample } from '../sample/types.ts'
import { advise } from './index.ts'
import { CELL, cut, failed, ok, times } from './testing/cases.ts'

/** A lognormal's quantiles, so that the sample is what the study published and no luck is in it. */
function body(count: number, medianMs: number, p95Ms: number): Sample[] {
  return times(count, (at) => {
    const share = (at + 0.5) / count
    // Tukey's approximation of the normal quantile
    const z = (share ** 0.135 - (1 - share) ** 0.135) / 0.1975
    const ttft_ms = medianMs * Math.exp((z * Math.log(p95Ms / medianMs)) / 1.645)
    return ok({ ttft_ms, total_ms: ttft_ms + 7000 })
  })
}

/** deepseek-3.2 of the study: 857 successes, 14 over 10 s, 4 over 30 s, two of them at 206.5 and 210 s; six 529, one empty 200. */
function deepseek(): Sample[] {
  return [
    ...body(843, 1353, 5000),
    ...times(10, (at) => ok({ ttft_ms: 11_000 + 1500 * at, total_ms: 40_000 })),
    ...[35_000, 48_000, 206_500, 210_000].map((ttft_ms) => ok({ ttft_ms, total_ms: ttft_ms + 8000 })),
    ...times(6, () => failed('http_status', { status: 529, total_ms: 300 })),
    failed('empty', { status: 200, total_ms: 2000 }),
  ]
}

describe('the study’s deepseek', () => {
  const [advice] = advise(deepseek())

  it('gets a first-token timeout of 30 s or less, and a total one of 300 s', () => {
    expect(advice?.n).toBe(864)
    expect(advice?.firstTokenTimeoutMs).toBeLessThanOrEqual(30_000)
    expect(advice?.firstTokenTimeoutMs).toBeGreaterThanOrEqual(15_000)
    expect(advice?.slowestTotalMs).toBe(218_000)
    expect(advice?.totalTimeoutMs).toBe(300_000)
  })

  it('waits about 30 s more instead of 200 s, with one retry', () => {
    expect(advice?.asSampled?.worstWaitMs).toBe(210_000)
    expect(advice?.asSampled?.successRate).toBeCloseTo(857 / 864, 12)
    const timeout = advice?.firstTokenTimeoutMs ?? 0
    // one timeout, a backoff of a second at most, and a second attempt that is within its timeout
    expect(advice?.withRetry?.worstWaitMs).toBeLessThanOrEqual(2 * timeout + 1000)
    expect(advice?.withRetry?.ttftP99).toBeLessThan(timeout + 6000)
    // both attempts fail in (about 12/864)² of all
    expect(advice?.withRetry?.successRate).toBeGreaterThan(0.9985)
    expect(advice?.retry?.on).toEqual(['http_status 529', 'first_token_timeout', 'empty'])
  })

  it('says what the retries cost', () => {
    const timeout = advice?.firstTokenTimeoutMs ?? 0
    const retried = deepseek().filter((sample) => sample.outcome === 'error' || (sample.ttft_ms ?? 0) > timeout).length
    const share = retried / 864
    expect(advice?.retry?.extraRequests).toBeGreaterThan(share - 3 * Math.sqrt(share / 20_000))
    expect(advice?.retry?.extraRequests).toBeLessThan(share + 3 * Math.sqrt(share / 20_000))
  })

  it('is the same in any order', () => {
    const samples = deepseek()
    expect(advise(samples.toReversed())).toEqual(advise(samples))
  })
})

describe('advice', () => {
  it('is the study’s for the others: 10 s after a p99 of 4.3 and 5.9 s, 120 s after 89 s', () => {
    const p99 = (ms: number) => [
      ...times(990, () => ok({ ttft_ms: 1000, total_ms: 9000 })),
      ...times(11, () => ok({ ttft_ms: ms, total_ms: 89_000 })),
    ]
    expect(advise(p99(4308))[0]).toMatchObject({ ttftP99: 4308, firstTokenTimeoutMs: 10_000, totalTimeoutMs: 120_000 })
    expect(advise(p99(5910))[0]?.firstTokenTimeoutMs).toBe(10_000)
    expect(advise(p99(20_200))[0]?.firstTokenTimeoutMs).toBe(30_000)
  })

  it('has no timeout from fewer than 100 samples, and no retry then', () => {
    expect(advise(times(99, () => ok()))[0]).toMatchObject({
      n: 99,
      firstTokenTimeoutMs: null,
      withRetry: null,
      retry: null,
    })
    expect(advise([])).toEqual([])
    expect(advise([failed('aborted')])).toEqual([])
  })

  it('stands for each prompt, then for all of a target', () => {
    const samples = [
      ...times(200, () => ok({ ttft_ms: 1000, total_ms: 5000 })),
      ...times(200, () => ok({ ...CELL, prompt: 'long', ttft_ms: 20_000, total_ms: 60_000 })),
    ]
    const found = advise(samples)
    expect(found.map(({ prompt, firstTokenTimeoutMs }) => [prompt, firstTokenTimeoutMs])).toEqual([
      ['medium', 2000],
      ['long', 30_000],
      ['all', 30_000],
    ])
  })

  it('counts a request that our own timeout cut as one that would be retried', () => {
    const found = advise([...times(198, () => ok({ ttft_ms: 1000, total_ms: 5000 })), cut(), cut()])[0]
    expect(found?.asSampled).toMatchObject({ successRate: 0.99, worstWaitMs: 240_000 })
    expect(found?.retry?.extraRequests).toBeCloseTo(0.01, 2)
    expect(found?.withRetry?.worstWaitMs).toBeLessThanOrEqual(2 * 2000 + 1000)
  })

  it('does not retry what a retry would not help', () => {
    const found = advise([
      ...times(190, () => ok({ total_ms: 5000 })),
      ...times(10, () => failed('http_status', { status: 401, total_ms: 50 })),
    ])[0]
    expect(found?.retry?.extraRequests).toBe(0)
    expect(found?.withRetry?.successRate).toBeCloseTo(0.95, 1)
  })
})
