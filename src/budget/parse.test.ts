import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { parseBudgets } from './index.ts'
import type { BudgetProblem } from './types.ts'

function problemsOf(text: string): readonly BudgetProblem[] {
  return parseBudgets(text, 'slo.yaml').problems
}

/** The text that a problem's caret underlines. */
function underlined(text: string, problem: BudgetProblem): string {
  const line = text.split('\n')[(problem.source?.line ?? 0) - 1] ?? ''
  const start = (problem.source?.column ?? 0) - 1
  return line.slice(start, start + (problem.length ?? 0))
}

function seen(text: string): string[] {
  return problemsOf(text).map((each) => `${each.source?.line} ${each.code} ${underlined(text, each)}`)
}

const HEAD = 'version: 1\nbudgets:\n'

describe('a file without mistakes', () => {
  const text = `version: 1
timezone: Asia/Kolkata
defaults: { severity: warn, per: target, min_samples: 50, on_inconclusive: skip, failures: exceed }
budgets:
  - limit: p99 ttft<10 s
  - id: errors
    limit: error_rate < 1%
    where: { probe: nightly, target: [glm-*, "!glm-4*"] }
    per: cell
    severity: fail
    on_inconclusive: fail
    min_samples: 200
    failures: exclude
    overrides:
      - { where: { target: deepseek-* }, limit: error_rate < 4%, severity: warn, min_samples: 100 }
  - limit: stall_rate < 1%
    stall_over: 1.5s
`
  const { file, problems } = parseBudgets(text, 'config/slo.yaml')

  test('has no problems and keeps all it says', () => {
    expect(problems).toEqual([])
    expect(file).toMatchObject({
      file: 'config/slo.yaml',
      timezone: 'Asia/Kolkata',
      defaults: { severity: 'warn', onInconclusive: 'skip', per: 'target', minSamples: 50, failures: 'exceed' },
    })
    expect(file.budgets).toHaveLength(3)
    expect(file.budgets[1]).toMatchObject({
      id: 'errors',
      limit: { text: 'error_rate < 1%' },
      source: { file: 'config/slo.yaml', line: 7, column: 12 },
      sourceLength: 15,
      where: { probe: ['nightly'], target: ['glm-*', '!glm-4*'] },
      per: 'cell',
      severity: 'fail',
      onInconclusive: 'fail',
      minSamples: 200,
      failures: 'exclude',
      stallOverMs: 5000,
      overrides: [
        {
          where: { target: ['deepseek-*'] },
          limit: { text: 'error_rate < 4%' },
          severity: 'warn',
          minSamples: 100,
          source: { line: 15, column: 49 },
        },
      ],
    })
  })

  test('defaults hold where a budget says nothing', () => {
    expect(file.budgets[0]).toMatchObject({
      id: 'p99 ttft < 10s',
      severity: 'warn',
      onInconclusive: 'skip',
      per: 'target',
      minSamples: 50,
      failures: 'exceed',
    })
    expect(file.budgets[2]?.stallOverMs).toBe(1500)
  })

  test('is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(file))).toEqual(file)
  })

  test('without defaults a budget fails, per cell, and leaves failures out', () => {
    const plain = parseBudgets(`${HEAD}  - limit: p99 ttft < 10s\n`, 'slo.yaml').file
    expect(plain).toMatchObject({ timezone: 'UTC' })
    expect(plain.budgets[0]).toMatchObject({
      severity: 'fail',
      onInconclusive: 'fail',
      per: 'cell',
      minSamples: null,
      failures: 'exclude',
      where: {},
      overrides: [],
    })
  })

  test('may use anchors, merges, comments, a byte order mark and Windows line ends', () => {
    const anchored = `\uFEFFversion: 1 # comment\nbudgets:\n  - &slow\n    limit: p99 ttft < 10s\n    where: &glm { target: glm-* }\n  - { limit: error_rate < 1%, where: *glm }\n  - <<: *slow\n    limit: p95 ttft < 5s\n`
    const parsed = parseBudgets(anchored.replaceAll('\n', '\r\n'), 'slo.yaml')
    expect(parsed.problems).toEqual([])
    expect(parsed.file.budgets.map((budget) => budget.where)).toEqual([
      { target: ['glm-*'] },
      { target: ['glm-*'] },
      { target: ['glm-*'] },
    ])
    expect(parsed.file.budgets[0]?.source).toMatchObject({ line: 4, column: 12 })
  })
})

