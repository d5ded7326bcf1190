import { describe, expect, it } from 'vitest'
import { judge } from './index.ts'
import { caseOf, cut, failed, inputOf, ok, times } from './testing/cases.ts'

const quick = (count: number) => times(count, () => ok({ ttft_ms: 1000 }))

describe('mean, min and max', () => {
  it('have no evidence', () => {
    expect(judge(caseOf('mean ttft < 2s'), inputOf([...quick(9), ok({ ttft_ms: 6000 })]))).toMatchObject({
      verdict: 'pass',
      value: 1500,
      evidence: null,
      beyond: 1,
      message: 'mean ttft of example/glm-5.3/medium is 1.5 s, within the limit of 2 s: 1 of 10 beyond',
    })
    expect(judge(caseOf('max ttft < 5s'), inputOf([...quick(9), ok({ ttft_ms: 6000 })]))).toMatchObject({
      verdict: 'fail',
      value: 6000,
    })
    expect(judge(caseOf('min decode_tps > 5'), inputOf(times(10, (at) => ok({ decode_tps: 5 + at }))))).toMatchObject({
      verdict: 'fail',
      value: 5,
    })
  })

  it('fail if the cut-off times alone breach the limit', () => {
    // (9 × 1 + 240) / 10 = 24.9 s at the least
    const mean = judge(caseOf('mean ttft < 10s'), inputOf([...quick(9), cut()]))
    expect(mean).toMatchObject({ verdict: 'fail', value: 24_900, valueIsBound: true, censored: 1, evidence: null })
    expect(mean.message).toMatch(/is ≥ 24\.9 s, over the limit of 10 s: 1 of 10 beyond \(1 cut off by our timeouts\)$/)
    expect(judge(caseOf('max ttft < 10s'), inputOf([...quick(9), cut()]))).toMatchObject({
      verdict: 'fail',
      value: 240_000,
      valueIsBound: true,
    })
  })

  it('are inconclusive with a cut-off sample otherwise', () => {
    const mean = judge(caseOf('mean ttft < 30s'), inputOf([...quick(9), cut()]))
    expect(mean).toMatchObject({ verdict: 'inconclusive', reason: 'censored', value: 24_900, valueIsBound: true })
    expect(mean.message).toBe(
      'mean ttft of example/glm-5.3/medium inconclusive: 1 of 10 cut off by our timeouts, so the mean is open: it is ≥ 24.9 s (a percentile counts them as beyond)',
    )
    expect(judge(caseOf('max ttft < 300s'), inputOf([...quick(9), cut()]))).toMatchObject({
      verdict: 'inconclusive',
      reason: 'censored',
    })
    const speeds = [...times(9, () => ok({ decode_tps: 50 })), cut()]
    expect(judge(caseOf('mean decode_tps > 5'), inputOf(speeds))).toMatchObject({
      verdict: 'inconclusive',
      reason: 'censored',
      value: null,
    })
    expect(judge(caseOf('min decode_tps > 5'), inputOf(speeds))).toMatchObject({
      verdict: 'inconclusive',
      reason: 'censored',
    })
  })

  it('fail by what was measured, cut-off samples or not', () => {
    const speeds = [...times(9, () => ok({ decode_tps: 4 })), cut()]
    expect(judge(caseOf('min decode_tps > 5'), inputOf(speeds))).toMatchObject({ verdict: 'fail' })
    expect(judge(caseOf('max ttft < 500ms'), inputOf([...quick(9), cut()]))).toMatchObject({ verdict: 'fail' })
  })

  it('leave failures out, or count them beyond every limit', () => {
    const samples = [...quick(10), failed('reset')]
    expect(judge(caseOf('mean ttft < 2s'), inputOf(samples))).toMatchObject({ verdict: 'pass', n: 10 })
    for (const limit of ['mean ttft < 2s', 'max ttft < 2s']) {
      expect(judge(caseOf(limit, { failures: 'exceed' }), inputOf(samples))).toMatchObject({
        verdict: 'fail',
        n: 11,
        value: null,
      })
    }
    const both = [...times(10, () => ok({ decode_tps: 50 })), failed('reset'), cut()]
    expect(judge(caseOf('mean decode_tps > 5', { failures: 'exceed' }), inputOf(both))).toMatchObject({
      verdict: 'fail',
    })
  })

  it('need ten samples', () => {
    expect(judge(caseOf('mean ttft < 500ms'), inputOf(quick(9)))).toMatchObject({
      verdict: 'inconclusive',
      reason: 'too-few-samples',
    })
  })
})
