import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SloError } from '../errors.ts'
import { parseLimit, printLimit } from './index.ts'
import { VALUE_METRICS } from './metrics.ts'
import type { ValueMetric } from './types.ts'

function faultOf(text: string): SloError {
  try {
    parseLimit(text)
  } catch (thrown) {
    if (thrown instanceof SloError) return thrown
    throw thrown
  }
  throw new Error(`${text} was taken`)
}

/** The word that a fault points at. */
function pointed(text: string): string {
  const { offset, length } = faultOf(text).facts
  return text.slice(Number(offset), Number(offset) + Number(length))
}

test.each([
  ['p99 ttft < 10s', 'p99 ttft < 10s', 10_000],
  ['  p99   ttft<10 s ', 'p99 ttft < 10s', 10_000],
  ['p99.9 first_answer <= 0.85s', 'p99.9 first_answer <= 850ms', 850],
  ['p99.90 first_answer <= .85s', 'p99.9 first_answer <= 850ms', 850],
  ['p95 total < 5m', 'p95 total < 300s', 300_000],
  ['p95 total < 1.5h', 'p95 total < 5400s', 5_400_000],
  ['max total < 1d', 'max total < 86400s', 86_400_000],
  ['mean tpot < 1.005s', 'mean tpot < 1.005s', 1005],
  ['p50 gap_max < 0.1ms', 'p50 gap_max < 0.1ms', 0.1],
  ['p5 decode_tps > 5', 'p5 decode_tps > 5 tok/s', 5],
  ['p5 decode_tps > 5tok/s', 'p5 decode_tps > 5 tok/s', 5],
  ['p95 completion_tokens <= 2000', 'p95 completion_tokens <= 2000', 2000],
  ['mean cost < 0.01', 'mean cost < 0.01', 0.01],
  ['error_rate < 1%', 'error_rate < 1%', 0.01],
  ['error_rate < 0.10 %', 'error_rate < 0.1%', 0.001],
  ['answered_rate >= 99.5%', 'answered_rate >= 99.5%', 0.995],
  ['share(ttft > 60s) < 0.5%', 'share(ttft > 60s) < 0.5%', 0.005],
  ['share ( decode_tps >= 20 ) > 95 %', 'share(decode_tps >= 20 tok/s) > 95%', 0.95],
])('%s is read as %s', (text, canonical, value) => {
  const limit = parseLimit(text)
  expect(limit.text).toBe(canonical)
  expect(limit.value).toBe(value)
  expect(printLimit(limit)).toBe(canonical)
})

test('a share keeps its inner comparison', () => {
  expect(parseLimit('share(ttft > 60s) < 0.5%')).toEqual({
    kind: 'share',
    metric: 'ttft',
    threshold: { operator: '>', value: 60_000, unit: 'ms' },
    operator: '<',
    value: 0.005,
    unit: 'ratio',
    text: 'share(ttft > 60s) < 0.5%',
    allowed: { numerator: 1, denominator: 200 },
    autoMinSamples: 200,
  })
})

// 1 / (1 - 0.9) and 1 / (1 - 0.999) are above 10 and 1000 in floating point: one sample too many.
test.each([
  ['p99 ttft < 1s', 1, 100, 100],
  ['p90 ttft < 1s', 1, 10, 10],
  ['p50 ttft < 1s', 1, 2, 10],
  ['p95 ttft < 1s', 1, 20, 20],
  ['p99.9 ttft < 1s', 1, 1000, 1000],
  ['p99.99 ttft < 1s', 1, 10_000, 10_000],
  ['p97 ttft < 1s', 3, 100, 34],
  ['p99.999999 ttft < 1s', 1, 100_000_000, 100_000_000],
  ['p5 decode_tps > 5', 1, 20, 20],
  ['p0.1 decode_tps > 5', 1, 1000, 1000],
  ['error_rate < 1%', 1, 100, 100],
  ['error_rate <= 0.3%', 3, 1000, 334],
  ['error_rate < 30%', 3, 10, 10],
  ['answered_rate > 99%', 1, 100, 100],
  ['answered_rate > 99.9%', 1, 1000, 1000],
  ['share(ttft > 60s) < 0.5%', 1, 200, 200],
  ['share(ttft < 60s) > 99.5%', 1, 200, 200],
])('%s allows %i of %i beyond and needs %i samples', (text, numerator, denominator, samples) => {
  const limit = parseLimit(text)
  expect(limit.allowed).toEqual({ numerator, denominator })
  expect(limit.autoMinSamples).toBe(samples)
})

