import { describe, expect, it } from 'vitest'
import { judge } from './index.ts'
import { caseOf, cut, failed, inputOf, ok, times } from './testing/cases.ts'

describe('error_rate', () => {
  const limit = caseOf('error_rate < 1%')
  const run = (good: number, bad: number) => inputOf([...times(good, () => ok()), ...times(bad, () => failed('reset'))])

  it('is failed of all, compared as whole numbers', () => {
    expect(judge(limit, run(199, 1))).toMatchObject({
      verdict: 'pass',
      value: 0.005,
      n: 200,
      beyond: 1,
      failed: 1,
      statistic: 'rate',
      unit: 'ratio',
    })
    // 3 of 300 is 1 %, which is not below 1 %
    expect(judge(limit, run(297, 3))).toMatchObject({ verdict: 'fail', beyond: 3, n: 300 })
    expect(judge(caseOf('error_rate <= 1%'), run(297, 3))).toMatchObject({ verdict: 'pass' })
    expect(judge(limit, run(297, 3)).message).toBe(
      'error_rate of example/glm-5.3/medium is 1 %, not below the limit of 1 %: 3 of 300 failed, 2 allowed; not proven at 95 %',
    )
  })

  it('counts timeouts and every other kind, but not what we aborted', () => {
    const samples = [
      ...times(97, () => ok()),
      cut(),
      failed('empty'),
      failed('http_status', { status: 401 }),
      ...times(50, () => failed('aborted')),
    ]
    const finding = judge(limit, inputOf(samples))
    expect(finding).toMatchObject({ n: 100, beyond: 3, failed: 3, value: 0.03, verdict: 'fail' })
    expect(finding.failures).toEqual({ empty: 1, first_token_timeout: 1, 'http_status 401': 1 })
    expect(finding.worst.map(({ error_kind }) => error_kind ?? '').toSorted()).toEqual([
      'empty',
      'first_token_timeout',
      'http_status',
    ])
  })

  it('is proven within 1 % by 299 good ones', () => {
    expect(judge(limit, run(299, 0)).evidence).toMatchObject({ proven: 'pass' })
    expect(judge(limit, run(298, 0)).evidence).toMatchObject({ proven: null, samplesMissing: 1 })
  })

  it('of nothing at all needs an explicit number of samples, and is never proven within', () => {
    const none = caseOf('error_rate <= 0%', { minSamples: 50 })
    expect(judge(none, run(60, 0))).toMatchObject({ verdict: 'pass', evidence: { proven: null, samplesMissing: null } })
    expect(judge(none, run(59, 1))).toMatchObject({ verdict: 'fail', evidence: { proven: 'fail' } })
  })
})

describe('answered_rate', () => {
  it('is answers of ok samples; K counts those without', () => {
    const limit = caseOf('answered_rate > 95%')
    const samples = [
      ...times(97, () => ok({ first_answer_ms: 5 })),
      ...times(3, () => ok()),
      failed('reset', { first_answer_ms: 5 }),
      cut(),
    ]
    const finding = judge(limit, inputOf(samples))
    expect(finding).toMatchObject({ verdict: 'pass', value: 0.97, n: 100, beyond: 3 })
    expect(finding.message).toMatch(/is 97 %, within the limit of 95 %: 3 of 100 without an answer, 4 allowed/)
    expect(finding.worst).toHaveLength(3)
    // exactly 95 % is not above it
    const five = [...times(95, () => ok({ first_answer_ms: 5 })), ...times(5, () => ok())]
    expect(judge(limit, inputOf(five))).toMatchObject({ verdict: 'fail', value: 0.95 })
    expect(judge(caseOf('answered_rate >= 95%'), inputOf(five))).toMatchObject({ verdict: 'pass' })
  })
})

