import { describe, expect, test } from 'vitest'
import { checkBudgets, emptyBudgetFile, formatProblem, parseBudgets } from './index.ts'
import type { BudgetProblem, CellFacts, CheckContext } from './types.ts'

const TIMEOUTS = { connect: 10_000, firstToken: 240_000, stall: 60_000, total: 300_000 }

/** The cells of a nightly check: two targets, three prompts, forty rounds. */
function nightly(change: Partial<CellFacts> = {}): CellFacts[] {
  return ['glm-5.3', 'deepseek-3.2'].flatMap((target) =>
    ['short', 'medium', 'long'].map((prompt) => ({
      probe: 'serverless',
      target,
      prompt,
      planned: 40,
      plannedByItself: 40,
      timeouts: TIMEOUTS,
      currency: 'USD',
      ...change,
    })),
  )
}

const ERRORS = '  - { limit: error_rate < 1%, per: target }\n'

function check(budgets: string, context: Partial<CheckContext> = {}): BudgetProblem[] {
  const { file, problems } = parseBudgets(`version: 1\nbudgets:\n${budgets}`, 'slo.yaml')
  expect(problems).toEqual([])
  return checkBudgets(file, { cells: nightly(), narrowed: false, ...context })
}

test('a sound file has no problems', () => {
  const budgets = `  - limit: p99 ttft < 10s
    per: target
    overrides:
      - { where: { target: deepseek-* }, limit: p99 ttft < 30s }
  - { limit: p95 first_answer < 40s, where: { target: "!deepseek-*", prompt: [short, "l*"] } }
  - { limit: answered_rate > 90% }
`
  expect(check(budgets + ERRORS)).toEqual([])
})

describe('globs', () => {
  test('that match nothing are shown with the nearest name', () => {
    const text = `  - { limit: p95 ttft < 10s, where: { target: [glm-*, deepsek-*], prompt: shrt, probe: "!nope" } }\n${ERRORS}`
    const problems = check(text).filter((problem) => problem.level === 'error')
    expect(problems).toMatchObject([
      {
        code: 'glob-matches-nothing',
        message: 'no target matches `deepsek-*`',
        source: { line: 3, column: 55 },
        length: 9,
      },
      { code: 'glob-matches-nothing', message: 'no prompt matches `shrt`', source: { line: 3, column: 75 }, length: 4 },
      { code: 'glob-matches-nothing', message: 'no probe matches `!nope`' },
    ])
    expect(problems[0]?.hint).toBe('did you mean `deepseek-3.2`? targets are glm-5.3 and deepseek-3.2')
    expect(problems[1]?.hint).toContain('did you mean `short`?')
  })

  test('are one note where the run is narrowed', () => {
    const text = `  - { limit: p95 ttft < 10s, where: { target: kimi-*, prompt: x } }\n  - { limit: p95 ttft < 9s, where: { target: k2 } }\n${ERRORS}`
    const problems = check(text, { narrowed: true }).filter((problem) => problem.code === 'glob-matches-nothing')
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ level: 'note' })
    expect(problems[0]?.message).toContain('lines 3 and 4')
  })

  test('that match names but no cell together are a mistake', () => {
    const cells = nightly().filter((cell) => cell.target !== 'glm-5.3' || cell.prompt !== 'long')
    const text = `  - { limit: p95 ttft < 10s, where: { target: glm-*, prompt: long } }\n${ERRORS}`
    const found = check(text, { cells }).filter((problem) => problem.code !== 'too-few-samples')
    expect(found).toMatchObject([{ level: 'error', code: 'where-matches-nothing', source: { line: 3, column: 47 } }])
  })

  test('of an override must match a cell of its budget', () => {
    const text = `  - limit: p95 ttft < 10s\n    where: { target: glm-* }\n    overrides: [{ where: { target: deepseek-* }, limit: p95 ttft < 30s }]\n${ERRORS}`
    expect(check(text)[0]).toMatchObject({
      level: 'error',
      code: 'where-matches-nothing',
      source: { line: 5, column: 36 },
    })
    const unknown = text.replace('target: deepseek-*', 'target: deepsek-*')
    expect(check(unknown)[0]).toMatchObject({
      level: 'error',
      code: 'glob-matches-nothing',
      source: { line: 5, column: 36 },
    })
  })

  test('of an override are left alone where its budget matches no cell', () => {
    const text = `  - limit: p95 ttft < 10s\n    where: { target: kimi }\n    overrides: [{ where: { target: glm-* }, severity: warn }]\n${ERRORS}`
    expect(check(text)).toMatchObject([{ code: 'glob-matches-nothing', source: { line: 4 } }])
  })

  test('are not looked at where there is no cell at all', () => {
    expect(check(`  - { limit: p95 ttft < 10s, where: { target: x } }\n`, { cells: [] })).toEqual([])
  })
})