describe('ids', () => {
  const ids = (budgets: string) => parseBudgets(HEAD + budgets, 'slo.yaml').file.budgets.map((budget) => budget.id)

  test('come from the limit, then where, then a counter', () => {
    expect(
      ids(`  - limit: p99 ttft<10s
  - { limit: p99 ttft < 10s, where: { target: [glm-*, kimi-*], prompt: long } }
  - { limit: p99 ttft < 10000ms, where: { target: [glm-*, kimi-*], prompt: long } }
  - limit: p99 ttft < 10s
`),
    ).toEqual([
      'p99 ttft < 10s',
      'p99 ttft < 10s (target: glm-*|kimi-*, prompt: long)',
      'p99 ttft < 10s (target: glm-*|kimi-*, prompt: long) #2',
      'p99 ttft < 10s #2',
    ])
  })

  test('never take the name of a budget further down', () => {
    expect(ids('  - limit: p99 ttft < 10s\n  - { limit: error_rate < 1%, id: p99 ttft < 10s }\n')).toEqual([
      'p99 ttft < 10s #2',
      'p99 ttft < 10s',
    ])
  })

  test('are one line, because tests and reports are called so', () => {
    expect(seen(`${HEAD}  - { limit: p99 ttft < 10s, id: "a\\nb" }\n  - { limit: p9 cost < 1, id: "" }\n`)).toEqual([
      '3 wrong-value "a\\nb"',
      '4 wrong-value ""',
    ])
  })

  test('given twice are a mistake', () => {
    const text = `${HEAD}  - { limit: p99 ttft < 10s, id: a }\n  - { limit: error_rate < 1%, id: a }\n`
    expect(seen(text)).toEqual(['4 duplicate-id a'])
    expect(problemsOf(text)[0]?.hint).toContain('line 3')
  })
})

test('all mistakes come at once, in the order of the file, each with its place', () => {
  const text = `version: 2
timezone: Asia/Kolkatta
stop_early: true
severity: fail
defaults: { severty: fail, per: targt, confidence: 95% }
budgets:
  - limit: p99 tttf < 10s
    per: target
    min_samples: "100"
    overrides:
      - { where: { target: deepseek-*, prompt: x }, limit: p99 ttft < 30, per: cell, mood: bad }
      - where: { target: a }
      - limit: error_rate < 1%
  - limit: p5 decode_tps > 5
    id: a
    id: b
    window: 7d
    stall_over: 5
  - where: { target: [a, 4.6], promt: x, probe: [] }
  - limit: p99 ttft > 10s
    severity: [warn]
    min_samples: 0
    where: { target: !glm-*, prompt: *-flash }
  - just text
  - { limit: 5, id: 6 }
  - { limit: p50 ttft <= baseline + 10%, baseline: current, floor: 50ms, fail_after: 2 }
  - { limit: p50 ttft < 1s, stall_over: 5s, acknowledge: x, confidence: 95% }
`
  expect(seen(text)).toEqual([
    '1 wrong-version 2',
    '2 unknown-timezone Asia/Kolkatta',
    '4 unknown-key severity',
    '5 unknown-key severty',
    '5 wrong-value targt',
    '7 unknown-metric tttf',
    '9 wrong-type "100"',
    '11 override-where prompt',
    '11 missing-unit 30',
    '11 override-replaces per',
    '11 unknown-key mood',
    '12 override-replaces where',
    '13 missing-key limit',
    '16 duplicate-key id',
    '18 no-effect stall_over',
    '18 wrong-type 5',
    '19 missing-key where',
    '19 wrong-type 4.6',
    '19 unknown-key promt',
    '19 wrong-value []',
    '20 hardly-fails p99 ttft > 10s',
    '21 wrong-value [warn]',
    '22 wrong-value 0',
    '23 yaml !glm-*',
    '23 yaml *-flash',
    '24 wrong-type just text',
    '25 wrong-type 5',
    '25 wrong-type 6',
    '27 no-effect stall_over',
    '27 wrong-value x',
  ])
})

