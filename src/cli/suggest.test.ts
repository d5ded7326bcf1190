import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseBudgets } from '../budget/index.ts'
import { failedSample, okSample } from '../sample/testing/samples.ts'
import type { Sample } from '../sample/types.ts'
import { csvOf, desk } from './testing/command-line.ts'
import type { Desk } from './testing/command-line.ts'

let at: Desk
beforeEach(() => {
  at = desk()
})
afterEach(() => at.remove())

test('p99 of 288: the tolerance bound where there is one, else the slowest, plus 20 %', async () => {
  const samples = Array.from({ length: 300 }, (_, seq) => okSample({ seq, ttft_ms: 1000 + seq }))
  at.write({ 'samples.csv': csvOf(samples) })
  const { out, code } = await at.run('suggest', 'samples.csv')
  expect(code).toBe(0)
  // p99 by type 7 of 1000 … 1299 is 1296.01; 0.99³⁰⁰ = 4.9 %: the largest of 300 is an upper bound at 95 %
  expect(out).toMatch(/# p99 1\.3 s of 300; at most 1\.3 s, 95 % sure; plus 20 %\n.*\n {4}limit: p99 ttft < 1\.6s/)
  // Clopper and Pearson: 1 − 0.05^(1/300) = 0.99 %
  expect(out).toMatch(/# 0 of 300 failed; at most 0\.99 %, 95 % sure; plus 20 %\n.*\n {4}limit: error_rate < 1\.2%/)
})

test('what is proposed passes on its own data, whatever they are', async () => {
  const anySamples = fc.array(
    fc.record({
      ttft: fc.double({ min: 0.001, max: 300_000, noNaN: true }),
      speed: fc.double({ min: 0.01, max: 5000, noNaN: true }),
      kind: fc.constantFrom('ok', 'ok', 'ok', 'reset', 'first_token_timeout', 'silent'),
      target: fc.constantFrom('a', 'b b', '!c', 'd*'),
    }),
    { minLength: 10, maxLength: 130 },
  )
  await fc.assert(
    fc.asyncProperty(anySamples, async (drawn) => {
      const samples = drawn.map(({ ttft, speed, kind, target }, seq): Sample => {
        if (kind === 'reset' || kind === 'first_token_timeout')
          return failedSample({ seq, target, error_kind: kind, total_ms: 9e4 })
        const answer = kind === 'silent' ? {} : { first_answer_ms: ttft }
        return okSample({ seq, target, ttft_ms: ttft, decode_tps: speed, total_ms: ttft + 1, ...answer })
      })
      const fresh = desk()
      try {
        fresh.write({ 'samples.csv': csvOf(samples) })
        const made = await fresh.run('suggest', 'samples.csv', '--out', 'slo.yaml')
        if (made.code === 2) {
          expect(made.err).toContain('too few')
          return
        }
        const judged = await fresh.run('report', 'samples.csv')
        expect(judged.err).not.toContain('error')
        expect(judged.code).toBe(0)
      } finally {
        fresh.remove()
      }
    }),
    { numRuns: 25 },
  )
})

test('no file is overwritten, and too little is nothing', async () => {
  const samples = Array.from({ length: 30 }, (_, seq) => okSample({ seq, ttft_ms: 1000 + seq }))
  at.write({ 'samples.csv': csvOf(samples), 'slo.yaml': 'mine', 'few.csv': csvOf(samples.slice(0, 5)) })
  const kept = await at.run('suggest', 'samples.csv', '--out', 'slo.yaml')
  expect(kept.code).toBe(2)
  expect(at.read('slo.yaml')).toBe('mine')
  const few = await at.run('suggest', 'few.csv')
  expect(few).toMatchObject({ code: 2, out: '' })
  expect(few.err).toContain('too few')
})

/** What a proposal must be worth: it loads without a word, and its own data pass it. */
async function expectAccepted(csv: string, ...options: readonly string[]): Promise<string> {
  const made = await at.run('suggest', csv, ...options, '--out', 'suggested.yaml')
  expect(made.code, made.err).toBe(0)
  const text = at.read('suggested.yaml')
  expect(parseBudgets(text, 'suggested.yaml').problems).toEqual([])
  const judged = await at.run('report', csv, ...options, '--slo', 'suggested.yaml')
  expect(judged.code, `${judged.out}\n${judged.err}`).toBe(0)
  expect(judged.out).not.toContain('inconclusive')
  return text
}

const answers = (count: number, change: object = {}): Sample[] =>
  Array.from({ length: count }, (_, seq) => okSample({ seq, ttft_ms: 900 + 7 * seq, total_ms: 5000, ...change }))

test('several nights are pooled', async () => {
  const nights = ['one', 'two'].flatMap((run_id) => answers(60, { run_id }))
  at.write({ 'samples.csv': csvOf(nights) })
  expect(await expectAccepted('samples.csv', '--runs', 'all')).toContain('limit: p99 ttft <')
})

test('one cell with the fewest samples gets a p90', async () => {
  at.write({ 'samples.csv': csvOf(answers(10)) })
  expect(await expectAccepted('samples.csv')).toMatch(/too few for a bound, the slowest .*\n.*\n {4}limit: p90 ttft </)
})

test('failures and answers that were cut off are allowed for', async () => {
  const failed = Array.from({ length: 6 }, (_, at) =>
    failedSample({ seq: 200 + at, error_kind: at < 3 ? 'reset' : 'first_token_timeout', total_ms: 240_000 }),
  )
  at.write({ 'samples.csv': csvOf([...answers(194), ...failed]) })
  expect(await expectAccepted('samples.csv')).toMatch(/6 of 200 failed; at most .*\n.*\n {4}limit: error_rate </)
})

test('a file of others, with no more than one metric', async () => {
  const rows = Array.from({ length: 40 }, (_, row) => `m,${1 + row / 100}`)
  at.write({ 'theirs.csv': `model,ttft_seconds\n${rows.join('\n')}\n` })
  const maps = ['--map', 'model=target', '--map', 'ttft_seconds=ttft:s']
  expect(await expectAccepted('theirs.csv', ...maps)).toContain('limit: p95 ttft <')
})

test('five samples are too few, and it says what would do', async () => {
  at.write({ 'samples.csv': csvOf(answers(5)) })
  const { code, err } = await at.run('suggest', 'samples.csv')
  expect(code).toBe(2)
  expect(err).toContain('--runs all')
})