test('mean, min and max have no allowance and need ten samples', () => {
  for (const statistic of ['mean', 'max']) {
    expect(parseLimit(`${statistic} ttft < 1s`)).toMatchObject({ allowed: null, autoMinSamples: 10, percentile: null })
  }
  expect(parseLimit('min decode_tps > 1')).toMatchObject({ allowed: null, autoMinSamples: 10 })
})

test.each([
  'error_rate <= 0%',
  'answered_rate >= 100%',
  'p100 ttft < 1s',
  'p0 decode_tps > 1',
  'p100 cached_tokens > 1',
  'share(ttft > 1s) <= 0%',
])('%s cannot say how many samples it needs', (text) => {
  expect(parseLimit(text).autoMinSamples).toBeNull()
})

describe('mistakes', () => {
  test.each([
    ['p99 tttf < 10s', 'tttf', 'unknown-metric', '`ttft`'],
    ['p99 firstAnswer < 10s', 'firstAnswer', 'unknown-metric', '`first_answer`'],
    ['p99 ttft_ms < 10ms', 'ttft_ms', 'unknown-metric', '`ttft`'],
    ['p99 latency < 10s', 'latency', 'unknown-metric', '`total`'],
    ['errors < 1%', 'errors', 'unknown-metric', '`error_rate`'],
    ['eror_rate < 1%', 'eror_rate', 'unknown-metric', '`error_rate`'],
    ['p99 zzzzzzzz < 1%', 'zzzzzzzz', 'unknown-metric', 'metrics are ttft'],
    ['p99 < 1s', '<', 'syntax', 'metrics are'],
    ['share(foo > 1s) < 1%', 'foo', 'unknown-metric', 'metrics are'],
    ['p99 ttft < 10', '10', 'missing-unit', '`10s` or `10ms`'],
    ['p99 ttft < 10 sec', 'sec', 'unknown-unit', '`10s`'],
    ['p99 ttft < 10S', 'S', 'unknown-unit', '`10s`'],
    ['p99 ttft < 10%', '%', 'unknown-unit', 'ms, s, m, h, d'],
    ['p99 ttft < 1e3s', 'e3s', 'unknown-unit', 'ms, s, m, h, d'],
    ['error_rate < 1', '1', 'missing-unit', '`1%`'],
    ['error_rate < 0.01', '0.01', 'missing-unit', '`1%` or `0.01%`'],
    ['error_rate < 1s', 's', 'wrong-unit', '`1%`'],
    ['error_rate < 101%', '101', 'out-of-range', 'between'],
    ['p5 decode_tps > 5tps', 'tps', 'wrong-unit', '`5 tok/s`'],
    ['p95 prompt_tokens < 5s', 's', 'wrong-unit', '`5`'],
    ['mean cost < 5USD', 'USD', 'wrong-unit', '`5`'],
    ['ttft < 10s', 'ttft', 'missing-statistic', '`p99 ttft < 10s`'],
    ['avg ttft < 10s', 'avg', 'unknown-statistic', '`mean`'],
    ['median ttft < 10s', 'median', 'unknown-statistic', '`p50`'],
    ['P75 ttft < 10s', 'P75', 'unknown-statistic', '`p75`'],
    ['p999 ttft < 10s', 'p999', 'out-of-range', '`p99.9`'],
    ['p101 ttft < 10s', 'p101', 'out-of-range', 'p0 to p100'],
    ['p99.1234567 ttft < 10s', 'p99.1234567', 'too-precise', '6'],
    ['p99 error_rate < 1%', 'error_rate', 'needless-statistic', '`error_rate`'],
    ['shared(ttft > 1s) < 1%', 'shared', 'unknown-function', '`share`'],
    ['share ttft > 1s', 'ttft', 'syntax', 'brackets'],
    ['share(ttft > 1s < 1%', '<', 'syntax', 'bracket'],
    ['p99 ttft = 10s', '=', 'unknown-operator', '<, <=, >, >='],
    ['p99 ttft ≤ 10s', '≤', 'unknown-operator', '`<=`'],
    ['p99 ttft =< 10s', '=<', 'unknown-operator', '`<=`'],
    ['p99 ttft < -1s', '-', 'out-of-range', 'above 0'],
    ['p99 ttft < 1,5s', ',', 'syntax', '1.5'],
    ['p99 ttft < fast', 'fast', 'syntax', 'number'],
    ['p99 ttft < 10s 5', '5', 'unexpected-text', 'one limit'],
    ['p99 ttft < 1.2345678901234567s', '1.2345678901234567', 'too-precise', '15'],
    ['p95 prompt_tokens < 10000000000000000', '10000000000000000', 'too-precise', '15'],
    ['error_rate < 0.0000001%', '0.0000001', 'too-precise', '6'],
    ['error_rate <= baseline + 10%', 'baseline', 'no-baseline-for', 'fixed value'],
    ['🚀 ttft < 1s', '🚀', 'syntax', 'p99 ttft < 10s'],
  ])('%s', (text, word, problem, hint) => {
    const fault = faultOf(text)
    expect(pointed(text)).toBe(word)
    expect(fault.code).toBe('LIMIT_INVALID')
    expect(fault.facts).toMatchObject({ problem })
    expect(fault.hint ?? '').toContain(hint)
  })

  test.each([
    ['p95 ttft < 3,5s', 'did you mean `3.5s`?'],
    ['p95 ttft < 3, 5 s', 'did you mean `3.5s`?'],
    ['error_rate < 0,5%', 'did you mean `0.5%`?'],
    ['p5 decode_tps > 5,5 tok/s', 'did you mean `5.5 tok/s`?'],
    ['mean cost < 0,01', 'did you mean `0.01`?'],
    ['share(ttft > 1,5s) < 1%', 'did you mean `1.5s`?'],
    ['p95 ttft < 1,500ms', 'did you mean `1500ms` or `1.500ms`?'],
    ['p95 completion_tokens < 1,000,000', 'write decimals as in `1.5`, and thousands without a sign'],
    ['p95 ttft < 3,s', 'write decimals as in `1.5`, and thousands without a sign'],
  ])('a comma, with the number that was written: %s', (text, hint) => {
    expect(pointed(text)).toBe(',')
    expect(faultOf(text).hint).toBe(hint)
  })

  test.each([
    ['p95 ttft < 10s per target', 'per', 'per: target'],
    ['p95 ttft per prompt < 10s', 'per', 'per: prompt'],
    ['error_rate < 1% per model', 'per', 'per: target'],
    ['p5 decode_tps > 5 per probe', 'per', 'per: probe'],
    ['p50 ttft <= baseline per cell', 'per', 'per: cell'],
    ['share(ttft > 1s) < 1% where target', 'where', 'where:'],
    ['p95 completion_tokens < 2000 min_samples 20', 'min_samples', 'min_samples:'],
  ])('a key of the budget inside of its limit: %s', (text, key, line) => {
    const { message, hint, facts } = faultOf(text)
    expect(pointed(text)).toBe(key)
    expect(facts).toMatchObject({ problem: 'unexpected-text' })
    expect(message).toContain(`\`${key}\` is a key of its own`)
    expect(hint).toBe(`write \`${line}\` in a line of its own, below the limit`)
  })

  test.each([
    ['error rate < 5%', 'error rate', 'error_rate'],
    ['Error-Rate < 5%', 'Error-Rate', 'error_rate'],
    ['cache hit rate > 90%', 'cache hit rate', 'cache_hit_rate'],
    ['p95 first answer < 3s', 'first answer', 'first_answer'],
    ['p95 time to first token < 3s', 'time to first token', 'ttft'],
    ['p5 tokens per second > 5', 'tokens per second', 'decode_tps'],
    ['share(first answer > 3s) < 1%', 'first answer', 'first_answer'],
  ])('a metric in several words: %s', (text, words, meant) => {
    expect(pointed(text)).toBe(words)
    expect(faultOf(text).facts).toMatchObject({ problem: 'unknown-metric' })
    expect(faultOf(text).message).toContain(`\`${words}\` is no metric`)
    expect(faultOf(text).hint).toBe(`did you mean \`${meant}\`?`)
    expect(parseLimit(text.replace(words, meant)).metric).toBe(meant)
  })

  test.each([
    ['95p ttft < 3s', '95p', 'p95'],
    ['99.9P ttft < 3s', '99.9P', 'p99.9'],
    ['95th ttft < 3s', '95th', 'p95'],
    ['95th percentile ttft < 3s', '95th', 'p95'],
    ['95% ttft < 3s', '95%', 'p95'],
    ['95 ttft < 3s', '95', 'p95'],
  ])('a percentile with its number in front: %s', (text, word, meant) => {
    expect(pointed(text)).toBe(word)
    expect(faultOf(text).facts).toMatchObject({ problem: 'unknown-statistic' })
    expect(faultOf(text).message).toContain(`\`${word}\` is no statistic`)
    expect(faultOf(text).hint).toBe(`did you mean \`${meant}\`?`)
  })

  test.each(['10s > p99 ttft', '999p ttft < 3s', '5'])('a number that is no percentile: %s', (text) => {
    expect(faultOf(text).facts).toMatchObject({ problem: 'syntax' })
    expect(faultOf(text).message).toContain('a limit does not start with')
  })

  test.each([
    ['p95(ttft) < 3s', 'did you mean `p95 ttft < 3s`?'],
    ['p99.9 ( ttft )  <  3 s', 'did you mean `p99.9 ttft < 3 s`?'],
    ['mean(total < 30s)', 'did you mean `mean total < 30s`?'],
    ['avg(ttft) < 3s', 'did you mean `mean ttft < 3s`?'],
    ['median(ttft) < 3s', 'did you mean `p50 ttft < 3s`?'],
    ['p95(tttf) < 3s', 'write it as in `p99 ttft < 10s`'],
    ['mean(error_rate) < 3%', 'write it as in `p99 ttft < 10s`'],
    ['p95(((', 'write it as in `p99 ttft < 10s`'],
  ])('a statistic with brackets: %s', (text, hint) => {
    expect(pointed(text)).toBe('(')
    expect(faultOf(text).message).toContain('a statistic takes no brackets')
    expect(faultOf(text).hint).toBe(hint)
  })

  test('what is missing is pointed at behind the last word', () => {
    for (const text of ['p99 ttft', 'p99 ttft <', 'share(ttft > 1s', 'p99']) {
      expect(faultOf(text).facts).toMatchObject({ offset: text.length, length: 1, problem: 'syntax' })
    }
    expect(faultOf('').facts).toMatchObject({ offset: 0, problem: 'empty-limit' })
  })

  test('the message shows the limit with a caret', () => {
    expect(faultOf('p99 tttf < 10s').message).toBe('`tttf` is no metric\n  p99 tttf < 10s\n      ^^^^')
  })

  test.each([
    ['error_rate <= baseline + 1%', 'no-baseline-for'],
    ['share(ttft > 1s) < baseline', 'no-baseline-for'],
    ['max ttft <= baseline + 10%', 'no-baseline-for'],
    ['p100 ttft <= baseline', 'no-baseline-for'],
    ['p50 ttft <= baseline * 2', 'syntax'],
    ['p50 ttft <= baseline + 10', 'missing-unit'],
    ['p50 ttft <= baseline +', 'syntax'],
    ['p50 ttft <= baseline - 100%', 'out-of-range'],
    ['p50 ttft >= baseline - 10%', 'hardly-fails'],
    ['p5 ttft <= baseline + 10%', 'hardly-fails'],
  ])('of a baseline: %s', (text, problem) => {
    expect(faultOf(text).facts).toMatchObject({ problem })
  })
})