test.each([
  ['defaults: { severty: fail }', 'severity'],
  ['defaults: { per: targt }', 'target'],
  ['timezone: Kolkata', 'Asia/Kolkata'],
  ['timezone: Europe/Berln', 'Europe/Berlin'],
  ['timezon: UTC', 'timezone'],
  ['defaults: { on-inconclusive: fail }', 'on_inconclusive'],
])('%s: the nearest right word is %s', (line, word) => {
  const hints = problemsOf(`version: 1\n${line}\nbudgets:\n  - limit: p99 ttft < 1s\n`).map((each) => each.hint)
  expect(hints).toHaveLength(1)
  expect(hints[0]).toContain(`did you mean \`${word}\`?`)
})

test.each([
  ['', '1 empty-file '],
  ['# only a comment\n', '1 empty-file #'],
  ['budgets:\n  - limit: p99 ttft < 1s\n', '1 missing-key budgets'],
  ['version: 1\n', '1 missing-key version'],
  ['version: 1\nbudgets:\n', '2 no-budgets budgets'],
  ['version: 1\nbudgets: []\n', '2 no-budgets []'],
  ['version: "1"\nbudgets: [limit: p99 ttft < 1s]\n', '1 wrong-version "1"'],
  ['version: 1\ndefaults:\nbudgets: [limit: p99 ttft < 1s]\n', '2 wrong-type defaults'],
  ['- a\n- b\n', '1 wrong-type - a'],
  ['version: 1\nbudgets: { limit: p99 ttft < 1s }\n', '2 wrong-type { limit: p99 ttft < 1s }'],
])('%j', (text, problem) => {
  expect(seen(text)).toEqual([problem])
})

describe('broken YAML', () => {
  test('is one mistake, not ten', () => {
    const text = `version: 1\nbudgets:\n  - limit: p99 tttf < 10s\n  - limit: [\n  - limt: p99 ttft < 1s\n`
    // What stands behind the break may be misread, so `limt` is not worth a line.
    expect(problemsOf(text).map((problem) => `${problem.source?.line} ${problem.code}`)).toEqual([
      '3 unknown-metric',
      '4 wrong-type',
      '5 yaml',
    ])
  })

  test('tabs are named', () => {
    expect(problemsOf('version: 1\nbudgets:\n\t- limit: p99 ttft < 1s\n')).toMatchObject([
      { code: 'yaml', hint: 'indent with spaces', source: { line: 3, column: 1 } },
    ])
  })

  test('two documents are one too many', () => {
    const problems = problemsOf(`${HEAD}  - limit: p99 ttft < 1s\n---\nversion: 1\n`)
    expect(problems.map((problem) => problem.code)).toEqual(['yaml'])
  })

  test('aliases cannot fill the memory', () => {
    const levels = Array.from({ length: 12 }, (_, index) =>
      index === 0
        ? 'a0: &a0 [x, x, x, x, x, x, x, x, x]'
        : `a${index}: &a${index} [${Array(9)
            .fill(`*a${index - 1}`)
            .join(', ')}]`,
    )
    expect(problemsOf(levels.join('\n')).some((problem) => problem.code === 'yaml')).toBe(true)
  })

  test('any text gives problems, never an exception', () => {
    const pieces = fc.constantFrom(
      'version: 1\n',
      'budgets:\n',
      '  - limit: ',
      'p99 ttft < 1s\n',
      '    where: ',
      '{ target: ',
      '*',
      '!',
      '"',
      "'",
      '}\n',
      '\t',
      '&a ',
      '*a ',
      '- ',
      ': ',
      '|\n',
      '>-\n',
      '\n',
      '#',
      '<<: ',
      'é🚀',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 25 }).map((parts) => parts.join('')),
        ),
        (text) => {
          const { file, problems } = parseBudgets(text, 'slo.yaml')
          const lines = text.split('\n').length
          for (const problem of problems) {
            expect(problem.source?.line).toBeGreaterThanOrEqual(1)
            expect(problem.source?.line).toBeLessThanOrEqual(lines)
            expect(problem.source?.column).toBeGreaterThanOrEqual(1)
            expect(problem.length).toBeGreaterThanOrEqual(1)
          }
          // Nothing passes without a word: a file either has a budget or an error.
          expect(file.budgets.length > 0 || problems.some((problem) => problem.level === 'error')).toBe(true)
        },
      ),
      { numRuns: 3000, seed: 1 },
    )
  })
})

