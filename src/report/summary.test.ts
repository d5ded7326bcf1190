import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codeBlock, markdownText } from './markdown.ts'
import { renderSummary } from './summary.ts'
import { cell, finding, HOSTILE, inconclusive, passing, report, run } from './testing/reports.ts'
import type { RunReport } from './types.ts'

const bytes = (text: string): number => Buffer.byteLength(text)
const title = (fields: Partial<RunReport>): string | undefined => renderSummary(report(fields)).split('\n')[0]

const whole = report({
  run: run({ simulated: true, timeScale: 100 }),
  findings: [
    passing(),
    finding(),
    finding({ budget: 'soft', severity: 'warn', worst: [] }),
    inconclusive(),
    inconclusive({ budget: 'absent', onInconclusive: 'skip' }),
  ],
  cells: [
    cell({ simulated: true }),
    cell({
      simulated: true,
      prompt: 'long',
      n: 288,
      failed: 2,
      errors: { empty: 1, 'http_status 529': 1 },
      ttft: { p50: 1600, p95: 2500.5, p99: 2889 },
    }),
    cell({
      target: 'deepseek-3.2',
      n: 0,
      failed: 0,
      ttft: { p50: null, p95: null, p99: null },
      firstAnswer: { p50: null, p95: null },
      decodeTps: { p5: null, p50: null },
      completionTokensP50: null,
      errors: {},
      cost: null,
    }),
  ],
  notes: [
    {
      code: 'simulated',
      message: 'SIMULATED, not measured: every sample came from the built-in simulator at time scale ×100',
    },
    { code: 'missed-rounds', message: '2 grid points passed while a round still ran' },
    {
      code: 'cached-prompts',
      message: '3 of 288 requests had …',
      probe: 'serverless',
      target: 'glm-5.3',
      prompt: 'medium',
    },
  ],
})

test('the whole page', () => {
  expect(renderSummary(whole)).toMatchSnapshot()
})

test('failures come before inconclusive ones, warnings, passes, numbers, run and notes', () => {
  const headings = renderSummary(whole)
    .split('\n')
    .filter((line) => line.startsWith('## '))
  expect(headings).toEqual([
    '## Failed',
    '## Without any sample',
    '## Inconclusive and warnings',
    '## Passed',
    '## Numbers (SIMULATED, not measured)',
    '## Targets, over all prompts',
    '## Run',
    '## Notes',
  ])
})

describe('the title', () => {
  const pass = [passing()]
  test.each([
    [{ findings: [finding(), passing()] }, '# ❌ SLO failed: 1 of 2 budgets breached'],
    [{ findings: [inconclusive(), passing()] }, '# ❌ SLO not judged: 1 of 2 budgets are inconclusive'],
    [{ findings: pass, cells: [cell({ n: 0 }), cell()] }, '# ❌ SLO gate broken: 1 of 2 cells without a sample'],
    [{ findings: pass }, '# ✅ SLO passed'],
    [{ findings: [passing(), finding({ severity: 'warn' })] }, '# ⚠️ SLO passed, with warnings'],
    [{ findings: [inconclusive({ onInconclusive: 'skip' })] }, '# ⚠️ SLO: nothing breached, nothing judged as within'],
    [{ findings: [] }, '# SLO: no budget was judged'],
    [{ findings: pass, run: run({ simulated: true }) }, '# ✅ SLO passed (SIMULATED)'],
    [
      { findings: pass, run: run({ complete: false, interrupted: true }) },
      '# ⚠️ SLO: no budget breached, but the run is not complete',
    ],
  ])('%#', (fields, expected) => {
    expect(title(fields)).toBe(expected)
  })
})

test("the headline row of the study's table, as the study prints it", () => {
  const row = renderSummary(report())
    .split('\n')
    .find((line) => line.startsWith('| serverless | glm-5.3 | medium'))
  expect(row?.split('|').map((each) => each.trim())).toEqual([
    '',
    'serverless',
    'glm-5.3',
    'medium',
    '288',
    '1,049 ms',
    '1,846 ms',
    '2,130 ms',
    '27,012 ms',
    '59.4',
    '52.4',
    '0.35 %',
    '1,990',
    '3.73 USD',
    '',
  ])
})

test('where only some cells are simulated, those are marked', () => {
  const cells = [
    cell(),
    cell({ target: 'practice', simulated: true }),
    cell({ target: 'practice', prompt: 'long', n: 0 }),
  ]
  const page = renderSummary(report({ run: run({ simulated: true }), findings: [], cells }))
  const targets = page
    .split('\n')
    .flatMap((line) => /^\| serverless \| ([^|]+) \| (?:medium|long)/.exec(line)?.[1]?.trim() ?? [])
  expect(targets).toEqual(['glm-5.3', 'practice (SIMULATED)', 'practice (SIMULATED)'])
  expect(page).toContain('\n## Numbers\n')
  expect(page).toMatch(/^> \*\*SIMULATED, not measured/m)
})