describe('timeouts', () => {
  const timeoutsOf = (limit: string, change: Partial<typeof TIMEOUTS> = {}) =>
    check(`  - { limit: ${limit}, per: probe }\n${ERRORS}`, {
      cells: nightly({ timeouts: { ...TIMEOUTS, ...change } }),
    }).filter((problem) => problem.code === 'timeout-below-limit')

  test.each([
    ['p95 ttft < 240s', 'firstToken'],
    ['p95 first_answer < 250s', 'firstToken'],
    ['p95 headers < 240s', 'firstToken'],
    ['p95 first_chunk < 240s', 'firstToken'],
    ['p95 total < 300s', 'total'],
    ['p95 last_token < 300s', 'total'],
    ['p95 connect < 10s', 'connect'],
    ['p95 gap_max < 60s', 'stall'],
    ['max gap_p99 < 61s', 'stall'],
    ['share(ttft > 240s) < 10%', 'firstToken'],
  ])('%s cannot be told under the default `%s`', (limit, name) => {
    const problems = timeoutsOf(limit)
    expect(problems).toMatchObject([{ level: 'error', source: { line: 3, column: 14 } }])
    expect(problems[0]?.message).toContain(`\`${name}\``)
  })

  test.each([
    'p95 ttft < 239s',
    'p95 total < 299s',
    'p95 last_token < 250s',
    'p95 connect < 9s',
    'p95 gap_max < 59s',
    'share(ttft > 60s) < 10%',
    'p5 decode_tps > 5',
    'p95 completion_tokens < 400000',
    'error_rate < 10%',
  ])('%s can be told under the defaults', (limit) => {
    expect(timeoutsOf(limit)).toEqual([])
  })

  test('every timeout that is too short is named, with its targets', () => {
    const problems = timeoutsOf('p95 ttft < 60s', { firstToken: 30_000, total: 60_000 })
    expect(problems).toHaveLength(1)
    expect(problems[0]?.message).toBe(
      'the timeouts `firstToken` (30s, glm-5.3 and deepseek-3.2) and `total` (60s, glm-5.3 and deepseek-3.2) cut requests off before this limit can tell: they must be longer than 60s',
    )
  })

  test('one timeout that is too short is told in the singular', () => {
    const problems = timeoutsOf('p95 ttft < 60s', { firstToken: 30_000 })
    expect(problems[0]?.message).toBe(
      'the timeout `firstToken` (30s, glm-5.3 and deepseek-3.2) cuts requests off before this limit can tell: it must be longer than 60s',
    )
  })

  test('a stall must be able to be longer than stall_over', () => {
    expect(check(`  - { limit: stall_rate < 10%, stall_over: 60s }\n${ERRORS}`)).toMatchObject([
      { level: 'error', code: 'timeout-below-limit' },
    ])
    expect(check(`  - { limit: stall_rate < 10%, stall_over: 59s }\n${ERRORS}`)).toEqual([])
  })

  test('the limit that an override sets is the one that counts', () => {
    const text = `  - limit: p95 ttft < 10s\n    overrides: [{ where: { target: deepseek-* }, limit: p95 ttft < 400s }]\n${ERRORS}`
    expect(check(text)).toMatchObject([{ code: 'timeout-below-limit', source: { line: 4, column: 57 }, length: 15 }])
  })
})

