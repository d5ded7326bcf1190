import { formatCount } from './numbers.ts'
import { brokenCells } from './outcome.ts'
import { fitSection } from './sections.ts'
import type { ListSection } from './sections.ts'
import { headlineSection, totalsSection } from './summary-numbers.ts'
import { notesSection, runSection, simulatedBanner } from './summary-run.ts'
import { historySections } from './summary-history.ts'
import { studySections } from './summary-study.ts'
import { adviceSections } from './summary-advice.ts'
import { brokenSections, doubtSections, failureSections, passSections, sortFindings } from './summary-verdicts.ts'
import type { SortedFindings } from './summary-verdicts.ts'
import type { RunReport } from './types.ts'

/** How {@link renderSummary} draws. */
export interface SummaryOptions {
  /** Bytes of UTF-8 that the text may take; parts that do not fit are left out, and the text says so. @default 900 KiB */
  readonly maxBytes?: number | undefined
}

const MAX_BYTES = 900 * 1024

/** The verdict in a line. */
function title(report: RunReport, sorted: SortedFindings): string {
  const broken = brokenCells(report).length
  if (broken > 0)
    return `❌ SLO gate broken: ${formatCount(broken)} of ${formatCount(report.cells.length)} cells without a sample`
  const unjudged = sorted.inconclusive.filter((finding) => finding.onInconclusive === 'fail').length
  if (sorted.failed.length > 0)
    return `❌ SLO failed: ${formatCount(sorted.failed.length)} of ${formatCount(report.findings.length)} budgets breached`
  if (unjudged > 0)
    return `❌ SLO not judged: ${formatCount(unjudged)} of ${formatCount(report.findings.length)} budgets are inconclusive`
  if (report.findings.length === 0) return 'SLO: no budget was judged'
  if (sorted.passed.length === 0 && sorted.warned.length === 0)
    return '⚠️ SLO: nothing breached, nothing judged as within'
  if (report.run.complete === false) return '⚠️ SLO: no budget breached, but the run is not complete'
  return sorted.warned.length + sorted.inconclusive.length > 0 ? '⚠️ SLO passed, with warnings' : '✅ SLO passed'
}

/** The verdict in a line, for a page. */
export function titleOf(report: RunReport): string {
  return `${title(report, sortFindings(report.findings))}${report.run.simulated ? ' (SIMULATED)' : ''}`
}

function counts(sorted: SortedFindings): string {
  const parts = [
    [sorted.failed.length, 'failed'],
    [sorted.inconclusive.length, 'inconclusive'],
    [sorted.warned.length, sorted.warned.length === 1 ? 'warning' : 'warnings'],
    [sorted.passed.length, 'passed'],
  ] as const
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${formatCount(count)} ${word}`)
    .join(' · ')
}

/**
 * Sections in the order that they are read. A section takes what it needs of what is left, but keeps a share for those after it, so that a
 * thousand failures do not push the numbers out.
 */
function fitAll(sections: readonly ListSection[], room: number): string[] {
  let left = room
  return sections.flatMap((section, index) => {
    const after = sections.length - index - 1
    const lines = fitSection(section, after === 0 ? left : Math.floor(left * (after > 3 ? 0.4 : 0.6)))
    left -= lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
    return lines
  })
}

/**
 * The text of `summary.md`: verdicts first, failures on top; then the study's headline table, totals of the targets, facts and notes.
 * @returns `''` where not even the title fits into `maxBytes`
 */
export function renderSummary(report: RunReport, options: SummaryOptions = {}): string {
  const maxBytes = Math.min(options.maxBytes ?? MAX_BYTES, MAX_BYTES)
  const sorted = sortFindings(report.findings)
  const counted = counts(sorted)
  const head = [
    `# ${title(report, sorted)}${report.run.simulated ? ' (SIMULATED)' : ''}`,
    ...simulatedBanner(report),
    ...(counted === '' ? [] : ['', counted]),
  ]
  const headText = `${head.join('\n')}\n`
  const room = maxBytes - Buffer.byteLength(headText)
  if (room < 0) return ''
  const sections = [
    ...failureSections(sorted),
    ...brokenSections(report),
    ...doubtSections(sorted),
    ...passSections(sorted),
    ...historySections(report),
    ...headlineSection(report),
    ...totalsSection(report),
    ...studySections(report),
    ...adviceSections(report),
    ...runSection(report),
    ...notesSection(report),
  ]
  const cut = '\n_The rest did not fit here; see report.json and summary.md._\n'
  if (room < 4096 && sections.length > 0) return room >= Buffer.byteLength(cut) ? `${headText}${cut}` : headText
  const lines = fitAll(sections, room - 1)
  return lines.length === 0 ? headText : `${headText}${lines.join('\n')}\n`
}
