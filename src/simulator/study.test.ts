import { expect, test } from 'vitest'
import { compare } from '../../tools/study/compare.ts'
import { practiceRows } from '../../tools/study/practice-rows.ts'
import { models } from '../../tools/study/published.ts'
import { readRows } from '../../tools/study/row.ts'
import type { StudyRow } from '../../tools/study/row.ts'
import { loadProfile } from './profile.ts'

/** The profiles against the study's published figures: draws alone, no HTTP, no clock. */

function draws(seed: number, rounds: number): StudyRow[] {
  return models.flatMap((model) => practiceRows({ profile: loadProfile(model), seed, rounds }))
}

function outside(rows: readonly StudyRow[]): string[] {
  return compare(rows)
    .filter(({ ok }) => !ok)
    .map(({ name, published, measured, interval }) => `${name}: ${published}, measured ${measured}, ${interval}`)
}

test.each([1, 2, 3, 4, 5])('288 rounds with seed %i reproduce the published table', (seed) => {
  expect(outside(draws(seed, 288))).toEqual([])
})

// 4,000 rounds give intervals about a quarter as wide, and p99 an upper end too; "slower than the slowest" is a count of 864.
test('4,000 rounds still lie in their own intervals, p99 included', () => {
  const rows = draws(11, 4000)
  expect(outside(rows).filter((line) => !line.includes('slowest'))).toEqual([])
  const p99 = compare(rows).filter(({ name }) => name.endsWith('TTFT ms p99'))
  expect(p99).toHaveLength(8)
  for (const { interval } of p99) expect(interval).not.toContain('…')
})

test('the percentiles of a profile are exact: 100,000 draws are within 1 %', () => {
  const table = [
    ['glm-5.3', 1049, 1846, 2130],
    ['gemma-4-31B-it', 1059, 1986, 2225],
    ['llama-4-maverick', 1119, 2116, 3332],
    ['deepseek-3.2', 1353, 5837, 13_654],
  ] as const
  for (const [model, ...published] of table) {
    const profile = {
      ...loadProfile(model),
      answerTokens: [
        [0, 1],
        [1, 1],
      ] as [number, number][],
    }
    for (const length of Object.values(profile.lengths)) delete length.reasoningTokens
    const ttft = practiceRows({ profile, seed: 3, rounds: 100_000 })
      .filter((row) => row.prompt === 'medium')
      .flatMap((row) => row.ttft ?? [])
      .sort((a, b) => a - b)
    for (const [i, q] of [0.5, 0.95, 0.99].entries()) {
      const ratio = (ttft[Math.floor(q * ttft.length)] ?? 0) / (published[i] ?? Number.NaN)
      expect(ratio, `${model} p${q * 100}`).toBeGreaterThan(0.99)
      expect(ratio, `${model} p${q * 100}`).toBeLessThan(1.01)
    }
  }
})

test('36 rounds with seed 1 keep the budgets of the README run', () => {
  for (const model of models) {
    const rows = practiceRows({ profile: loadProfile(model), seed: 1, rounds: 36 })
    const ttft = rows.flatMap((row) => row.ttft ?? []).sort((a, b) => b - a)
    const strict = model !== 'deepseek-3.2'
    expect(rows).toHaveLength(108)
    expect(rows.filter((row) => !row.ok).length / 108).toBeLessThan(strict ? 0.01 : 0.04)
    // p99 of 108 lies between the second and the third largest; room for a noisy machine is left
    expect(ttft[1]).toBeLessThan(strict ? 7000 : 22_000)
  }
})

test('a provider that changed is found out', () => {
  const rows = draws(1, 288)
  const slower = rows.map((row) => (row.ttft === undefined ? row : { ...row, ttft: row.ttft * 1.2 }))
  expect(outside(slower).filter((line) => line.includes('TTFT ms p50'))).not.toEqual([])
  const failing = rows.map((row, i): StudyRow => (i % 20 === 0 ? { ...row, ok: false, status: 529 } : row))
  expect(outside(failing).filter((line) => line.includes('failures'))).toHaveLength(4)
  expect(outside([]).length).toBe(compare([]).length)
})

test('rows come from the newest run of a CSV, without those that were cut off by us', () => {
  const csv = [
    'run_id,target,prompt,outcome,error_kind,status,ttft_ms,decode_tps,simulated',
    'a,glm-5.3,short,ok,,200,1,2,25',
    'b,glm-5.3,short,ok,,200,1234.5,59.4,25',
    'b,glm-5.3,long,error,http_status,529,,,25',
    'b,glm-5.3,long,error,aborted,,,,25',
  ].join('\n')
  expect(readRows(csv)).toEqual([
    { target: 'glm-5.3', prompt: 'short', ok: true, status: 200, ttft: 1234.5, tps: 59.4, simulated: 25 },
    { target: 'glm-5.3', prompt: 'long', ok: false, errorKind: 'http_status', status: 529, simulated: 25 },
  ])
})
