import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cellMatches, nearestWord } from './index.ts'
import { globMatches } from './glob.ts'

test.each([
  ['tttf', ['total', 'ttft'], 'ttft'],
  ['severty', ['severity', 'per'], 'severity'],
  ['min-samples', ['min_samples'], 'min_samples'],
  ['maxTokens', ['max_tokens', 'rounds'], 'max_tokens'],
  ['answer', ['ttft', 'first_answer'], 'first_answer'],
  ['glm5.3', ['deepseek-3.2', 'glm-5.3'], 'glm-5.3'],
  ['on_inconclusve', ['id', 'on_inconclusive'], 'on_inconclusive'],
])('%s is nearest to its right word', (word, candidates, nearest) => {
  expect(nearestWord(word, candidates)).toBe(nearest)
})

test('nothing is near to what is far', () => {
  expect(nearestWord('xyz', ['ttft', 'total'])).toBeUndefined()
  expect(nearestWord('', ['ttft'])).toBeUndefined()
  expect(nearestWord('ttft', [])).toBeUndefined()
})

test('a word of the list is nearest to itself', () => {
  const list = ['ttft', 'total', 'tpot', 'connect', 'gap_p50', 'gap_p99']
  for (const word of list) expect(nearestWord(word, list)).toBe(word)
})

test.each([
  ['glm-*', 'glm-5.3', true],
  ['glm-*', 'GLM-5.3', false],
  ['*', 'meta/llama-3.3', true],
  ['*/llama-*', 'meta/llama-3.3', true],
  ['glm-?.3', 'glm-5.3', true],
  ['glm-5.3', 'glm-5x3', false],
  ['{glm,kimi}-*', 'kimi-k3', true],
  ['{glm,kimi}-*', 'deepseek-3', false],
  ['{a}', '{a}', true],
  ['a+b(c)[d]', 'a+b(c)[d]', true],
  ['[ab]', 'a', false],
  ['short', 'shorter', false],
])('%s on %s: %s', (glob, name, matches) => {
  expect(globMatches(glob, name)).toBe(matches)
})

test('a name without wildcards matches itself and nothing else', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[*?{]/.test(text))
  fc.assert(
    fc.property(name, name, (a, b) => {
      expect(globMatches(a, a)).toBe(true)
      expect(globMatches(a, b)).toBe(a === b)
    }),
    { seed: 1 },
  )
})

test('a where takes some globs and takes others away', () => {
  const cell = { probe: 'serverless', target: 'deepseek-3.2', prompt: 'short' }
  expect(cellMatches({}, cell)).toBe(true)
  expect(cellMatches({ target: ['glm-*', 'deepseek-*'] }, cell)).toBe(true)
  expect(cellMatches({ target: ['!deepseek-*'] }, cell)).toBe(false)
  expect(cellMatches({ target: ['!glm-*'] }, cell)).toBe(true)
  expect(cellMatches({ target: ['deepseek-*', '!*-3.2'] }, cell)).toBe(false)
  expect(cellMatches({ target: ['deepseek-*'], prompt: ['long'] }, cell)).toBe(false)
  expect(cellMatches({ probe: ['serverless'], prompt: ['short'] }, cell)).toBe(true)
})
