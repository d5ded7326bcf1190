import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse as parseJunit2json } from 'junit2json'
import { parseV2 } from 'test-results-parser'
import { describe, expect, test } from 'vitest'
import { renderJunit } from './junit.ts'
import { jenkinsProblems } from './testing/jenkins-schema.ts'
import { cell, finding, HOSTILE, inconclusive, passing, report } from './testing/reports.ts'
import { parseXml } from './testing/strict-xml.ts'
import type { RunReport } from './types.ts'

/** Pass, fail, warn, inconclusive in its three ways, error; with the text that no format likes. */
const MIXED = report({
  findings: [
    finding(),
    passing(),
    finding({ budget: 'soft', severity: 'warn' }),
    inconclusive(),
    inconclusive({ budget: 'lenient', onInconclusive: 'warn' }),
    inconclusive({ budget: 'absent', onInconclusive: 'skip' }),
    finding({ budget: HOSTILE, message: `${HOSTILE} < & ]]> \u{1F4A5}`, target: HOSTILE }),
    finding({ budget: 'long', message: '<&]]>\u{1F4A5}'.repeat(140_000) }),
  ],
  cells: [cell(), cell({ prompt: 'long', n: 0, failed: 0 })],
})
const COUNTS = { tests: 9, failures: 4, errors: 1, skipped: 1 }

interface Counted {
  readonly tests: number
  readonly failures: number
  readonly errors: number
  readonly skipped: number
  readonly firstMessage: string
}

/** As the GitHub actions that use junit2json count. */
async function byJunit2json(xml: string): Promise<Counted> {
  const parsed = await parseJunit2json(xml)
  if (parsed === null || parsed === undefined || !('testsuite' in parsed)) throw new Error('no suites')
  const cases = (parsed.testsuite ?? []).flatMap((suite) => suite.testcase ?? [])
  const having = (name: 'failure' | 'error' | 'skipped'): number =>
    cases.filter((each) => each[name] !== undefined).length
  return {
    tests: cases.length,
    failures: having('failure'),
    errors: having('error'),
    skipped: having('skipped'),
    firstMessage: cases[0]?.failure?.[0]?.message ?? '',
  }
}

/** As testbeats counts: errors are failures there. */
async function byTestResultsParser(xml: string): Promise<Counted> {
  const dir = await mkdtemp(join(tmpdir(), 'slo-junit-'))
  try {
    const file = join(dir, 'junit.xml')
    await writeFile(file, xml)
    const { result, errors } = parseV2({ type: 'junit', files: [file] })
    if (errors.length > 0 || result === null) throw new Error(errors.join())
    const cases = result.suites.flatMap((suite) => suite.cases)
    return {
      tests: cases.length,
      failures: cases.filter((each) => each.status === 'FAIL').length,
      errors: result.errors,
      skipped: cases.filter((each) => each.status === 'SKIP').length,
      firstMessage: cases[0]?.failure ?? '',
    }
  } finally {
    await rm(dir, { recursive: true })
  }
}

describe.each([
  ['plain', false],
  ['strict', true],
])('a run with every kind of case, %s', (_form, strict) => {
  const xml = renderJunit(MIXED, { strict })

  test('is well formed, and by the letter of the Jenkins schema where strict', () => {
    const root = parseXml(xml)
    if (strict) expect(jenkinsProblems(root)).toEqual([])
    else expect(jenkinsProblems(root)).not.toEqual([])
  })

  test('junit2json counts what we count', async () => {
    expect(await byJunit2json(xml)).toMatchObject({ ...COUNTS, firstMessage: finding().message })
  })

  test('test-results-parser counts what we count', async () => {
    const counted = await byTestResultsParser(xml)
    expect(counted).toMatchObject({ tests: 9, skipped: 1 })
    expect(counted.failures).toBe(COUNTS.failures + COUNTS.errors)
    expect(counted.firstMessage).toContain(finding().message)
  })
})

test('a file of one megabyte of the worst text is understood by both', async () => {
  const findings = Array.from({ length: 150 }, (_, index) =>
    finding({ budget: `b${index}`, message: `${HOSTILE}${'<&]]>\u{1F4A5}\u0001'.repeat(1200)}` }),
  )
  const value: RunReport = report({ findings })
  const xml = renderJunit(value)
  expect(Buffer.byteLength(xml)).toBeGreaterThan(1_000_000)
  expect((await byJunit2json(xml)).failures).toBe(150)
  expect((await byTestResultsParser(xml)).failures).toBe(150)
})