describe('the caret stands inside the limit', () => {
  test.each([
    ['plain', 'limit: p99 tttf < 10s'],
    ['in single quotes', "limit: 'p99 tttf < 10s'"],
    ['in double quotes', 'limit: "p99 tttf < 10s"'],
    ['behind an escape', 'limit: "\\x7099\\u0020tttf < 10s"'],
    ['in a flow map', '{ id: a, limit: p99 tttf < 10s }'],
    ['folded', 'limit: >-\n      p99\n      tttf < 10s'],
    ['folded with a blank line', 'limit: >\n\n      p99\n      tttf < 10s\n'],
    ['literal', 'limit: |\n      p99 tttf\n      < 10s\n'],
    ['over two plain lines', 'limit: p99\n      tttf < 10s'],
    ['over two quoted lines', 'limit: "p99\n      tttf < 10s"'],
    ['over an escaped line end', 'limit: "p99 \\\n      tttf < 10s"'],
    ['with an anchor', 'limit: &x p99 tttf < 10s'],
    ['with a tag', 'limit: !!str p99 tttf < 10s'],
    ['behind wide characters', 'id: ünï🚀\n    limit: p99 tttf < 10s'],
  ])('%s', (_name, limit) => {
    expect(seen(`${HEAD}  - ${limit}\n`).map((line) => line.replace(/^\d+ /, ''))).toEqual(['unknown-metric tttf'])
  })

  test('whatever way it is written', () => {
    const words = fc.array(fc.constantFrom('p99', "it's", 'say "x"', 'ttft', 'back\\slash', 'ü', ':', '#a', '%', '<'), {
      minLength: 1,
      maxLength: 12,
    })
    const types = fc.constantFrom('PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE', 'BLOCK_FOLDED', 'BLOCK_LITERAL')
    fc.assert(
      fc.property(words, types, fc.constantFrom(20, 80), (before, type, lineWidth) => {
        // The reader stops at the second word, whatever it is.
        const limit = `p99 zzz ${before.join(' ')}`
        const text = stringify(
          { version: 1, budgets: [{ limit }] },
          { defaultStringType: type, defaultKeyType: 'PLAIN', lineWidth },
        )
        expect(seen(text).map((line) => line.replace(/^\d+ /, ''))).toEqual(['unknown-metric zzz'])
      }),
      { numRuns: 500, seed: 1 },
    )
  })
})

describe('confidence', () => {
  const of = (text: string) => parseBudgets(`${HEAD}${text}`, 'slo.yaml').file.budgets

  test('is kept as a ratio, the budget before the defaults', () => {
    expect(of('  - { limit: p99 ttft < 10s, confidence: 95% }')[0]?.confidence).toBe(0.95)
    expect(of('  - { limit: p99 ttft < 10s, confidence: 99.9 % }')[0]?.confidence).toBe(0.999)
    expect(of('  - { limit: p99 ttft < 10s }')[0]?.confidence).toBeNull()
    const text = `version: 1\ndefaults: { confidence: 90% }\nbudgets:\n  - limit: p99 ttft < 10s\n  - { limit: error_rate < 1%, confidence: 99% }\n`
    expect(parseBudgets(text, 'slo.yaml').file.budgets.map((each) => each.confidence)).toEqual([0.9, 0.99])
  })

  test.each(['95', '40%', '100%', '0.95', '99.99999%', '[95%]'])('%s is none', (value) => {
    expect(seen(`${HEAD}  - { limit: p99 ttft < 10s, confidence: ${value} }`)[0]).toMatch(/^3 wrong-(value|type) /)
  })

  test('is refused where nothing can be proven', () => {
    expect(seen(`${HEAD}  - { limit: mean ttft < 10s, confidence: 95% }`)).toEqual(['3 cannot-be-proven confidence'])
    expect(seen(`${HEAD}  - { limit: error_rate <= 0%, confidence: 95%, min_samples: 100 }`)).toEqual([
      '3 cannot-be-proven confidence',
    ])
    const inherited = 'version: 1\ndefaults: { confidence: 95% }\nbudgets: [{ limit: mean ttft < 10s }]\n'
    expect(problemsOf(inherited)).toEqual([])
  })
})

describe('window', () => {
  const of = (value: string) => parseBudgets(`${HEAD}  - { limit: p99 ttft < 10s, window: ${value} }`, 'slo.yaml')

  test('is a time, or a map with labels', () => {
    expect(of('7d').file.budgets[0]?.window).toEqual({ forMs: 604_800_000, same: [] })
    expect(of('{ for: 36h, same: [build, region] }').file.budgets[0]?.window).toEqual({
      forMs: 129_600_000,
      same: ['build', 'region'],
    })
  })

  test.each(['7', '0d', 'week', '{ same: [build] }', '{ for: 7d, since: x }', '[7d]'])('%s is none', (value) => {
    expect(of(value).problems).toMatchObject([
      { code: 'wrong-value', hint: 'write `window: 7d` or `window: { for: 7d, same: [build] }`' },
    ])
  })
})