describe('length_rate', () => {
  it('is ok samples that ended at the token cap, whatever the provider calls it', () => {
    const caps = ['length', 'max_tokens', 'MAX_TOKENS', 'incomplete:max_output_tokens']
    const others = ['stop', 'STOP', 'end_turn', 'content_filter', 'incomplete:content_filter', 'tool_calls']
    const samples = [...caps, ...others].map((finish_reason) => ok({ finish_reason }))
    const finding = judge(
      caseOf('length_rate < 50%'),
      inputOf([...samples, failed('reset', { finish_reason: 'length' }), ok()]),
    )
    expect(finding).toMatchObject({ n: 11, beyond: 4, verdict: 'pass' })
    expect(judge(caseOf('length_rate > 30%'), inputOf(samples))).toMatchObject({
      n: 10,
      beyond: 6,
      value: 0.4,
      verdict: 'pass',
    })
  })
})

describe('cache_hit_rate', () => {
  it('is more than 5 % of the prompt from the cache, of ok samples that report it', () => {
    const samples = [
      ...times(6, () => ok({ prompt_tokens: 100, cached_tokens: 6 })),
      ...times(4, () => ok({ prompt_tokens: 100, cached_tokens: 5 })),
      ...times(9, () => ok({ prompt_tokens: 100 })),
      failed('reset', { prompt_tokens: 100, cached_tokens: 100 }),
    ]
    expect(judge(caseOf('cache_hit_rate > 50%'), inputOf(samples))).toMatchObject({
      n: 10,
      value: 0.6,
      beyond: 4,
      verdict: 'pass',
    })
  })
})

describe('stall_rate', () => {
  const limit = caseOf('stall_rate < 10%', { stallOverMs: 5000 })

  it('is a gap over stall_over or a stall timeout, of samples with a token', () => {
    const samples = [
      ...times(15, () => ok({ gap_max_ms: 5000 })),
      ok({ gap_max_ms: 5000.001 }),
      ok(),
      failed('stall_timeout', { ttft_ms: 100, last_token_ms: 100, total_ms: 60_100 }),
      failed('reset', { ttft_ms: 100, gap_max_ms: 9000 }),
      // The gap in which the total timeout cut it.
      failed('total_timeout', { ttft_ms: 100, last_token_ms: 290_000, gap_max_ms: 20, total_ms: 300_000 }),
      cut(),
      failed('http_status', { status: 500 }),
    ]
    const finding = judge(limit, inputOf(samples))
    expect(finding).toMatchObject({ n: 20, beyond: 4, value: 0.2, verdict: 'fail' })
    expect(finding.worst.map(({ value, measured }) => [value, measured])).toEqual([
      [null, { value: 60_000, unit: 'ms' }],
      [null, { value: 10_000, unit: 'ms' }],
      [null, { value: 9000, unit: 'ms' }],
      [null, { value: 5000.001, unit: 'ms' }],
    ])
  })
})

describe('stall_rate with a stall_over beyond the stall timeout', () => {
  it('still counts what the stall timeout cut', () => {
    const stalled = failed('stall_timeout', { ttft_ms: 100, last_token_ms: 100, total_ms: 60_100 })
    const finding = judge(
      caseOf('stall_rate < 10%', { stallOverMs: 90_000 }),
      inputOf([...times(9, () => ok()), stalled]),
    )
    expect(finding).toMatchObject({ n: 10, beyond: 1, verdict: 'fail' })
  })
})