describe('a limit relative to a baseline', () => {
  test.each([
    ['p50 ttft <= baseline + 10%', { kind: 'ratio', by: 0.1 }],
    ['p95 ttft<baseline+50 ms', { kind: 'amount', by: 50 }],
    ['p99 total <= baseline + 1.5s', { kind: 'amount', by: 1500 }],
    ['p50 ttft < baseline', { kind: 'ratio', by: 0 }],
    ['p50 ttft <= baseline - 12.5%', { kind: 'ratio', by: -0.125 }],
    ['p5 decode_tps >= baseline - 10%', { kind: 'ratio', by: -0.1 }],
    ['p50 decode_tps >= baseline - 2 tok/s', { kind: 'amount', by: -2 }],
    ['mean cost <= baseline + 20%', { kind: 'ratio', by: 0.2 }],
    ['p50 ttft <= baseline + 250%', { kind: 'ratio', by: 2.5 }],
  ])('%s', (text, relative) => {
    const limit = parseLimit(text)
    expect(limit).toMatchObject({ kind: 'statistic', relative, value: 0 })
    expect(parseLimit(limit.text)).toEqual(limit)
  })
})

describe('directions', () => {
  test.each([
    'p50 ttft < 1s',
    'max ttft < 1s',
    'mean ttft < 1s',
    'p1 ttft > 20ms',
    'min ttft > 20ms',
    'p5 decode_tps > 5',
    'p50 decode_tps > 5',
    'mean decode_tps > 5',
    'min decode_tps > 5',
    'p99 decode_tps < 900',
    'max decode_tps < 900',
    'p95 completion_tokens < 2000',
    'p5 completion_tokens > 100',
    'p95 completion_tokens > 100',
    'max cost < 1',
    'mean cost > 0',
    'max cached_tokens <= 0',
    'cache_hit_rate < 1%',
    'cache_hit_rate > 90%',
    'length_rate < 1%',
    'length_rate > 99%',
    'share(ttft < 1s) > 30%',
    'share(ttft > 1s) < 70%',
    'share(ttft < 20ms) < 1%',
    'share(decode_tps < 5) < 5%',
    'share(cached_tokens > 0) < 5%',
    'error_rate < 100%',
  ])('%s can fail', (text) => {
    expect(parseLimit(text).text).not.toBe('')
  })

  test.each([
    ['p99 ttft > 10s', 'p99 ttft < 10s'],
    ['p50 ttft >= 10s', 'p50 ttft <= 10s'],
    ['p5 ttft < 1s', 'p95 ttft < 1s'],
    ['p0.1 ttft < 1s', 'p99.9 ttft < 1s'],
    ['mean total > 10s', 'mean total < 10s'],
    ['max gap_max > 10s', 'max gap_max < 10s'],
    ['min ttft < 1s', 'max ttft < 1s'],
    ['p99 decode_tps > 5', 'p1 decode_tps > 5 tok/s'],
    ['p5 decode_tps < 5', 'p5 decode_tps > 5 tok/s'],
    ['p50 decode_tps < 5', 'p50 decode_tps > 5 tok/s'],
    ['max decode_tps > 5', 'min decode_tps > 5 tok/s'],
    ['min decode_tps < 5', 'min decode_tps > 5 tok/s'],
    ['mean decode_tps < 5', 'mean decode_tps > 5 tok/s'],
    ['error_rate > 1%', 'error_rate < 1%'],
    ['stall_rate >= 1%', 'stall_rate <= 1%'],
    ['answered_rate < 99%', 'answered_rate > 99%'],
    ['share(ttft > 60s) > 0.5%', 'share(ttft > 60s) < 0.5%'],
    ['share(ttft > 10s) > 50%', 'share(ttft > 10s) < 50%'],
    ['share(ttft < 10s) < 99%', 'share(ttft < 10s) > 99%'],
    ['share(decode_tps < 5) > 5%', 'share(decode_tps < 5 tok/s) < 5%'],
  ])('%s is asked about: %s?', (text, meant) => {
    const fault = faultOf(text)
    expect(fault.facts).toMatchObject({ problem: 'hardly-fails' })
    expect(fault.message).toContain('can this ever fail?')
    expect(fault.hint).toBe(`did you mean \`${meant}\`?`)
    expect(parseLimit(meant).text).toBe(meant)
  })

  test.each([
    ['error_rate < 0%', 'never-passes'],
    ['answered_rate > 100%', 'never-passes'],
    ['error_rate <= 100%', 'never-fails'],
    ['answered_rate >= 0%', 'never-fails'],
    ['p99 ttft < 0s', 'never-passes'],
    ['p5 decode_tps > 0', 'never-fails'],
    ['p95 cached_tokens < 0', 'never-passes'],
    ['p95 cached_tokens >= 0', 'never-fails'],
    ['share(cached_tokens >= 0) < 5%', 'never-fails'],
    ['share(ttft > 0ms) > 5%', 'never-fails'],
  ])('%s %s', (text, problem) => {
    expect(faultOf(text).facts).toMatchObject({ problem })
  })
})