describe('samples', () => {
  test('too few are shown with the ways out', () => {
    const [problem, ...others] = check(`  - limit: p99 ttft < 10s\n${ERRORS}`)
    expect(others).toEqual([])
    expect(problem).toMatchObject({
      level: 'error',
      code: 'too-few-samples',
      source: { line: 3, column: 12 },
      length: 14,
    })
    expect(problem?.message).toBe('p99 needs 100, this schedule gives 40 a cell')
    expect(problem?.hint).toBe('`per: target`, `rounds: 100` or `min_samples: 40`')
  })

  test('a pool counts the samples of all its cells', () => {
    expect(check(`  - { limit: p99 ttft < 10s, per: target }\n${ERRORS}`)).toEqual([])
    const [problem] = check(`  - { limit: p99.9 ttft < 10s, per: target }\n${ERRORS}`)
    expect(problem?.message).toBe('p99.9 needs 1000, this schedule gives 120 a target')
    expect(problem?.hint).toBe('`rounds: 334` or `min_samples: 120`')
  })

  test('a rate needs them too, and explicit min_samples are named as such', () => {
    const [rate] = check('  - { limit: error_rate < 0.5% }\n')
    expect(rate?.message).toBe('`error_rate < 0.5%` needs 200, this schedule gives 40 a cell')
    expect(rate?.hint).toBe('`per: probe`, `rounds: 200` or `min_samples: 40`')
    const [explicit] = check(`  - { limit: p50 ttft < 1s, min_samples: 41 }\n${ERRORS}`)
    expect(explicit?.message).toBe('`min_samples` is 41, this schedule gives 40 a cell')
    expect(check(`  - { limit: p99 ttft < 1s, min_samples: 40 }\n${ERRORS}`)).toEqual([])
  })

  test('a wider pool is not proposed where an override stands in its way', () => {
    const text = `  - limit: p99 ttft < 10s\n    overrides: [{ where: { prompt: long }, severity: warn }]\n${ERRORS}`
    expect(check(text)[0]?.hint).toBe('`rounds: 100` or `min_samples: 40`')
  })

  test('only the cells that lack some are named', () => {
    const cells = nightly().map((cell) =>
      cell.prompt === 'long' ? { ...cell, planned: 10, plannedByItself: 10 } : cell,
    )
    const [problem] = check(`  - { limit: p95 ttft < 10s }\n${ERRORS.replace('1%', '2%')}`, { cells })
    expect(problem?.message).toBe(
      'p95 needs 20, this schedule gives 10 a cell (serverless › glm-5.3 › long and serverless › deepseek-3.2 › long)',
    )
  })

  test('are a note where only the environment cut the schedule', () => {
    const cells = nightly({ planned: 3, plannedByItself: 100 })
    const problems = check(`  - limit: p99 ttft < 10s\n${ERRORS}`, { cells })
    expect(problems.map((problem) => problem.level)).toEqual(['note', 'note'])
    expect(problems[0]?.code).toBe('too-few-samples')
    // Too short by itself as well: an error, cut or not.
    const short = nightly({ planned: 3, plannedByItself: 99 })
    expect(check('  - limit: p99 ttft < 10s\n', { cells: short })[0]?.level).toBe('error')
  })

  test('are a note where the selection left cells of the pool out', () => {
    const cells = nightly().filter((cell) => cell.prompt === 'short')
    const text = `  - { limit: p99 ttft < 10s, per: target }\n`
    expect(check(text, { cells, narrowed: true })[0]).toMatchObject({ level: 'note', code: 'too-few-samples' })
    expect(check(text, { cells })[0]).toMatchObject({ level: 'error', code: 'too-few-samples' })
  })

  test('are not counted where nobody can know how many there will be', () => {
    expect(
      check(`  - limit: p99 ttft < 10s\n${ERRORS}`, { cells: nightly({ planned: null, plannedByItself: null }) }),
    ).toEqual([])
  })

  test.each(['error_rate <= 0%', 'p100 ttft < 10s', 'answered_rate >= 100%'])('%s must say min_samples', (limit) => {
    const needed = check(`  - { limit: ${limit} }\n`).filter((problem) => problem.code === 'min-samples-needed')
    expect(needed).toMatchObject([{ level: 'error', source: { line: 3, column: 14 }, length: limit.length }])
    expect(check(`  - { limit: ${limit}, min_samples: 40 }\n`).filter((problem) => problem.level === 'error')).toEqual(
      [],
    )
  })

  test('an override of such a limit must say it too', () => {
    const text = (more: string) =>
      `  - limit: error_rate < 10%\n    overrides: [{ where: { target: glm-* }, limit: error_rate <= 0%${more} }]\n`
    expect(check(text(''))).toMatchObject([{ code: 'min-samples-needed', source: { line: 4 } }])
    expect(check(text(', min_samples: 40'))).toEqual([])
  })
})