describe('share', () => {
  const slow = caseOf('share(ttft > 60s) < 10%')

  it('is samples beyond a value, cut-off ones with them', () => {
    const samples = [
      ...times(18, () => ok({ ttft_ms: 60_000 })),
      ok({ ttft_ms: 61_000 }),
      cut(),
      failed('reset'),
      failed('dns'),
    ]
    const finding = judge(slow, inputOf(samples))
    expect(finding).toMatchObject({
      n: 20,
      beyond: 2,
      censored: 1,
      value: 0.1,
      verdict: 'fail',
      statistic: 'share',
      metric: 'ttft',
    })
    expect(finding.threshold).toEqual({ operator: '>', value: 60_000, unit: 'ms' })
    expect(finding.worst.map(({ measured }) => measured)).toEqual([
      { value: 240_000, unit: 'ms' },
      { value: 61_000, unit: 'ms' },
    ])
    expect(finding.message).toMatch(
      /^share\(ttft > 60s\) of example\/glm-5\.3\/medium is 10 %, not below the limit of 10 %: 2 of 20 beyond \(1 cut off by our timeouts\), 1 allowed; not proven at 95 %; 2 of 22 requests failed without a number$/,
    )
  })

  it('counts failures beyond with `failures: exceed`', () => {
    const samples = [...times(18, () => ok()), failed('reset'), failed('dns')]
    expect(judge(slow, inputOf(samples))).toMatchObject({ n: 18, beyond: 0 })
    expect(judge({ ...slow, failures: 'exceed' }, inputOf(samples))).toMatchObject({ n: 20, beyond: 2, value: 0.1 })
  })

  it('of what is wanted counts cut-off samples as not wanted', () => {
    const quick = caseOf('share(ttft < 1s) > 80%')
    const samples = [...times(18, () => ok({ ttft_ms: 999 })), ok({ ttft_ms: 1000 }), cut()]
    expect(judge(quick, inputOf(samples))).toMatchObject({ n: 20, beyond: 2, value: 0.9, verdict: 'pass', censored: 1 })
    const inclusive = caseOf('share(ttft >= 60s) < 10%')
    const edge = [...times(19, () => ok()), ok({ ttft_ms: 60_000 })]
    expect(judge(inclusive, inputOf(edge))).toMatchObject({ beyond: 1 })
    expect(judge(slow, inputOf(edge))).toMatchObject({ beyond: 0 })
    const crawling = [...times(19, () => ok({ decode_tps: 50 })), ok({ decode_tps: 5 })]
    expect(judge(caseOf('share(decode_tps <= 5) < 10%'), inputOf(crawling))).toMatchObject({ beyond: 1 })
    expect(judge(caseOf('share(decode_tps < 5) < 10%'), inputOf(crawling))).toMatchObject({ beyond: 0 })
    const speed = caseOf('share(decode_tps < 5) <= 10%')
    const speeds = [...times(18, () => ok({ decode_tps: 50 })), ok({ decode_tps: 4 }), cut()]
    expect(judge(speed, inputOf(speeds))).toMatchObject({ n: 20, beyond: 2, value: 0.1, verdict: 'pass' })
  })
})

describe('the allowance in words', () => {
  const words = (text: string, good: number, bad: number) => {
    const finding = judge(
      caseOf(text, { minSamples: 1 }),
      inputOf([...times(good, () => ok()), ...times(bad, () => failed('reset'))]),
    )
    return { verdict: finding.verdict, words: /\d+ of \d+ [a-z ]+, [^;]*allowed/.exec(finding.message)?.[0] }
  }

  it('is said in one way, whatever the limit and the number of samples', () => {
    expect(words('error_rate < 5%', 20, 0).words).toBe('0 of 20 failed, 0 allowed')
    expect(words('error_rate < 5%', 19, 0).words).toBe('0 of 19 failed, 0 allowed')
    expect(words('error_rate <= 5%', 20, 0).words).toBe('0 of 20 failed, 1 allowed')
    expect(words('p95 ttft < 10s', 20, 0).words).toBe('0 of 20 beyond, 1 allowed')
    expect(words('share(ttft > 60s) < 5%', 20, 0).words).toBe('0 of 20 beyond, 0 allowed')
    expect(words('error_rate <= 0%', 20, 0).words).toBe('0 of 20 failed, 0 allowed')
  })

  it.each(['error_rate < 5%', 'error_rate <= 5%', 'error_rate < 7.5%', 'error_rate <= 7.5%', 'error_rate <= 0%'])(
    'is the largest count that keeps a rate: %s',
    (text) => {
      for (const n of [1, 13, 19, 20, 39, 40, 41]) {
        const allowed = Number(/(\d+) allowed/.exec(words(text, n, 0).words ?? '')?.[1])
        expect(words(text, n - allowed, allowed).verdict).toBe('pass')
        expect(words(text, n - allowed - 1, allowed + 1).verdict).toBe('fail')
      }
    },
  )
})
