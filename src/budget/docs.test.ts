import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { formatProblems, parseBudgets, parseLimit } from './index.ts'
import { RATE_METRICS, VALUE_METRICS } from './metrics.ts'
import { budgetShape, fileShape } from './structure.ts'

const page = await readFile(new URL('../../docs/slo-yaml.md', import.meta.url), 'utf8')
const blocks = Array.from(page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm), (match) => ({
  kind: match[1] ?? '',
  text: match[2] ?? '',
}))
const sound = blocks.filter((block) => block.kind === 'yaml').map((block) => block.text)

test('the page has the examples that this test is about', () => {
  expect(sound.length).toBeGreaterThanOrEqual(5)
  expect(blocks.filter((block) => block.kind === 'yaml mistakes')).toHaveLength(1)
  expect([...new Set(blocks.map((block) => block.kind))].toSorted()).toEqual(['text', 'yaml', 'yaml mistakes'])
})

test.each(sound)('an example is sound: %j', (text) => {
  expect(formatProblems(parseBudgets(text, 'slo.yaml').problems, text)).toBe('')
})

test('the mistakes are shown as the page shows them', () => {
  const at = blocks.findIndex((block) => block.kind === 'yaml mistakes')
  const text = blocks[at]?.text ?? ''
  expect(`${formatProblems(parseBudgets(text, 'slo.yaml').problems, text)}\n`).toBe(blocks[at + 1]?.text)
})

test('every key and metric stands in the page', () => {
  const words = [
    ...Object.keys(fileShape.shape),
    ...Object.keys(budgetShape.shape),
    ...Object.keys(VALUE_METRICS),
    ...Object.keys(RATE_METRICS),
  ]
  for (const word of words) expect(page).toContain(`\`${word}\``)
})

describe('what the page says of limits', () => {
  const needs = page.slice(page.indexOf('### How many samples'), page.indexOf('## Where'))

  test('how many samples they need', () => {
    const rows = Array.from(
      needs.matchAll(/^\| (`[^|]+) \|[^|]*\| (\d+)/gm),
      (match) => [match[1] ?? '', match[2]] as const,
    )
    expect(rows.length).toBeGreaterThanOrEqual(5)
    for (const [limits, samples] of rows) {
      for (const [, limit = ''] of limits.matchAll(/`([^`]+)`/g)) {
        if (!limit.includes(' ')) continue
        expect([limit, parseLimit(limit).autoMinSamples]).toEqual([limit, Number(samples)])
      }
    }
  })

  test('which ones are refused', () => {
    const directions = page.slice(page.indexOf('### Directions'), page.indexOf('### How many samples'))
    const limits = Array.from(directions.matchAll(/`([^`]+[<>][^`]+)`/g), (match) => match[1] ?? '')
    const refused = new Set(['p5 ttft < 1s', 'error_rate < 0%', 'error_rate <= 100%'])
    expect(limits.length).toBeGreaterThanOrEqual(7)
    for (const limit of limits) {
      if (refused.has(limit)) expect(() => parseLimit(limit)).toThrow()
      else expect(parseLimit(limit).text).not.toBe('')
    }
  })
})
