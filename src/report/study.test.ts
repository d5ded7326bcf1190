import { describe, expect, test } from 'vitest'
import { failedSample, okSample } from '../sample/testing/samples.ts'
import { hourIn } from './local-time.ts'
import { studyOf } from './study.ts'
import { renderSummary } from './summary.ts'
import { report, run } from './testing/reports.ts'

const ORDER = [{ probe: 'serverless', target: 'glm-5.3' }]
const at = (time: string) => ({ started_at: `2026-10-28T${time}:00.000Z` })

describe('the study of one target', () => {
  test('TTFT per 1,000 prompt tokens is the slope through the medians of the prompts', () => {
    const samples = [
      [100, 1000],
      [100, 1100],
      [100, 1050],
      [1100, 1200],
      [10_100, 2900],
    ].map(([prompt_tokens = 0, ttft_ms = 0]) => okSample({ prompt: String(prompt_tokens), prompt_tokens, ttft_ms }))
    const [study] = studyOf(samples, ORDER, 'UTC')
    expect(study?.prompts.map((each) => each.prompt)).toEqual(['100', '1100', '10100'])
    // Σ(x − x̄)(y − ȳ) / Σ(x − x̄)² of [100, 1100, 10100] and [1050, 1200, 2900], as a fraction: 2425/13
    expect(study?.msPerThousandTokens).toBeCloseTo(2425 / 13, 9)
    const [one] = studyOf(samples.slice(0, 3), ORDER, 'UTC')
    expect(one?.msPerThousandTokens).toBeNull()
  })

  test('blocks of the day lie in the zone, also where its offset has half an hour', () => {
    // 05:59 and 06:01 in Kolkata
    const samples = [
      okSample({ ...at('00:29'), ttft_ms: 1000 }),
      okSample({ ...at('00:31'), ttft_ms: 1140 }),
      failedSample(at('00:31')),
    ]
    const [study] = studyOf(samples, ORDER, 'Asia/Kolkata')
    expect(study?.blocks.map(({ n, failed, ttftP50 }) => [n, failed, ttftP50])).toEqual([
      [1, 0, 1000],
      [2, 1, 1140],
      [0, 0, null],
      [0, 0, null],
    ])
    expect(study?.largestShift).toBeCloseTo(0.14, 12)
    expect(hourIn('Asia/Kathmandu')(Date.parse('2026-10-28T18:14:59.000Z'))).toBe(23)
    expect(hourIn('Asia/Kathmandu')(Date.parse('2026-10-28T18:15:00.000Z'))).toBe(0)
  })

  test('each region of a target stands by itself, where there are several', () => {
    const samples = [
      okSample({ region: 'fra1', ttft_ms: 1400 }),
      okSample({ region: 'blr1', ttft_ms: 1000 }),
      okSample({ region: 'blr1', ttft_ms: 1200 }),
      failedSample({ region: 'blr1' }),
      okSample({ ttft_ms: 900 }),
    ]
    const [study] = studyOf(samples, ORDER, 'UTC')
    expect(
      study?.regions?.map(({ region, n, failed, ttftP50, ttftP99 }) => [region, n, failed, ttftP50, ttftP99]),
    ).toEqual([
      ['', 1, 0, 900, 900],
      ['blr1', 3, 1, 1100, 1198],
      ['fra1', 1, 0, 1400, 1400],
    ])
    const summary = renderSummary(report({ study: study === undefined ? [] : [study] }))
    expect(summary).toMatch(/\| blr1 +\| +3 \| +1 \| +33\.33 % \| +1,100 ms \|/)
    expect(summary).toContain('not named')
    expect(studyOf(samples.slice(1, 4), ORDER, 'UTC')[0]).not.toHaveProperty('regions')
  })

  test('counts of the tail, of reasoning and of answers are of successes', () => {
    const samples = [
      okSample({ ttft_ms: 10_000, total_ms: 60_000, first_answer_ms: 20_000 }),
      okSample({ ttft_ms: 10_001, total_ms: 60_001, finish_reason: 'length' }),
      okSample({ ttft_ms: 210_000, total_ms: 242_000, first_answer_ms: 220_000, finish_reason: 'max_tokens' }),
      failedSample({ ttft_ms: 99_000, total_ms: 240_000 }),
    ]
    const [study] = studyOf(samples, ORDER, 'UTC')
    expect(study?.tail).toEqual({
      ttftOver10s: 2,
      ttftOver30s: 1,
      ttftOver60s: 1,
      totalOver30s: 3,
      totalOver60s: 2,
      slowestTtft: 210_000,
      slowestTotal: 242_000,
    })
    expect(study?.prompts).toMatchObject([{ ok: 3, capped: 2, neverAnswered: 1, firstAnswerP50: 120_000, reasoned: 3 }])
  })

  test('correlation is Pearson’s, and none where nothing varies', () => {
    const pairs = [
      [1, 10],
      [2, 30],
      [3, 20],
      [4, 50],
    ]
    const samples = pairs.map(([tokens_per_event = 0, decode_tps = 0]) => okSample({ tokens_per_event, decode_tps }))
    // 55 / √(5 · 875)
    expect(studyOf(samples, ORDER, 'UTC')[0]?.speedCorrelation).toBeCloseTo(0.8315218406, 9)
    const same = samples.map((sample) => ({ ...sample, tokens_per_event: 1 }))
    expect(studyOf(same, ORDER, 'UTC')[0]?.speedCorrelation).toBeNull()
  })

  test('nothing of nothing, and nothing of a time that is unknown', () => {
    expect(studyOf([], ORDER, 'UTC')).toEqual([])
    const [study] = studyOf([okSample({ started_at: '' })], ORDER, 'Nowhere/At-All')
    expect(study?.blocks.every(({ n }) => n === 0)).toBe(true)
  })
})

test('the tables of the summary', () => {
  const samples = [60, 750, 7500].flatMap((words, index) =>
    Array.from({ length: 8 }, (_, k) =>
      okSample({
        ...at(`${String(k * 3).padStart(2, '0')}:00`),
        prompt: ['short', 'medium', 'long'][index] ?? '',
        prompt_tokens: words * 1.3 + 80,
        ttft_ms: 1000 + words / 10 + k * 25,
        first_answer_ms: 25_000 + k,
        tokens_per_event: 1 + (k % 3) / 100,
        decode_tps: 50 + k,
        finish_reason: k % 2 === 0 ? 'length' : 'stop',
      }),
    ),
  )
  const study = studyOf(samples, ORDER, 'Asia/Kolkata')
  const text = renderSummary(report({ run: run(), findings: [], cells: [], study }))
  expect(text.slice(text.indexOf('## Prompt lengths'), text.indexOf('## Run'))).toMatchSnapshot()
})

test('a thousand targets fit into the summary', () => {
  const [one] = studyOf([okSample({ finish_reason: 'length' })], ORDER, 'UTC')
  if (one === undefined) throw new Error('no study')
  const study = Array.from({ length: 1000 }, (_, index) => ({ ...one, target: `model-${index}` }))
  const text = renderSummary(report({ study }))
  expect(Buffer.byteLength(text)).toBeLessThan(900 * 1024)
  expect(text).toContain('## Tail')
})
