import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { promptTokensOf } from './draw.ts'
import { faultNames } from './faults.ts'
import { defaultProfile, loadProfile, parseProfile, profileNames } from './profile.ts'
import { quantileAt, quantileAtLength } from './quantiles.ts'

test('there is a profile for each model of the study, and one for all others', () => {
  expect(profileNames()).toEqual(['deepseek-3.2', 'default', 'gemma-4-31B-it', 'glm-5.3', 'llama-4-maverick'])
  expect(loadProfile(defaultProfile).name).toBe('default')
})

test.each(profileNames())('profile %s fails only in ways that the simulator knows', (name) => {
  for (const { fault } of loadProfile(name).errors) expect(faultNames).toContain(fault)
})

test('an unknown name lists the profiles there are', () => {
  expect(() => loadProfile('glm-5')).toThrow(
    expect.objectContaining({
      code: 'PROFILE_INVALID',
      message: 'there is no simulator profile "glm-5"',
      hint: expect.stringContaining('deepseek-3.2, default, gemma-4-31B-it, glm-5.3, llama-4-maverick') as string,
    }),
  )
})

test('a profile file is named by its path; what is wrong in it is said', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slo profile '))
  try {
    const good = join(folder, 'mine.json')
    const { name: _, ...profile } = loadProfile('default')
    writeFileSync(good, JSON.stringify(profile))
    expect(loadProfile(good).name).toBe('mine')
    expect(() => loadProfile(join(folder, 'none.json'))).toThrow(/cannot read the simulator profile/)
    writeFileSync(good, '{')
    expect(() => loadProfile(good)).toThrow(/mine\.json is not JSON/)
    writeFileSync(
      good,
      JSON.stringify({
        ...profile,
        tokensPerSecond: [
          [0, 5],
          [1, 4],
        ],
        speed: 1,
      }),
    )
    expect(() => loadProfile(good)).toThrow(/must ascend/)
    expect(() => loadProfile(good)).toThrow(/Unrecognized key[^\n]*speed/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('probabilities of errors above 1 are refused', () => {
  const { name: _, ...profile } = loadProfile('default')
  const errors = [
    { fault: 'http-529', probability: 0.6, afterMs: 1 },
    { fault: 'empty-200', probability: 0.6, afterMs: 1 },
  ]
  expect(() => parseProfile(JSON.stringify({ ...profile, errors }), 'x', 'x.json')).toThrow(/sum to 1\.2/)
})

test('quantiles hit their knots and never fall', () => {
  const names = fc.constantFrom(...profileNames())
  const unit = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(names, unit, unit, fc.integer({ min: 1, max: 50_000 }), (name, a, b, tokens) => {
      const profile = loadProfile(name)
      const [low, high] = a < b ? [a, b] : [b, a]
      const lengths = Object.values(profile.lengths).map((length) => ({ ...length, table: length.ttftMs }))
      expect(quantileAtLength(lengths, tokens, low)).toBeLessThanOrEqual(quantileAtLength(lengths, tokens, high))
      for (const { promptTokens, table } of lengths) {
        for (const [u, value] of table) {
          expect(quantileAt(table, u)).toBeCloseTo(value, 6)
          expect(quantileAtLength(lengths, promptTokens, u)).toBeCloseTo(value, 6)
        }
      }
    }),
    { numRuns: 50 },
  )
})

test('between two lengths TTFT grows straight with the tokens; outside it stays', () => {
  const at = (ms: number): [number, number][] => [
    [0, ms],
    [1, ms],
  ]
  const lengths = [
    { promptTokens: 100, table: at(200) },
    { promptTokens: 1100, table: at(400) },
  ]
  expect([1, 100, 600, 1100, 9000].map((tokens) => quantileAtLength(lengths, tokens, 0.5))).toEqual([
    200, 200, 300, 400, 400,
  ])
})

test('prompt tokens are counted from words', () => {
  const profile = { ...loadProfile('default'), promptTokens: { fixed: 15, perWord: 1.3 } }
  expect(promptTokensOf(profile, 100)).toBe(145)
})
