import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { UsageCounts, UsageRules } from './types.ts'
import { comparableUsage, mergeCounts } from './usage.ts'

test.each<readonly [string, UsageCounts, UsageRules, object]>([
  [
    'reasoning inside, as the total says',
    { promptTokens: 10, completionTokens: 9, totalTokens: 19, reasoningTokens: 4 },
    {},
    { completionTokens: 9, rawCompletionTokens: 9, reasoningTokens: 4 },
  ],
  [
    'reasoning apart, as the total says',
    { promptTokens: 10, completionTokens: 5, totalTokens: 19, reasoningTokens: 4 },
    {},
    { completionTokens: 9, rawCompletionTokens: 5, reasoningTokens: 4 },
  ],
  [
    'reasoning apart, by rule, whatever the total',
    { promptTokens: 10, completionTokens: 5, totalTokens: 99, reasoningTokens: 4 },
    { reasoningApart: true },
    { completionTokens: 9, rawCompletionTokens: 5 },
  ],
  [
    'nothing but reasoning',
    { promptTokens: 10, reasoningTokens: 4 },
    { reasoningApart: true },
    { completionTokens: 4, reasoningTokens: 4 },
  ],
  [
    'cache apart',
    { promptTokens: 3, cachedTokens: 100, cacheWriteTokens: 20, completionTokens: 1 },
    { cacheApart: true },
    { promptTokens: 123, rawPromptTokens: 3, cachedTokens: 100 },
  ],
  [
    'more reasoning than completion',
    { promptTokens: 10, completionTokens: 5, totalTokens: 15, reasoningTokens: 6 },
    {},
    { completionTokens: 5, reasoningTokens: 6, inconsistent: true },
  ],
  [
    'a total that fits neither way',
    { promptTokens: 10, completionTokens: 5, totalTokens: 99 },
    {},
    { completionTokens: 5, inconsistent: true },
  ],
  ['more cached than prompt', { promptTokens: 10, completionTokens: 5, cachedTokens: 11 }, {}, { inconsistent: true }],
])('%s', (_name, counts, rules, expected) => {
  expect(comparableUsage(counts, rules)).toMatchObject(expected)
})

test('counts that do not contradict each other are not marked', () => {
  const counts = { promptTokens: 10, completionTokens: 5, totalTokens: 15, cachedTokens: 10, reasoningTokens: 5 }
  expect(comparableUsage(counts)).not.toHaveProperty('inconsistent')
})

test('without a number for either side there is no usage', () => {
  expect(comparableUsage(undefined)).toBeUndefined()
  expect(comparableUsage({ cachedTokens: 3, totalTokens: 9 })).toBeUndefined()
})

test('later counts win, earlier ones stay where nothing came after', () => {
  const start = { promptTokens: 20, cachedTokens: 5, completionTokens: 1 }
  expect(mergeCounts(mergeCounts(undefined, start), { completionTokens: 40 })).toEqual({
    ...start,
    completionTokens: 40,
  })
})

const count = fc.option(fc.nat(5000), { nil: undefined })
const counts = fc.record(
  { promptTokens: count, completionTokens: count, totalTokens: count, reasoningTokens: count, cachedTokens: count },
  { requiredKeys: [] },
) as fc.Arbitrary<UsageCounts>

test('whatever is counted, nothing becomes negative or less than the provider wrote', () => {
  fc.assert(
    fc.property(counts, fc.boolean(), fc.boolean(), (given, cacheApart, reasoningApart) => {
      const usage = comparableUsage(given, { cacheApart, reasoningApart })
      if (usage === undefined) return
      expect(usage.promptTokens ?? 0).toBeGreaterThanOrEqual(usage.rawPromptTokens ?? 0)
      expect(usage.completionTokens ?? 0).toBeGreaterThanOrEqual(usage.rawCompletionTokens ?? 0)
    }),
  )
})
