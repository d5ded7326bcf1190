import { open } from 'node:fs/promises'
import { messageOf } from '../errors.ts'
import { brokenCells, cellName, outcomeOf } from './outcome.ts'
import { cleanText, cutText, oneLine } from './plain-text.ts'
import { renderSummary } from './summary.ts'
import type { RunReport } from './types.ts'

/** GitHub drops a step's whole summary where it exceeds this. */
const STEP_SUMMARY_BYTES = 1024 * 1024

const MAX_MESSAGE = 4000

/** Data of a workflow command: `%` and line breaks are escaped, as GitHub's toolkit does. */
function escapeData(text: string): string {
  return cleanText(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

/** Properties also escape what ends them: `:` and `,`. */
function escapeProperty(text: string): string {
  return escapeData(oneLine(text)).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

/**
 * Workflow commands that GitHub shows beside `slo.yaml`: one `::error` for each finding that fails its test, then one for each selected
 * cell without any sample; at most `limit`, the last of which says how many more there are.
 */
export function githubAnnotations(report: RunReport, options: { readonly limit?: number | undefined } = {}): string[] {
  const limit = options.limit ?? 10
  const failures = report.findings
    .filter((finding) => outcomeOf(finding) === 'fail')
    .map((finding) => {
      const { file, line, column } = finding.source
      const title = `${finding.budget}: ${cellName(finding)}`
      return {
        properties: `file=${escapeProperty(file)},line=${line},col=${column},title=${escapeProperty(cutText(title, 200))}`,
        message: finding.message,
      }
    })
  const broken = brokenCells(report).map((cell) => ({
    properties: `title=${escapeProperty(cutText(cellName(cell), 200))}`,
    message: `${oneLine(cellName(cell))} has no sample though nobody interrupted the run`,
  }))
  const all = [...failures, ...broken]
  const shown = all.slice(0, Math.max(0, limit))
  const hidden = all.length - shown.length
  return shown.map(({ properties, message }, index) => {
    const more = hidden > 0 && index === shown.length - 1 ? `\n(and ${hidden} more: see summary.md)` : ''
    return `::error ${properties}::${escapeData(`${cutText(message, MAX_MESSAGE)}${more}`)}`
  })
}

/** What came of {@link appendStepSummary}. `cut`: parts were left out, and the text says so. */
export type StepSummaryResult =
  | { readonly appended: 'whole' | 'cut' }
  | { readonly appended: 'nothing'; readonly message: string }

/**
 * Appends the summary to `$GITHUB_STEP_SUMMARY`. What the file holds already counts towards the limit of 1 MiB, beyond which GitHub
 * would drop all of it: the summary is cut to fit, or left out. Never rejects.
 * @param file - path of the step's summary file, made where it is missing
 */
export async function appendStepSummary(report: RunReport, file: string): Promise<StepSummaryResult> {
  try {
    const handle = await open(file, 'a+')
    try {
      const { size } = await handle.stat()
      const before = size === 0 ? '' : '\n\n'
      const room = STEP_SUMMARY_BYTES - size - before.length
      const whole = renderSummary(report)
      const fits = Buffer.byteLength(whole) <= room
      const text = fits ? whole : renderSummary(report, { maxBytes: room })
      if (text === '') return { appended: 'nothing', message: `${file} has no room left under GitHub's limit of 1 MiB` }
      await handle.appendFile(`${before}${text}`)
      return { appended: fits ? 'whole' : 'cut' }
    } finally {
      await handle.close()
    }
  } catch (error) {
    return { appended: 'nothing', message: messageOf(error) }
  }
}

/** Where GitHub's summary and annotations go. */
export interface GitHubJob {
  /** `process.env` is one: `GITHUB_ACTIONS`, `GITHUB_STEP_SUMMARY`. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Print annotations; not where another reporter does. */
  readonly annotate: boolean
  /** Standard output, where GitHub reads commands. */
  readonly print: (line: string) => void
  /** Standard error: says what was cut or left out. */
  readonly say: (line: string) => void
}

/** On GitHub Actions: the summary to the job's page, failures beside `slo.yaml`. Elsewhere nothing. Never rejects. */
export async function tellGitHub(report: RunReport, job: GitHubJob): Promise<void> {
  const { variables, annotate, print, say } = job
  if (variables['GITHUB_ACTIONS'] !== 'true') return
  const summary = variables['GITHUB_STEP_SUMMARY'] ?? ''
  if (summary !== '') {
    const result = await appendStepSummary(report, summary)
    if (result.appended === 'cut')
      say("slo  the step summary was cut to fit GitHub's limit of 1 MiB a step: summary.md has it whole")
    if (result.appended === 'nothing') say(`slo  the step summary was left out: ${result.message}`)
  }
  if (!annotate) return
  for (const line of githubAnnotations(report, { limit: 10 })) print(line)
}
