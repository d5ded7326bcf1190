import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { evidenceInWords, renderFinding } from './finding.ts'
import { finding, HOSTILE, inconclusive, passing, worst } from './testing/reports.ts'

test('a breach on one screen', () => {
  expect(renderFinding(finding())).toMatchInlineSnapshot(`
    "p99 ttft of serverless / deepseek-3.2 is 13.65 s, not < 10 s: 14 of 857 beyond
      budget    ttft: p99 ttft < 10s (slo.yaml:12:5)
      cell      serverless / deepseek-3.2 / all
      value     13.65 s, limit < 10 s
      samples   n 857, 14 beyond, 7 failed, 1 cut off by our timeouts
      evidence  proven beyond at 95 %, if requests are independent
      failures  http_status 529 ×6, empty ×1
      worst     210.04 s  2026-10-28T03:20:05.012Z  long                         req_7f3
                  ≥ 60 s  2026-10-28T03:20:05.012Z  medium  first_token_timeout  no request id"
  `)
})

test('an inconclusive one says why', () => {
  expect(renderFinding(inconclusive())).toMatchInlineSnapshot(`
    "error_rate of serverless / glm-5.3 needs 100 samples and has 40
      budget    answers: error_rate < 1% (slo.yaml:20:12)
      cell      serverless / glm-5.3 / all
      value     0.12 %, limit < 1 %
      samples   n 40, 1 beyond, 1 failed
      evidence  not proven at 95 %: 259 more clean samples would prove it
      reason    too few samples
      failures  http_status 529 ×1"
  `)
})

test('a single cell does not repeat its names in the worst samples', () => {
  const screen = renderFinding(finding({ prompt: 'medium', worst: [worst({ request_id: 'req_1' })], failures: {} }))
  expect(screen.split('\n').at(-1)).toBe('  worst     12 s  2026-10-28T03:20:05.012Z  req_1')
})

test('a lower bound is shown as one', () => {
  expect(renderFinding(finding({ value: 240_000, valueIsBound: true }))).toContain('value     ≥ 240 s, limit < 10 s')
})

test('no value, no number', () => {
  expect(renderFinding(finding({ value: null }))).toContain('value     –, limit < 10 s')
})

test.each([
  [{ unit: 'ms', value: 10_000.4, limit: 10_000 }, 'value     10000.4 ms, limit < 10 s'],
  [{ unit: 'ratio', value: 0.010001, limit: 0.01 }, 'value     1.0001 %, limit < 1 %'],
  [{ unit: 'tok/s', value: 4.9999, limit: 5 }, 'value     4.9999 tok/s, limit < 5 tok/s'],
  [{ unit: 'count', value: 1911, limit: 2000 }, 'value     1,911, limit < 2,000'],
  [{ unit: 'currency', value: 0.0123, limit: 0.02 }, 'value     0.0123 USD, limit < 0.02 USD'],
] as const)('rounding never moves a value onto its limit: %o', (fields, line) => {
  expect(renderFinding(finding(fields))).toContain(line)
})

test.each([
  [{ unit: 'ms', limit: 12_345 }, 'limit < 12345 ms'],
  [{ unit: 'ms', limit: 600_000 }, 'limit < 10 min'],
  [{ unit: 'ms', limit: 601_000 }, 'limit < 601000 ms'],
  [{ unit: 'ratio', limit: 0.005 }, 'limit < 0.5 %'],
  [{ unit: 'ratio', limit: 0.00001 }, 'limit < 0.001 %'],
  [{ unit: 'ratio', limit: 0.99995 }, 'limit < 99.995 %'],
  [{ unit: 'tok/s', limit: 1.234 }, 'limit < 1.234 tok/s'],
  [{ unit: 'currency', limit: 0.0000015 }, 'limit < 0.0000015 USD'],
] as const)('a limit is never rounded: %o', (fields, text) => {
  expect(renderFinding(finding({ value: null, ...fields }))).toContain(text)
})

test('samples of a rate show what was measured of them, or only their failure', () => {
  const shown = (fields: Parameters<typeof worst>[0]): string | undefined =>
    renderFinding(passing({ target: 'deepseek-3.2', prompt: 'medium', worst: [worst({ value: null, ...fields })] }))
      .split('\n')
      .at(-1)
  expect(shown({ error_kind: 'empty' })).toBe('  worst     2026-10-28T03:20:05.012Z  empty  no request id')
  expect(shown({ measured: { value: 61_000, unit: 'ms' } })).toBe(
    '  worst     61 s  2026-10-28T03:20:05.012Z  no request id',
  )
})