describe('costs', () => {
  const cells = nightly().map((cell) => (cell.target === 'glm-5.3' ? { ...cell, currency: 'EUR' } : cell))

  test('of two currencies have no common limit', () => {
    expect(check(`  - { limit: mean cost < 0.1, per: probe }\n${ERRORS}`, { cells })).toMatchObject([
      { level: 'error', code: 'two-currencies', message: 'one limit over costs in EUR and USD', source: { line: 3 } },
    ])
    expect(check(`  - { limit: mean cost < 0.1, per: target }\n${ERRORS}`, { cells })).toEqual([])
  })

  test('without a price do not exist', () => {
    expect(check(`  - { limit: mean cost < 0.1 }\n${ERRORS}`, { cells: nightly({ currency: null }) })).toMatchObject([
      { level: 'error', code: 'no-price' },
    ])
  })
})

describe('notes', () => {
  test('are grouped, and no error', () => {
    expect(check('  - { limit: p95 first_answer < 40s, where: { target: glm-* } }\n')).toMatchObject([
      { level: 'note', code: 'no-budget', message: 'no budget judges serverless › deepseek-3.2' },
      { level: 'note', code: 'no-error-rate', message: 'latency budgets and no `error_rate`: serverless › glm-5.3' },
      { level: 'note', code: 'no-answered-rate' },
    ])
  })

  test('comparisons leave out failures as well', () => {
    const blind = (metric: string) =>
      check(`  - { limit: ${metric}, where: { target: glm-* }, baseline: deepseek-3.2 }\n`).filter(
        ({ code }) => code === 'no-error-rate',
      )
    expect(blind('p50 ttft <= baseline + 10%')).toMatchObject([
      { message: 'latency budgets and no `error_rate`: serverless › glm-5.3' },
    ])
    expect(blind('p5 decode_tps >= baseline - 10%')).toMatchObject([
      { level: 'note', message: 'comparisons with a baseline and no `error_rate`: serverless › glm-5.3' },
    ])
  })

  test('failures that exceed the limit do not pass unseen', () => {
    expect(check('  - { limit: p95 ttft < 40s, failures: exceed }\n')).toEqual([])
  })

  test('a missing file is one note for all cells', () => {
    const problems = checkBudgets(emptyBudgetFile('slo.yaml'), { cells: nightly(), narrowed: false })
    expect(problems).toMatchObject([{ level: 'note', message: 'no budget judges every cell (6)', source: null }])
  })
})