describe('baseline', () => {
  const of = (text: string) => parseBudgets(`${HEAD}  - { ${text} }`, 'slo.yaml')
  const LIMIT = 'limit: p50 ttft <= baseline + 10%'

  test('is a target, a file or the history', () => {
    const baseline = (value: string) => of(`${LIMIT}, baseline: ${value}`).file.budgets[0]?.baseline
    expect(baseline('current')).toEqual({ kind: 'target', target: 'current' })
    expect(baseline('{ target: current }')).toEqual({ kind: 'target', target: 'current' })
    expect(baseline('{ file: a/last.csv }')).toEqual({ kind: 'file', file: 'a/last.csv' })
    expect(baseline('{ history: 30d }')).toEqual({ kind: 'history', forMs: 30 * 86_400_000 })
  })

  test('only warns by default where nothing can be said', () => {
    expect(of(`${LIMIT}, baseline: current`).file.budgets[0]?.onInconclusive).toBe('warn')
    expect(of(`${LIMIT}, baseline: current, on_inconclusive: fail`).file.budgets[0]?.onInconclusive).toBe('fail')
  })

  test('has a floor in the unit of the metric', () => {
    expect(of(`${LIMIT}, baseline: current, floor: 0.05s`).file.budgets[0]?.floor).toBe(50)
    expect(of('limit: p5 decode_tps >= baseline, baseline: current, floor: 2 tok/s').file.budgets[0]?.floor).toBe(2)
  })

  test.each([
    [LIMIT, '3 baseline-needed limit'],
    ['limit: p50 ttft < 1s, baseline: current', '3 no-effect baseline'],
    ['limit: p50 ttft < 1s, floor: 50ms', '3 no-effect floor'],
    [`${LIMIT}, baseline: current, floor: "50"`, '3 missing-unit 50'],
    [`${LIMIT}, baseline: current, floor: 5%`, '3 unknown-unit %'],
    [`${LIMIT}, baseline: current, per: probe`, '3 baseline-per limit'],
    [`${LIMIT}, baseline: current, window: 7d`, '3 no-effect window'],
    [`${LIMIT}, baseline: 5`, '3 wrong-value 5'],
    [`${LIMIT}, baseline: { history: long }`, '3 wrong-value { history: long }'],
  ])('%s: %s', (text, problem) => {
    expect(of(text).problems.map((each) => seen(`${HEAD}  - { ${text} }`)[0] ?? each.code)).toEqual([problem])
  })
})

test('stop_early is yes or no', () => {
  const of = (value: string) =>
    parseBudgets(`version: 1\nstop_early: ${value}\nbudgets:\n  - limit: p99 ttft < 10s\n`, 'slo.yaml')
  expect(of('true').file.stopEarly).toBe(true)
  expect(of('false').file.stopEarly).toBeUndefined()
  expect(of('soon').problems).toMatchObject([
    { code: 'wrong-type', message: '`stop_early` must be `true` or `false`, and is the text soon' },
  ])
})

describe('leniency', () => {
  const of = (text: string) => parseBudgets(`${HEAD}  - { limit: p99 ttft < 10s, ${text} }`, 'slo.yaml')

  test('is kept', () => {
    expect(of('fail_after: 2').file.budgets[0]?.failAfter).toBe(2)
    const one = of('acknowledge: { until: 2026-12-31, reason: "known", up_to: 40s, where: { target: glm-* } }')
    expect(one.problems).toEqual([])
    expect(one.file.budgets[0]?.acknowledge).toMatchObject([
      { until: '2026-12-31', reason: 'known', upTo: 40_000, where: { target: ['glm-*'] }, source: { line: 3 } },
    ])
    const two = of('acknowledge: [{ until: 2026-12-31, reason: a }, { until: 2027-01-31, reason: b }]')
    expect(two.file.budgets[0]?.acknowledge).toMatchObject([{ upTo: null }, { reason: 'b', where: {} }])
  })

  test.each([
    ['fail_after: 0', '3 wrong-value 0'],
    ['fail_after: yes', '3 wrong-type yes'],
    ['acknowledge: { until: 2026-02-30, reason: a }', '3 wrong-value { until: 2026-02-30, reason: a }'],
    ['acknowledge: { until: soon, reason: a }', '3 wrong-value { until: soon, reason: a }'],
    ['acknowledge: { until: 2026-12-31 }', '3 wrong-value { until: 2026-12-31 }'],
    ['acknowledge: []', '3 wrong-value []'],
    ['acknowledge: { until: 2026-12-31, reason: a, up_to: "40" }', '3 missing-unit 40'],
    ['acknowledge: { until: 2026-12-31, reason: a, up_to: 4% }', '3 unknown-unit %'],
  ])('%s: %s', (text, problem) => {
    expect(seen(`${HEAD}  - { limit: p99 ttft < 10s, ${text} }`)).toEqual([problem])
  })
})