test('totals of a target are over all its prompts', () => {
  const cells = ['short', 'medium', 'long'].map((prompt, index) =>
    cell({ prompt, failed: index === 2 ? 1 : 0, errors: index === 2 ? { 'http_status 529': 1 } : {}, cost: 11.2 / 3 }),
  )
  const row = renderSummary(report({ cells }))
    .split('\n')
    .find((line) => line.includes('http_status 529 ×1 '))
  // 1 of 864, as the study: 0.12 %
  expect(row?.split('|').map((each) => each.trim())).toEqual([
    '',
    'serverless',
    'glm-5.3',
    '864',
    '1',
    '0.12 %',
    '11.20 USD',
    'http_status 529 ×1',
    '',
  ])
})

test('every row of a table has as many cells as its head, whatever the names', () => {
  const unescapedBars = (line: string): number => line.replace(/\\[\s\S]/g, '').split('|').length
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(HOSTILE, '\\', '\\|', 'a\n\n# b')), (text) => {
      const names = { probe: text, target: text, prompt: text }
      const page = renderSummary(
        report({
          findings: [passing({ ...names, budget: text, message: text }), inconclusive({ ...names, message: text })],
          cells: [cell({ ...names, errors: { [`k${text}`]: 1 }, currency: text })],
          notes: [{ code: 'x', message: text, ...names }],
        }),
      )
      const tables = page.split('\n\n').filter((block) => block.startsWith('| '))
      expect(tables).toHaveLength(4)
      for (const table of tables) expect(new Set(table.trim().split('\n').map(unescapedBars)).size).toBe(1)
      expect(page.isWellFormed()).toBe(true)
    }),
    { numRuns: 200 },
  )
})

describe('text from outside', () => {
  test('is no markup', () => {
    expect(markdownText(HOSTILE)).toBe(
      '\\]\\]&gt; &lt;b&gt;&amp;amp;"\'\\`\\|\uFFFD\uFFFD\\[31m\uFFFD \u{1F4A5} ::error::%0A\\*x\\* \\$y\\$ \\[l\\](http://x) @all \uFFFD',
    )
  })
  test('keeps the underscores of our own words', () => {
    expect(markdownText('error_rate _x_')).toBe('error_rate \\_x\\_')
  })
  test('cannot close a code block', () => {
    expect(codeBlock('a\n````\nb')).toBe('`````text\na\n````\nb\n`````')
  })
})

describe('size', () => {
  const many = 1000
  const long = 'päd'.repeat(60)
  const names = Array.from({ length: many }, (_, index) => ({ target: `${long}${index}`, prompt: `${long}${index}` }))
  const big = report({
    findings: [
      ...names.map((each) => finding({ ...each, message: long.repeat(5) })),
      ...names.map((each) => inconclusive({ ...each, message: long.repeat(5) })),
      ...names.map((each) => passing(each)),
    ],
    cells: names.map((each) => cell(each)),
    notes: names.map((each) => ({ code: 'cached-prompts', message: long, ...each })),
  })

  test('1,000 plain cells fit whole', () => {
    const plain = Array.from({ length: many }, (_, index) => ({ target: `target-${index}`, prompt: 'medium' }))
    const page = renderSummary(
      report({ findings: plain.map((each) => passing(each)), cells: plain.map((each) => cell(each)) }),
    )
    expect(bytes(page)).toBeLessThan(900 * 1024)
    expect(page).not.toContain('left out')
  })

  test('1,000 cells with three findings each and long names: under 900 KiB, every part still there, cuts said with numbers', () => {
    const page = renderSummary(big)
    expect(bytes(page)).toBeLessThanOrEqual(900 * 1024)
    for (const heading of [
      '## Failed',
      '## Inconclusive',
      '## Passed',
      '## Numbers',
      '## Targets',
      '## Run',
      '## Notes',
    ])
      expect(page).toContain(`\n${heading}`)
    const shown = page.split('\n').filter((line) => line.startsWith('| ✅ pass')).length
    expect(page).toContain(
      `_${(many - shown).toLocaleString('en-US')} more passes are left out here; report.json has them all._`,
    )
    expect(page.split('<details>').length).toBe(page.split('</details>').length)
  })

  test('whatever the room, it is kept', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1, max: 60_000 }), (maxBytes) => {
        expect(bytes(renderSummary(whole, { maxBytes }))).toBeLessThanOrEqual(Math.max(0, maxBytes))
        expect(bytes(renderSummary(big, { maxBytes }))).toBeLessThanOrEqual(Math.max(0, maxBytes))
      }),
      { numRuns: 20 },
    )
  })
})
