import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatProblem, formatProblems, parseBudgets } from './index.ts'

function formatted(text: string): string {
  return formatProblems(parseBudgets(text, 'slo.yaml').problems, text)
}

test('place, message, line, caret, hint; and how many', () => {
  expect(
    formatted(`version: 1
defaults: { severty: fail }
budgets:
  - limit: p99 tttf < 10s
  - { limit: error_rate < 1%, stall_over: 5s }
`),
  ).toBe(`slo.yaml:2:13 error \`severty\` is no key of defaults
  2 | defaults: { severty: fail }
    |             ^^^^^^^
  did you mean \`severity\`? defaults takes severity, on_inconclusive, per,
  min_samples, failures, confidence

slo.yaml:4:16 error \`tttf\` is no metric
  4 |   - limit: p99 tttf < 10s
    |                ^^^^
  did you mean \`ttft\`?

slo.yaml:5:31 note \`stall_over\` has no effect on error_rate
  5 |   - { limit: error_rate < 1%, stall_over: 5s }
    |                               ^^^^^^^^^^
  it belongs to stall_rate

2 errors, 1 note`)
})

test('problems of several checks come in the order of the file, those without a place last', () => {
  const at = (line: number) => ({ file: 'slo.yaml', line, column: 1 })
  const of = (message: string, source: ReturnType<typeof at> | null) =>
    ({ level: 'note', code: 'x', message, source }) as const
  const shown = formatProblems([of('c', null), of('b', at(2)), of('a', at(1))], '')
  expect(shown).toBe('slo.yaml:1:1 note a\n\nslo.yaml:2:1 note b\n\nnote c\n\n3 notes')
})

test('nothing is said of nothing', () => {
  expect(formatProblems([], 'version: 1')).toBe('')
})

test('a problem without a place has no excerpt', () => {
  const problem = {
    level: 'note',
    code: 'no-budget',
    message: 'no budget judges a',
    hint: 'only recorded',
    source: null,
  } as const
  expect(formatProblem(problem, 'version: 1')).toBe('note no budget judges a\n  only recorded')
})

test('a long line is cut around the caret', () => {
  const text = `version: 1\nbudgets: [{ id: ${'x'.repeat(90)}, limit: p99 tttf < 10s, where: { target: ${'y'.repeat(60)} } }]\n`
  expect(formatted(text)).toBe(`slo.yaml:2:120 error \`tttf\` is no metric
  2 | …xxxxxxxxxxx, limit: p99 tttf < 10s, where: { target: yyyyyyyyyyyyyyyyyyy…
    |                          ^^^^
  did you mean \`ttft\`?

1 error`)
})

test('tabs and Windows line ends do not move the caret', () => {
  const text = 'version: 1\r\nbudgets:\r\n  - limit:\tp99 tttf < 10s\r\n'
  const [, excerpt = '', caret = ''] = formatted(text).split('\n')
  expect(excerpt.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).toBe('tttf')
})

test('excerpt and caret stay within 80 columns and the caret on its word', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 300 }), (before, behind) => {
      const text = `version: 1\nbudgets: [{ id: "${'x'.repeat(before + 1)}", limit: p99 tttf < 10s, where: { target: ${'y'.repeat(behind + 1)} } }]\n`
      const [, excerpt = '', caret = ''] = formatted(text).split('\n')
      expect(excerpt.length).toBeLessThanOrEqual(80)
      expect(excerpt.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).toBe('tttf')
    }),
    { seed: 1 },
  )
})

test('an example in a hint keeps its lines and their indentation', () => {
  const text = 'version: 1\nbudgets:\n  limit: p99 ttft < 10s\n'
  const [problem] = parseBudgets(text, 'slo.yaml').problems
  if (problem === undefined) throw new Error('a map was taken for a list')
  expect(formatProblem(problem, text)).toBe(
    `slo.yaml:3:3 error \`budgets\` must be a list (\`- item\` lines), and is a map
  3 |   limit: p99 ttft < 10s
    |   ^^^^^^^^^^^^^^^^^^^^^
  each budget starts with a dash:
    - limit: p99 ttft < 10s
      per: target`,
  )
})