describe('laws', () => {
  const metrics = Object.keys(VALUE_METRICS) as ValueMetric[]
  const decimals = (most: number, places: number) =>
    fc
      .tuple(fc.integer({ min: 0, max: most }), fc.stringMatching(new RegExp(`^\\d{0,${places}}$`)))
      .map(([whole, part]) => (part === '' ? String(whole) : `${whole}.${part}`))
  const space = fc.constantFrom('', ' ', '  ')
  const operator = fc.constantFrom('<', '<=', '>', '>=')
  const percent = fc.tuple(decimals(100, 6), space).map(([number, gap]) => `${number}${gap}%`)
  const comparison = fc
    .tuple(fc.constantFrom(...metrics), operator, decimals(99_999, 6), fc.constantFrom('ms', 's', 'm', 'h', 'd'), space)
    .map(([metric, op, number, time, gap]) => {
      const unit = { ms: time, 'tok/s': 'tok/s', count: '', currency: '', ratio: '%' }[VALUE_METRICS[metric].unit]
      return `${metric}${gap}${op}${gap}${number}${gap}${unit}`
    })
  const statistic = fc.oneof(
    fc.constantFrom('mean', 'min', 'max'),
    decimals(100, 6).map((number) => `p${number}`),
  )
  const limitText = fc.oneof(
    fc.tuple(statistic, comparison).map(([name, rest]) => `${name} ${rest}`),
    fc
      .tuple(
        fc.constantFrom('error_rate', 'answered_rate', 'length_rate', 'cache_hit_rate', 'stall_rate'),
        operator,
        percent,
      )
      .map(([metric, op, value]) => `${metric} ${op} ${value}`),
    fc.tuple(comparison, operator, percent).map(([inner, op, value]) => `share(${inner}) ${op} ${value}`),
  )

  /** `undefined` only for the mistakes that a well-formed text can make. */
  function taken(text: string) {
    try {
      return parseLimit(text)
    } catch (thrown) {
      const problem = thrown instanceof SloError ? String(thrown.facts['problem']) : ''
      if (['hardly-fails', 'never-fails', 'never-passes', 'out-of-range'].includes(problem)) return undefined
      throw thrown
    }
  }

  test('reading what is printed gives the same limit', () => {
    let count = 0
    fc.assert(
      fc.property(limitText, (text) => {
        const limit = taken(text)
        if (limit === undefined) return
        count += 1
        expect(parseLimit(printLimit(limit))).toEqual(limit)
      }),
      { numRuns: 3000, seed: 1 },
    )
    expect(count).toBeGreaterThan(500)
  })

  test('the allowance is exact: 1/e samples hold one exception, one sample less holds none', () => {
    fc.assert(
      fc.property(limitText, (text) => {
        const limit = taken(text)
        if (limit === undefined || limit.allowed === null || limit.autoMinSamples === null) return
        const { numerator, denominator } = limit.allowed
        expect(Number.isSafeInteger(numerator) && Number.isSafeInteger(denominator)).toBe(true)
        expect(BigInt(limit.autoMinSamples) * BigInt(numerator)).toBeGreaterThanOrEqual(BigInt(denominator))
        if (limit.autoMinSamples > 10) {
          expect(BigInt(limit.autoMinSamples - 1) * BigInt(numerator)).toBeLessThan(BigInt(denominator))
        }
      }),
      { numRuns: 2000, seed: 2 },
    )
  })

  test('any text is a limit or a fault that points into it', () => {
    const words = fc.constantFrom(
      'p99',
      'ttft',
      '<',
      '10',
      's',
      '%',
      'share',
      '(',
      ')',
      'error_rate',
      'baseline',
      ' ',
      'é',
      '🚀',
    )
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(words).map((parts) => parts.join(' ')),
    )
    fc.assert(
      fc.property(texts, (text) => {
        try {
          parseLimit(text)
        } catch (thrown) {
          if (!(thrown instanceof SloError)) throw thrown
          const { offset, length } = thrown.facts
          expect(Number(offset)).toBeLessThanOrEqual(text.length)
          expect(Number(length)).toBeGreaterThanOrEqual(1)
        }
      }),
      { numRuns: 2000, seed: 3 },
    )
  })
})
