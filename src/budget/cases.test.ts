import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { budgetCases, cellMatches, emptyBudgetFile, parseBudgets } from './index.ts'
import type { BudgetCase, CellKey } from './types.ts'

const cells: readonly CellKey[] = ['nightly', 'second'].flatMap((probe) =>
  ['glm-5.3', 'deepseek-3.2'].flatMap((target) => ['short', 'long'].map((prompt) => ({ probe, target, prompt }))),
)

function casesOf(budgets: string, of: readonly CellKey[] = cells): BudgetCase[] {
  const { file, problems } = parseBudgets(`version: 1\nbudgets:\n${budgets}`, 'slo.yaml')
  expect(problems).toEqual([])
  return budgetCases(file, of)
}

function names(cases: readonly BudgetCase[]): string[] {
  return cases.map((each) => `${each.budget} | ${each.probe} > ${each.target} > ${each.prompt} | ${each.cells.length}`)
}

test('a budget is judged on every cell that it matches', () => {
  expect(names(casesOf('  - { limit: p99 ttft < 10s, where: { target: glm-*, probe: nightly } }'))).toEqual([
    'p99 ttft < 10s | nightly > glm-5.3 > short | 1',
    'p99 ttft < 10s | nightly > glm-5.3 > long | 1',
  ])
})

test('pools stay inside one probe, and are called all', () => {
  const per = (word: string) => names(casesOf(`  - { id: x, limit: error_rate < 1%, per: ${word} }`))
  expect(per('target')).toEqual([
    'x | nightly > glm-5.3 > all | 2',
    'x | nightly > deepseek-3.2 > all | 2',
    'x | second > glm-5.3 > all | 2',
    'x | second > deepseek-3.2 > all | 2',
  ])
  expect(per('prompt')).toEqual([
    'x | nightly > all > short | 2',
    'x | nightly > all > long | 2',
    'x | second > all > short | 2',
    'x | second > all > long | 2',
  ])
  expect(per('probe')).toEqual(['x | nightly > all > all | 4', 'x | second > all > all | 4'])
})

test('where picks cells before per pools them', () => {
  const cases = casesOf("  - { id: x, limit: error_rate < 1%, per: probe, where: { prompt: '!long' } }")
  expect(cases[0]?.cells).toEqual([
    { probe: 'nightly', target: 'glm-5.3', prompt: 'short' },
    { probe: 'nightly', target: 'deepseek-3.2', prompt: 'short' },
  ])
})

test('a pool of one cell is a pool', () => {
  expect(names(casesOf('  - { id: x, limit: error_rate < 1%, per: target }', cells.slice(0, 1)))).toEqual([
    'x | nightly > glm-5.3 > all | 1',
  ])
})

test('every budget that matches applies, in the order of the file', () => {
  const cases = casesOf(
    '  - { id: b, limit: p99 ttft < 10s }\n  - { id: a, limit: error_rate < 1% }',
    cells.slice(0, 2),
  )
  expect(cases.map((each) => `${each.budget} ${each.prompt}`)).toEqual(['b short', 'b long', 'a short', 'a long'])
})

test('the last override that matches wins, whole', () => {
  const cases = casesOf(
    [
      '  - limit: p99 ttft < 10s',
      '    per: target',
      '    where: { probe: nightly }',
      '    overrides:',
      '      - { where: { target: "*" }, limit: p99 ttft < 20s, severity: warn }',
      '      - where: { target: deepseek-* }',
      '        limit: p99.9 ttft < 30s',
    ].join('\n'),
  )
  expect(cases).toMatchObject([
    {
      limit: { text: 'p99 ttft < 20s' },
      severity: 'warn',
      onInconclusive: 'warn',
      minSamples: 100,
      source: { line: 7, column: 42 },
    },
    {
      limit: { text: 'p99.9 ttft < 30s' },
      severity: 'fail',
      onInconclusive: 'fail',
      minSamples: 1000,
      source: { line: 9, column: 16 },
    },
  ])
})

test('an override without a limit keeps the limit and its place', () => {
  const cases = casesOf(
    '  - limit: p99 ttft < 10s\n    overrides: [{ where: { target: glm-* }, min_samples: 20 }]',
    cells.slice(0, 3),
  )
  expect(cases).toMatchObject([{ minSamples: 20 }, { minSamples: 20 }, { minSamples: 100 }])
  for (const each of cases) expect(each.source).toEqual({ file: 'slo.yaml', line: 3, column: 12 })
})