test('a limit given to toMeet is its own name', () => {
  const source = { file: 'toMeet', line: 1, column: 1 }
  expect(renderFinding(finding({ budget: 'p99 ttft < 10s', source }))).toContain('\n  budget    p99 ttft < 10s\n')
})

test('a limit that stands in no file has no place', () => {
  const screen = renderFinding(finding({ source: { file: '', line: 1, column: 1 } }))
  expect(screen).toContain('  budget    ttft: p99 ttft < 10s\n')
})

describe('evidence in words', () => {
  test.each([
    [{ proven: 'pass', confidence: 0.95, samplesMissing: null }, 'proven within at 95 %, if requests are independent'],
    [{ proven: 'fail', confidence: 0.95, samplesMissing: null }, 'proven beyond at 95 %, if requests are independent'],
    [
      { proven: null, confidence: 0.95, samplesMissing: 259 },
      'likely within: 259 more clean samples would prove it at 95 %',
    ],
    [
      { proven: null, confidence: 0.95, samplesMissing: 1 },
      'likely within: 1 more clean sample would prove it at 95 %',
    ],
    [{ proven: null, confidence: 0.999, samplesMissing: null }, 'not proven at 99.9 %'],
  ] as const)('%o', (evidence, words) => {
    expect(evidenceInWords(passing({ evidence }))).toBe(words)
  })

  test('mean, min and max have none', () => {
    expect(evidenceInWords(passing({ evidence: null, statistic: 'mean' }))).toBe('none for mean')
  })
})

test('whatever text comes in: at most 20 lines, no control characters, at most five worst', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constant(HOSTILE), fc.constant('x'.repeat(100_000)))
  fc.assert(
    fc.property(text, text, fc.dictionary(text, fc.nat()), (name, message, failures) => {
      const bad = worst({ prompt: name, request_id: message, started_at: '2026-10-28T03:20:05.012Z' })
      const screen = renderFinding(
        finding({
          budget: name,
          target: 'all',
          text: message,
          message,
          failures,
          worst: Array.from({ length: 9 }, () => bad),
        }),
      )
      expect(screen.split('\n').length).toBeLessThanOrEqual(20)
      expect(screen.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029]/u)
      expect(screen.split('03:20:05.012Z').length - 1).toBe(5)
      expect(screen.length).toBeLessThan(20 * 1000)
    }),
    { numRuns: 50 },
  )
})

describe('what the keys about proof and earlier runs add', () => {
  const comparison = {
    kind: 'target',
    baseline: 'current',
    margin: 'baseline + 10%',
    baselineValue: 1000,
    bound: 1.42,
    pValue: 0.004,
    pAdjusted: 0.012,
    comparisons: 3,
    pairs: 288,
  } as const

  test('a comparison', () => {
    const compared = finding({ evidence: null, statistic: 'p50', comparison })
    expect(evidenceInWords(compared)).toBe(
      'permutation test of 288 paired rounds: a regression beyond the margin has p = 0.012',
    )
    expect(renderFinding(compared)).toContain(
      '\n  baseline  current 1 s; p = 0.004, by Holm p = 0.012 over 3; 288 paired rounds\n',
    )
  })

  test('no baseline yet has no limit in numbers', () => {
    const none = {
      ...comparison,
      kind: 'history',
      baseline: 'history',
      baselineValue: null,
      pValue: null,
      pAdjusted: null,
      pairs: 0,
    } as const
    const screen = renderFinding(
      inconclusive({
        evidence: null,
        statistic: 'p50',
        operator: '<=',
        limit: 0,
        reason: 'no-baseline',
        comparison: none,
      }),
    )
    expect(screen).toContain('limit <= baseline + 10%')
    expect(screen).toContain('  evidence  not tested\n')
    expect(screen).toContain('  reason    there is no baseline to compare with\n')
  })

  test('a window, and exceedances that clump', () => {
    const clumps = { designEffect: 8.05, pValue: 0.0005, hour: '2026-12-01T03', beyondInHour: 8, samplesInHour: 50 }
    const told = finding({
      evidence: { proven: null, confidence: 0.95, samplesMissing: null, clumps },
      window: { runs: 3, earlierSamples: 240, since: '2026-11-24T02:00:00.000Z' },
    })
    expect(evidenceInWords(told)).toBe('not proven at 95 %, exceedances clump by hour (design effect 8.1)')
    expect(renderFinding(told)).toContain('\n  window    3 runs since 2026-11-24T02:00:00.000Z, 240 earlier requests\n')
  })
})

test.each([
  ['partial-selection', 'a filter or a shard left cells out'],
  ['ended-early', 'the run ended before its schedule did'],
] as const)('%s: %s', (reason, words) => {
  expect(renderFinding(inconclusive({ reason }))).toContain(`\n  reason    ${words}\n`)
})
