import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { renderJson, renderJunit, renderSummary, writeReports } from './index.ts'
import { report, run } from './testing/reports.ts'

let dir: string

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'slo report '))
})
afterEach(async () => {
  await rm(dir, { recursive: true, force: true })
})

const text = (file: string): Promise<string> => readFile(join(dir, file), 'utf8')

test('writes three files into a folder that it makes, and leaves nothing else', async () => {
  const out = join(dir, 'a', 'b')
  const value = report()
  expect(await writeReports(value, out)).toEqual({
    written: ['junit.xml', 'report.json', 'summary.md'].map((file) => join(out, file)),
    failed: [],
  })
  expect((await readdir(out)).sort()).toEqual(['junit.xml', 'report.json', 'summary.md'])
  expect(await readFile(join(out, 'junit.xml'), 'utf8')).toBe(renderJunit(value))
  expect(JSON.parse(await readFile(join(out, 'report.json'), 'utf8'))).toEqual(value)
  expect(await readFile(join(out, 'summary.md'), 'utf8')).toBe(renderSummary(value))
})

test('strict JUnit where asked', async () => {
  await writeReports(report(), dir, { junit: { strict: true } })
  expect(await text('junit.xml')).toBe(renderJunit(report(), { strict: true }))
})

test('replaces the reports of the run before', async () => {
  await writeReports(report({ run: run({ id: 'first' }) }), dir)
  await writeReports(report({ run: run({ id: 'second' }) }), dir)
  expect(await text('report.json')).toContain('"second"')
  expect(await readdir(dir)).toHaveLength(3)
})

describe('what cannot be written is named', () => {
  test('one file; the others are written', async () => {
    await mkdir(join(dir, 'report.json', 'in the way'), { recursive: true })
    const { written, failed } = await writeReports(report(), dir)
    expect(written).toEqual([join(dir, 'junit.xml'), join(dir, 'summary.md')])
    expect(failed).toEqual([{ file: 'report.json', message: expect.stringMatching(/EISDIR|ENOTEMPTY|EEXIST|EPERM/) }])
    expect((await readdir(dir)).filter((file) => file.endsWith('.tmp'))).toEqual([])
  })

  test('all, where the folder is a file', async () => {
    await writeFile(join(dir, 'out'), '')
    const { written, failed } = await writeReports(report(), join(dir, 'out'))
    expect(written).toEqual([])
    expect(failed.map(({ file }) => file)).toEqual(['junit.xml', 'report.json', 'summary.md'])
  })

  test.runIf(process.platform === 'linux')('all, where nobody can make a file', async () => {
    // a folder without write permission would not stop root; /proc does
    await symlink('/proc/self', join(dir, 'out'))
    const { written, failed } = await writeReports(report(), join(dir, 'out'))
    expect(written).toEqual([])
    expect(failed).toHaveLength(3)
  })

  test('a report of an older run does not stay behind for it', async () => {
    await writeReports(report({ run: run({ id: 'older' }) }), dir)
    const broken = report()
    // a number that no renderer expects makes rendering itself fail
    const { failed } = await writeReports({ ...broken, run: { ...broken.run, planned: 1n as unknown as number } }, dir)
    expect(failed.map(({ file }) => file)).toEqual(['report.json'])
    expect((await readdir(dir)).sort()).toEqual(['junit.xml', 'summary.md'])
  })
})

test('report.json holds the whole report and ends with a line break', () => {
  const value = report()
  const json = renderJson(value)
  expect(JSON.parse(json)).toEqual(value)
  expect(json.endsWith('}\n')).toBe(true)
})
