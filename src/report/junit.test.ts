import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Finding } from '../verdict/types.ts'
import { renderJunit } from './junit.ts'
import { jenkinsProblems } from './testing/jenkins-schema.ts'
import { cell, finding, HOSTILE, inconclusive, passing, report, run } from './testing/reports.ts'
import { elements, parseXml } from './testing/strict-xml.ts'
import type { XmlElement } from './testing/strict-xml.ts'
import type { RunReport } from './types.ts'

const parse = (value: RunReport, strict = false): XmlElement => parseXml(renderJunit(value, { strict }))
const cases = (value: RunReport, strict = false): XmlElement[] => elements(parse(value, strict), 'testcase')
const results = (element: XmlElement | undefined): string[] =>
  (element?.children ?? []).map(({ name }) => name).filter((name) => ['failure', 'error', 'skipped'].includes(name))

const everything = report({
  findings: [
    finding(),
    passing(),
    finding({ budget: 'soft', severity: 'warn' }),
    inconclusive(),
    inconclusive({ budget: 'lenient', onInconclusive: 'warn' }),
    inconclusive({ budget: 'absent', onInconclusive: 'skip' }),
  ],
  cells: [cell(), cell({ prompt: 'long', n: 0, failed: 0 })],
})

test('numbers of properties are without the noise of floating point, and never rounded onto the limit', () => {
  const valueOf = (fields: Partial<Finding>): string | undefined =>
    /name="value" value="([^"]*)"/.exec(renderJunit(report({ findings: [finding(fields)] })))?.[1]
  expect(valueOf({ value: 3474.5977999999977, limit: 2500 })).toBe('3474.5978')
  expect(valueOf({ value: 0.1 + 0.2, unit: 'ratio', limit: 0.01 })).toBe('0.3')
  expect(valueOf({ value: 2500.0000000001, limit: 2500 })).toBe('2500.0000000001')
  expect(valueOf({ value: 2500, limit: 2500 })).toBe('2500')
  expect(valueOf({ value: 0.0000042, unit: 'currency', limit: 1 })).toBe('0.0000042')
  expect(valueOf({ value: 1e-9, limit: 1 })).toBe('1e-9')
})

test('the whole file', () => {
  expect(renderJunit(report({ cells: [cell(), cell({ prompt: 'long', n: 0 })] }))).toMatchSnapshot()
})

test('the whole file, strict', () => {
  expect(renderJunit(everything, { strict: true })).toMatchSnapshot()
})