test('explicit min_samples wins over what the limit needs', () => {
  expect(casesOf('  - { limit: p99 ttft < 10s, min_samples: 5 }')[0]?.minSamples).toBe(5)
  expect(casesOf('  - { limit: p100 ttft < 10s, min_samples: 5 }')[0]?.minSamples).toBe(5)
})

test('min_samples of an override win over those of its budget', () => {
  const cases = casesOf(
    '  - limit: p99 ttft < 10s\n    min_samples: 30\n    overrides: [{ where: { target: glm-* }, min_samples: 20 }]',
    cells.slice(1, 3),
  )
  expect(cases.map((each) => each.minSamples)).toEqual([20, 30])
})

test('a warning does not fail for want of data', () => {
  const of = (keys: string) => casesOf(`  - { limit: p99 ttft < 10s, ${keys} }`)[0]?.onInconclusive
  expect(of('severity: warn')).toBe('warn')
  expect(of('severity: warn, on_inconclusive: fail')).toBe('warn')
  expect(of('severity: warn, on_inconclusive: skip')).toBe('skip')
  expect(of('severity: fail, on_inconclusive: skip')).toBe('skip')
  expect(of('severity: fail')).toBe('fail')
})

test("an override to fail brings the file's on_inconclusive back", () => {
  const cases = casesOf(
    '  - limit: p99 ttft < 10s\n    severity: warn\n    overrides: [{ where: { target: glm-* }, severity: fail }]',
    cells.slice(1, 3),
  )
  expect(cases.map((each) => each.onInconclusive)).toEqual(['fail', 'warn'])
})

test('without a file there is nothing to judge', () => {
  expect(budgetCases(emptyBudgetFile('slo.yaml'), cells)).toEqual([])
})

test('whatever the pools: each cell that a budget matches is judged by it once, and no other is', () => {
  const name = fc.constantFrom('a', 'ab', 'b')
  const cell = fc.record({ probe: name, target: name, prompt: name })
  const globs = fc.option(fc.constantFrom(['a'], ['a*'], ['!b'], ['*', '!a'], ['{a,b}']), { nil: undefined })
  const where = fc.record({ probe: globs, target: globs, prompt: globs })
  fc.assert(
    fc.property(
      fc.uniqueArray(cell, { selector: (each) => JSON.stringify(each) }),
      where,
      fc.constantFrom('cell', 'target', 'prompt', 'probe'),
      (all, picked, per) => {
        const given = Object.fromEntries(Object.entries(picked).filter(([, value]) => value !== undefined))
        const text = JSON.stringify({ version: 1, budgets: [{ limit: 'p50 ttft < 1s', per, where: given }] })
        const { file, problems } = parseBudgets(text, 'slo.yaml')
        expect(problems).toEqual([])
        const cases = budgetCases(file, all)
        const judged = cases.flatMap((each) => each.cells)
        const matching = all.filter((each) => cellMatches(given, each))
        expect(new Set(judged.map((each) => JSON.stringify(each)))).toEqual(
          new Set(matching.map((each) => JSON.stringify(each))),
        )
        expect(judged).toHaveLength(matching.length)
        for (const { probe, cells: pool } of cases) expect(pool.every((each) => each.probe === probe)).toBe(true)
        const names = cases.map((each) => JSON.stringify([each.probe, each.target, each.prompt]))
        expect(new Set(names).size).toBe(names.length)
      },
    ),
    { seed: 1, numRuns: 300 },
  )
})

test('an acknowledgement reaches the cells that its where picks', () => {
  const cases = casesOf(
    '  - { limit: p99 ttft < 10s, acknowledge: { until: 2026-12-31, reason: a, where: { target: glm-*, prompt: long } } }',
  )
  const known = cases.filter((each) => each.acknowledge !== undefined)
  expect(names(known)).toEqual([
    'p99 ttft < 10s | nightly > glm-5.3 > long | 1',
    'p99 ttft < 10s | second > glm-5.3 > long | 1',
  ])
})

test('a baseline is not compared with itself, and its cells stand beside the candidate’s', () => {
  const cases = casesOf(
    '  - { limit: p50 ttft <= baseline + 10%, baseline: glm-5.3, per: target, where: { probe: second } }',
  )
  expect(names(cases)).toEqual(['p50 ttft <= baseline + 10% | second > deepseek-3.2 > all | 2'])
  expect(cases[0]?.baselineCells).toEqual([
    { probe: 'second', target: 'glm-5.3', prompt: 'short' },
    { probe: 'second', target: 'glm-5.3', prompt: 'long' },
  ])
})
