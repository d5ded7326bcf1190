import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../errors.ts'
import type { Sample } from '../sample/types.ts'
import { chartData, renderHtml } from './html/index.ts'
import { renderJson } from './json.ts'
import { renderJunit } from './junit.ts'
import type { JunitOptions } from './junit.ts'
import { renderSummary } from './summary.ts'
import type { RunReport } from './types.ts'

/** How {@link writeReports} writes. */
export interface WriteOptions {
  readonly junit?: JunitOptions | undefined
  /** Those that count; without them there are no charts to draw, and no `report.html`. */
  readonly samples?: readonly Sample[] | undefined
}

/** What came of writing: paths of what is there, names of what is not. */
export interface WrittenReports {
  /** `dir` joined with each file's name. */
  readonly written: string[]
  /** `file` is the bare name, as `junit.xml`. */
  readonly failed: { readonly file: string; readonly message: string }[]
}

/** Writes beside the target and renames, so that nobody ever reads half a report. */
async function writeAtomically(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`
  try {
    const file = await open(draft, 'wx')
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}

/** An older run's report must not be taken for this run's: gone if it can be. */
async function withdraw(path: string): Promise<string> {
  try {
    await rm(path, { force: true })
    return ''
  } catch {
    return '; an older file of that name may still be there'
  }
}

/**
 * Writes `junit.xml`, `report.json`, `summary.md` and `report.html` into `dir`, which is made where it is missing. Never rejects: what could not be
 * written is named, and the others are written all the same.
 */
export async function writeReports(
  report: RunReport,
  dir: string,
  options: WriteOptions = {},
): Promise<WrittenReports> {
  const renderers: readonly (readonly [string, () => string])[] = [
    ['junit.xml', () => renderJunit(report, options.junit)],
    ['report.json', () => renderJson(report)],
    ['summary.md', () => renderSummary(report)],
  ]
  const { samples } = options
  const pages: typeof renderers =
    samples === undefined ? [] : [['report.html', () => renderHtml(report, chartData(report, samples))]]
  const written: string[] = []
  const failed: { file: string; message: string }[] = []
  for (const [file, render] of [...renderers, ...pages]) {
    const path = join(dir, file)
    try {
      await mkdir(dir, { recursive: true })
      await writeAtomically(path, render())
      written.push(path)
    } catch (error) {
      failed.push({ file, message: `${messageOf(error)}${await withdraw(path)}` })
    }
  }
  return { written, failed }
}