describe('what a finding becomes', () => {
  test.each([
    ['fail', ['failure']],
    ['pass', []],
    ['warning', []],
    ['inconclusive, fails', ['failure']],
    ['inconclusive, warns', []],
    ['inconclusive, skipped', ['skipped']],
    ['cell without a sample', ['error']],
  ])('%s', (_, expected) => {
    const index = [
      'fail',
      'pass',
      'warning',
      'inconclusive, fails',
      'inconclusive, warns',
      'inconclusive, skipped',
    ].indexOf(_)
    expect(results(cases(everything).at(index))).toEqual(expected)
  })

  test('counts add up', () => {
    const root = parse(everything)
    expect(root.attributes).toMatchObject({ tests: '7', failures: '2', errors: '1' })
    expect(root.children.map(({ attributes }) => attributes)).toEqual([
      expect.objectContaining({ name: 'slo', tests: '7', failures: '2', errors: '1', skipped: '1' }),
    ])
    expect(elements(root, 'testsuite')).toHaveLength(1)
  })

  test('the sentence stands in message and body; the last line is the place', () => {
    const [failure] = elements(parse(everything), 'failure')
    expect(failure?.attributes['message']).toBe(finding().message)
    expect(failure?.attributes['type']).toBe('breach')
    expect(failure?.text.split('\n')[0]).toBe(finding().message)
    expect(failure?.text.split('\n').at(-1)).toBe('(slo.yaml:12:5)')
  })

  test('a warning speaks in system-out, with the place', () => {
    const [, , warning] = cases(everything)
    const text = elements(warning ?? parse(everything), 'system-out')[0]?.text
    expect(text).toContain(finding().message)
    expect(text).toContain('\n(slo.yaml:12:5)\n')
  })

  test('file and line point at slo.yaml; properties and system-out carry the same numbers', () => {
    const [first] = cases(everything)
    expect(first?.attributes).toMatchObject({ file: 'slo.yaml', line: '12' })
    const properties = Object.fromEntries(
      elements(first ?? parse(everything), 'property').map(({ attributes }) => [
        attributes['name'],
        attributes['value'],
      ]),
    )
    expect(properties).toMatchObject({ value: '13654.123', limit: '10000', unit: 'ms', n: '857', beyond: '14' })
    expect(properties['percentile_method']).toContain('type 7')
    const out = elements(first ?? parse(everything), 'system-out')[0]?.text
    expect(out).toContain('value 13.65 s, limit < 10 s, n 857, beyond 14, failed 7, censored 1')
    expect(out).toContain('evidence: proven beyond at 95 %')
  })

  test('simulated is said in every testcase', () => {
    const simulated = cases(
      report({ run: run({ simulated: true, timeScale: 100 }), cells: [cell({ simulated: true })] }),
    )
    expect(simulated).toHaveLength(2)
    for (const each of simulated) expect(elements(each, 'system-out')[0]?.text).toMatch(/^SIMULATED, not measured\n/)
  })

  test('but not of a real target in a run with simulated ones', () => {
    const cells = [cell(), cell({ target: 'deepseek-3.2', simulated: true })]
    const spoken = cases(report({ run: run({ simulated: true }), cells })).map((each) =>
      elements(each, 'system-out')[0]?.text.startsWith('SIMULATED'),
    )
    expect(spoken).toEqual([true, false])
  })
})

describe('cells without a sample', () => {
  const empty = [cell({ n: 0 })]
  test('are errors where nobody ended the run', () => {
    expect(results(cases(report({ findings: [], cells: empty }))[0])).toEqual(['error'])
  })
  test('are none where it was interrupted or reached its maximum cost', () => {
    expect(cases(report({ findings: [], cells: empty, run: run({ interrupted: true, complete: false }) }))).toEqual([])
    const stopped = report({ findings: [], cells: empty, notes: [{ code: 'max-cost', message: 'reached' }] })
    expect(cases(stopped)).toEqual([])
  })
  test('do not take the name of a budget that is called sampled', () => {
    const names = cases(report({ findings: [passing({ budget: 'sampled', prompt: 'medium' })], cells: empty })).map(
      ({ attributes }) => attributes['name'],
    )
    expect(names).toEqual(['sampled', 'sampled (2)'])
  })
})

describe('names', () => {
  const classnames = (findings: RunReport['findings']): (string | undefined)[] =>
    cases(report({ findings, cells: [] })).map(({ attributes }) => attributes['classname'])

  test('are slugged', () => {
    expect(classnames([finding(), passing({ prompt: 'von Müller/x' })])).toEqual([
      'slo.serverless.deepseek-3-2.all',
      'slo.serverless.glm-5-3.von-Müller-x',
    ])
  })

  test('that slug alike are told apart, in whatever order they come', () => {
    const alike = [passing({ target: 'glm-5.3' }), passing({ target: 'glm-5-3' }), passing({ target: 'glm 5 3' })]
    const forward = classnames(alike)
    expect(new Set(forward).size).toBe(3)
    expect(forward[1]).toBe('slo.serverless.glm-5-3.all')
    expect(classnames(alike.toReversed())).toEqual(forward.toReversed())
  })

  test('hold no measured value', () => {
    const names = (value: number): (string | undefined)[][] =>
      cases(report({ findings: [finding({ value, n: value, beyond: value, message: `${value}` })] })).map(
        ({ attributes }) => [attributes['classname'], attributes['name']],
      )
    expect(names(1)).toEqual(names(77_777))
  })

  test('class name and name together are unique, whatever the names', () => {
    const name = fc.oneof(
      fc.constantFrom('a', 'A', 'a.b', 'a-b', 'a b', '', '.', '日本', '\u0000', '\u0001'),
      fc.string({ unit: 'binary' }),
    )
    const key = fc.record({ budget: name, probe: name, target: name, prompt: name })
    fc.assert(
      fc.property(fc.uniqueArray(key, { selector: (each) => JSON.stringify(each), maxLength: 12 }), (keys) => {
        const pairs = cases(report({ findings: keys.map((each) => passing(each)), cells: [] })).map(
          ({ attributes }) => `${attributes['classname']}\n${attributes['name']}`,
        )
        expect(new Set(pairs).size).toBe(keys.length)
      }),
      { numRuns: 200 },
    )
  })
})

