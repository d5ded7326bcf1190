import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appendStepSummary, githubAnnotations, tellGitHub } from './github.ts'
import { renderSummary } from './summary.ts'
import { cell, finding, HOSTILE, inconclusive, passing, report } from './testing/reports.ts'

describe('annotations', () => {
  test('for what fails its test, and for nothing else', () => {
    const findings = [
      finding(),
      passing(),
      finding({ severity: 'warn' }),
      inconclusive(),
      inconclusive({ onInconclusive: 'warn' }),
      inconclusive({ onInconclusive: 'skip' }),
    ]
    expect(githubAnnotations(report({ findings }))).toEqual([
      '::error file=slo.yaml,line=12,col=5,title=ttft%3A serverless / deepseek-3.2 / all::p99 ttft of serverless / deepseek-3.2 is 13.65 s, not < 10 s: 14 of 857 beyond',
      '::error file=slo.yaml,line=20,col=12,title=answers%3A serverless / glm-5.3 / all::error_rate of serverless / glm-5.3 needs 100 samples and has 40',
    ])
  })

  test('for a cell without a sample', () => {
    expect(githubAnnotations(report({ findings: [], cells: [cell({ n: 0 })] }))).toEqual([
      '::error title=serverless / glm-5.3 / medium::serverless / glm-5.3 / medium has no sample though nobody interrupted the run',
    ])
  })

  test('at most the limit, failures of budgets first; the last says how many more', () => {
    const findings = Array.from({ length: 14 }, (_, index) => finding({ budget: `b${index}` }))
    const lines = githubAnnotations(report({ findings }), { limit: 10 })
    expect(lines).toHaveLength(10)
    expect(lines.at(-1)).toMatch(/%0A\(and 4 more: see summary\.md\)$/)
    expect(lines.slice(0, 9).join('')).not.toContain('more')
    expect(githubAnnotations(report({ findings }), { limit: 0 })).toEqual([])
  })

  test('whatever text comes in, a command is one line and its properties end where they should', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(HOSTILE, 'a,line=1::x', '%0A\r\n::error::')),
        (text) => {
          const source = { file: text, line: 3, column: 4 }
          const [line = ''] = githubAnnotations(
            report({ findings: [finding({ budget: text, message: text, source })] }),
          )
          expect(line).toMatch(/^::error file=[^,:]*,line=3,col=4,title=[^,:]*::/)
          expect(line).not.toMatch(/[\r\n]/)
          expect(line.isWellFormed()).toBe(true)
          // every % begins one of GitHub's own escapes
          expect(line.replace(/%(?:25|0A|0D|3A|2C)/g, '')).not.toContain('%')
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('the summary of a step', () => {
  const LIMIT = 1024 * 1024
  let dir: string
  let file: string

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'slo step '))
    file = join(dir, 'step-summary.md')
  })
  afterEach(async () => {
    await rm(dir, { recursive: true, force: true })
  })

  test('is appended to what is there', async () => {
    await writeFile(file, '# before')
    expect(await appendStepSummary(report(), file)).toEqual({ appended: 'whole' })
    expect(await readFile(file, 'utf8')).toBe(`# before\n\n${renderSummary(report())}`)
  })

  test('starts a file that is not there yet', async () => {
    expect(await appendStepSummary(report(), file)).toEqual({ appended: 'whole' })
    expect(await readFile(file, 'utf8')).toBe(renderSummary(report()))
  })

  test.each([1, 100, 2000, 6000])('keeps the limit with %i bytes left', async (left) => {
    await writeFile(file, '')
    await truncate(file, LIMIT - left)
    const many = report({ findings: Array.from({ length: 50 }, (_, index) => finding({ budget: `b${index}` })) })
    const { appended } = await appendStepSummary(many, file)
    const { length } = await readFile(file)
    expect(length).toBeLessThanOrEqual(LIMIT)
    expect(appended).toBe(length === LIMIT - left ? 'nothing' : 'cut')
    expect(appended).toBe(left < 100 ? 'nothing' : 'cut')
  })

  test('a file that is over the limit already is left as it is', async () => {
    await writeFile(file, '')
    await truncate(file, LIMIT + 5)
    expect(await appendStepSummary(report(), file)).toMatchObject({ appended: 'nothing' })
    expect(await readFile(file)).toHaveLength(LIMIT + 5)
  })

  test('a file that cannot be written is said, not thrown', async () => {
    expect(await appendStepSummary(report(), join(dir, 'no', 'such', 'folder'))).toEqual({
      appended: 'nothing',
      message: expect.stringContaining('ENOENT'),
    })
  })
})

describe('a job of GitHub Actions', () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'slo-github-'))
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  async function told(size: number | null, annotate = true): Promise<{ printed: string[]; said: string[] }> {
    const file = size === null ? join(dir, 'no', 'such', 'folder') : join(dir, 'summary')
    if (size !== null) await writeFile(file, Buffer.alloc(size, 'x'))
    const printed: string[] = []
    const said: string[] = []
    await tellGitHub(report(), {
      variables: { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: file },
      annotate,
      print: (line) => printed.push(line),
      say: (line) => said.push(line),
    })
    return { printed, said }
  }

  test('a summary that was cut or left out is said', async () => {
    expect((await told(0)).said).toEqual([])
    expect((await told(1024 * 1024 - 2000)).said.join()).toContain('was cut')
    expect((await told(1024 * 1024)).said.join()).toContain('was left out')
    expect((await told(null)).said.join()).toContain('ENOENT')
  })

  test('annotations only where nobody else prints them, and nothing elsewhere', async () => {
    expect((await told(0)).printed).toHaveLength(1)
    expect((await told(0, false)).printed).toEqual([])
    const lines: string[] = []
    const line = (text: string): void => void lines.push(text)
    await tellGitHub(report(), { variables: {}, annotate: true, print: line, say: line })
    expect(lines).toEqual([])
  })
})