describe('one mistake does not hide the next', () => {
  const load = (budgets: string) => {
    const { file, problems } = parseBudgets(`version: 1\n${budgets}`, 'slo.yaml')
    return [...problems, ...checkBudgets(file, { cells: nightly(), narrowed: false })].map(
      (problem) => `${problem.source?.line} ${problem.level} ${problem.code}`,
    )
  }

  test('neither in one budget nor in several', () => {
    expect(
      load(`budgets:
  - limit: p99 tttf < 10s
    where: { target: glm-*, prompt: lnog }
  - limit: p95 ttft < 10
    where: { target: kimi }
  - limit: p99 ttft < 10s
    severty: warn
    where: { target: deepsek-* }
  - limit: p99 ttft < 10s
    on_inconclusive: maybe
  - limit: p95 ttft < 400s
    colour: red
    overrides: [{ where: { prompt: x }, severity: warn }]
`),
    ).toEqual([
      '3 error unknown-metric',
      '5 error missing-unit',
      '8 error unknown-key',
      '11 error wrong-value',
      '13 error unknown-key',
      '4 error glob-matches-nothing',
      '6 error glob-matches-nothing',
      '9 error glob-matches-nothing',
      '10 error too-few-samples',
      '12 error timeout-below-limit',
      '14 error glob-matches-nothing',
    ])
  })

  test('but what nobody wrote is not judged', () => {
    expect(load('budgets:\n  - { limit: p99 ttft < 10s, pre: target }\n')).toEqual(['3 error unknown-key'])
    expect(load('budgets:\n  - { limit: p99 ttft < 10s, per: targt }\n')).toEqual(['3 error wrong-value'])
    expect(load('defaults: { min_sample: 20 }\nbudgets:\n  - { limit: p99 ttft < 10s }\n')).toEqual([
      '2 error unknown-key',
    ])
    expect(load('budgets:\n  - { limt: p99 ttft < 10s }\n')).toEqual(['3 error unknown-key'])
    expect(
      load('budgets:\n  - { limit: p99 ttft < 10s, overrides: [{ were: { target: x }, limit: p9 ttft < 1 }] }\n'),
    ).toEqual(['3 error unknown-key', '3 error missing-unit'])
  })
})

test('every problem of a load fits 80 columns, hints and all', () => {
  const text = `version: 1\nbudgets:\n  - { limit: p99 ttft < 400s, where: { target: "*", prompt: shrt } }\n  - limit: p99 total < 10s\n  - limit: mean cost < 1\n`
  const { file } = parseBudgets(text, 'slo.yaml')
  const problems = checkBudgets(file, { cells: nightly({ currency: null }), narrowed: false })
  expect(problems.length).toBeGreaterThan(3)
  for (const problem of problems) {
    for (const line of formatProblem(problem, text).split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  }
})

describe('a proof', () => {
  test('needs more samples than a verdict', () => {
    const text = `  - { limit: p99 ttft < 10s, per: target, confidence: 95% }\n${ERRORS}`
    const problems = check(text).filter((problem) => problem.level === 'error')
    expect(problems).toMatchObject([
      {
        code: 'too-few-samples',
        message: 'a proof of p99 at 95 % needs at least 299, this schedule gives 120 a target',
        // 100 rounds of three prompts
        hint: '`rounds: 100`',
      },
    ])
    const cells = nightly({ planned: 100, plannedByItself: 100 })
    expect(check(text, { cells })).toEqual([])
  })
})

describe('a window', () => {
  const text = `  - { limit: p99.5 ttft < 10s, per: target, window: 7d }\n${ERRORS}`

  test('counts for min_samples', () => {
    expect(check(text, { earlier: () => 80 })).toEqual([])
  })

  test('that is not full yet is a note', () => {
    expect(check(text, { earlier: () => 79 })).toMatchObject([
      {
        level: 'note',
        code: 'too-few-samples',
        message: 'p99.5 needs 200, this schedule gives 120 a target and earlier runs 79',
      },
    ])
  })
})

describe('a baseline', () => {
  const of = (text: string, context: Partial<CheckContext> = {}) =>
    check(`  - { limit: p50 ttft <= baseline + 10%, ${text} }\n${ERRORS}`, context)

  test('must be a target of the probe', () => {
    expect(of('baseline: glm-5.3')).toEqual([])
    expect(of('baseline: glm-53')).toMatchObject([
      {
        level: 'error',
        code: 'baseline-no-target',
        hint: 'did you mean `glm-5.3`? targets of serverless are glm-5.3 and deepseek-3.2',
        source: { line: 3, column: 52 },
      },
    ])
  })

  test('must leave a candidate', () => {
    expect(of('baseline: glm-5.3, where: { target: glm-* }')).toMatchObject([{ code: 'nothing-to-compare' }])
    expect(of('baseline: glm-5.3, where: { target: glm-* }', { narrowed: true })).toMatchObject([{ level: 'note' }])
  })
})