describe('well formed', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(HOSTILE, ']]>', '\uD83D', '\uFFFF', '&#0;'),
  )

  test('for any text, and valid by the Jenkins schema in strict mode', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ budget: anyText, target: anyText, prompt: anyText, text: anyText, message: anyText }), {
          maxLength: 4,
        }),
        fc.constantFrom('pass', 'fail', 'inconclusive'),
        fc.constantFrom('fail', 'warn', 'skip'),
        fc.oneof(
          fc.date().map((date) => (Number.isNaN(date.getTime()) ? '' : date.toISOString())),
          anyText,
        ),
        fc.boolean(),
        (texts, verdict, onInconclusive, startedAt, interrupted) => {
          const value = report({
            run: run({ id: texts[0]?.text ?? '', startedAt, interrupted }),
            findings: texts.map((each) =>
              finding({ ...each, verdict, onInconclusive, source: { file: each.text, line: 1, column: 1 } }),
            ),
            cells: texts.map(({ target, prompt }) => cell({ target, prompt, n: 0 })),
          })
          parse(value)
          expect(jenkinsProblems(parse(value, true))).toEqual([])
        },
      ),
      { numRuns: 200 },
    )
  })

  test('emoji are kept; what XML forbids is replaced; line breaks in a message survive', () => {
    const [failure] = elements(
      parse(report({ findings: [finding({ message: `a\u0000b\uD800c\u{1F4A5}\nd]]>` })] })),
      'failure',
    )
    expect(failure?.attributes['message']).toBe('a\uFFFDb\uFFFDc\u{1F4A5}\nd]]>')
  })

  test('a message of 1 MB is cut, not between the halves of a character', () => {
    const xml = renderJunit(report({ findings: [finding({ message: '\u{1F4A5}'.repeat(500_000) })] }))
    expect(xml.length).toBeLessThan(100_000)
    expect(elements(parseXml(xml), 'failure')[0]?.attributes['message']).toMatch(/^(?:\u{1F4A5})+…$/u)
  })

  test('strict: everything at once is valid by the Jenkins schema', () => {
    expect(jenkinsProblems(parse(everything, true))).toEqual([])
  })

  test('and the checks do find what is wrong', () => {
    expect(jenkinsProblems(parse(everything))).toContain('testcase has file')
    for (const wrong of [
      '<a>',
      '<a b="<"/>',
      '<a>&</a>',
      '<a>]]></a>',
      '<a b="1" b="2"/>',
      '<a>\u0001</a>',
      '<a></b>',
      '<a>\uD800</a>',
      '<a/><a/>',
    ])
      expect(() => parseXml(`<?xml version="1.0"?>${wrong}`), wrong).toThrow('not well formed')
  })
})

test.each([
  ['2026-10-28T00:00:00.000Z', '2026-10-28T00:00:01.234Z', '1.234'],
  ['2026-10-28T00:00:00.000Z', '2026-10-28T00:00:00.000Z', '0'],
  ['2026-10-28T00:00:01.000Z', '2026-10-28T00:00:00.000Z', '0'],
  ['never', 'never', '0'],
])('time from %s to %s is %s seconds', (startedAt, endedAt, time) => {
  expect(parse(report({ run: run({ startedAt, endedAt }) })).attributes['time']).toBe(time)
})

test('a run without a verdict is a suite without a test', () => {
  const root = parse(report({ findings: [], cells: [] }), true)
  expect(root.attributes['tests']).toBe('0')
  expect(jenkinsProblems(root)).toEqual([])
})