test.each([
  ['0.95', 'wrong-type', 'did you mean `95%`?'],
  ['"0.95"', 'wrong-value', 'did you mean `95%`?'],
  ['0.999', 'wrong-type', 'did you mean `99.9%`?'],
  ['95', 'wrong-type', 'did you mean `95%`?'],
  ['0.05', 'wrong-type', 'write `confidence: 95%`'],
  ['100%', 'wrong-value', 'write `confidence: 95%`'],
  ['high', 'wrong-value', 'write `confidence: 95%`'],
  ['', 'wrong-type', 'write `confidence: 95%`'],
])('confidence: %s is told in one step what to write', (written, code, hint) => {
  const inBudget = problemsOf(`${HEAD}  - { limit: p95 ttft < 5s, confidence: ${written} }\n`)
  const inDefaults = problemsOf(
    `version: 1\ndefaults: { confidence: ${written} }\nbudgets:\n  - limit: p95 ttft < 5s\n`,
  )
  expect(inBudget).toMatchObject([{ code, hint }])
  expect(inDefaults).toMatchObject([{ code, hint }])
  expect(inBudget[0]?.message).toContain('`confidence` must be a percentage')
})

test.each([
  [
    'a map',
    'version: 1\nbudgets:\n  limit: p99 ttft < 10s\n',
    '`budgets` must be a list (`- item` lines), and is a map',
  ],
  [
    'a text',
    'version: 1\nbudgets: p99 ttft < 10s\n',
    '`budgets` must be a list (`- item` lines), and is the text p99 ttft < 10s',
  ],
])('budgets without a dash, as %s, show how a list is written, and the example is right', (_name, text, message) => {
  const [problem, ...others] = problemsOf(text)
  expect(others).toEqual([])
  expect(problem).toMatchObject({ code: 'wrong-type', message })
  const [lead, ...example] = (problem?.hint ?? '').split('\n')
  expect(lead).toBe('each budget starts with a dash:')
  expect(example).toHaveLength(2)
  expect(problemsOf(`${HEAD}${example.join('\n')}\n`)).toEqual([])
})

test('overrides without a dash show how a list is written, and the example is right', () => {
  const budget = '  - limit: p99 ttft < 10s\n    overrides:\n'
  const [problem, ...others] = problemsOf(`${HEAD}${budget}      where: { target: a }\n      limit: p99 ttft < 30s\n`)
  expect(others).toEqual([])
  const [lead, ...example] = (problem?.hint ?? '').split('\n')
  expect(lead).toBe('each override starts with a dash:')
  expect(problemsOf(`${HEAD}${budget}${example.map((line) => `    ${line}\n`).join('')}`)).toEqual([])
})

test.each([
  ['gemma*', 'gemma*'],
  ['"*-flash"', '"*-flash"'],
  ['"!gemma*"', '"!gemma*"'],
  ['"{gemma,glm}-*"', '"{gemma,glm}-*"'],
  ['"4711"', '"4711"'],
  ['[gemma*, "!gemma-2"]', '[gemma*, "!gemma-2"]'],
])('where: %s is told to name the target, in YAML that can be copied', (written, globs) => {
  const [problem, ...others] = problemsOf(`${HEAD}  - limit: p95 ttft < 5s\n    where: ${written}\n`)
  expect(others).toEqual([])
  const meant = `where: { target: ${globs} }`
  expect(problem?.hint).toBe(`did you mean \`${meant}\`? where takes probe, target, prompt`)
  expect(problemsOf(`${HEAD}  - limit: p95 ttft < 5s\n    ${meant}\n`)).toEqual([])
})
