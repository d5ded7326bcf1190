import type { Finding } from '../verdict/types.ts'
import { evidenceInWords, renderFinding } from './finding.ts'
import { codeBlock, markdownText } from './markdown.ts'
import type { Column } from './markdown.ts'
import { ABSENT, formatCount, formatFindingBound, formatFindingValue } from './numbers.ts'
import { brokenCells, cellName, outcomeOf, placeOf } from './outcome.ts'
import { tableSection } from './sections.ts'
import type { ListSection } from './sections.ts'
import type { RunReport } from './types.ts'

const COLUMNS: readonly Column[] = [
  { title: 'Verdict' },
  { title: 'Budget' },
  { title: 'Probe' },
  { title: 'Target' },
  { title: 'Prompt' },
  { title: 'Value', right: true },
  { title: 'Limit', right: true },
  { title: 'n', right: true },
  { title: 'Beyond', right: true },
  { title: 'Evidence' },
  { title: 'Place' },
]

/** Failures told in full, before the table takes over. */
const SCREENS = 20

const MAX_SENTENCE = 2000

/** One word for what a finding does. */
function verdictWord(finding: Finding): string {
  if (finding.verdict === 'pass') return '✅ pass'
  if (finding.verdict === 'fail') return finding.severity === 'fail' ? '❌ fail' : '⚠️ warning'
  const outcome = outcomeOf(finding)
  if (outcome === 'fail') return '❓ inconclusive, fails'
  return outcome === 'skip' ? '❓ inconclusive, skipped' : '❓ inconclusive'
}

/** The operator stays as it is: before a space it is no HTML. */
function limitCell(finding: Finding): string {
  return `${finding.operator} ${markdownText(formatFindingBound(finding))}`
}

function row(finding: Finding): string[] {
  return [
    verdictWord(finding),
    markdownText(finding.budget),
    markdownText(finding.probe),
    markdownText(finding.target),
    markdownText(finding.prompt),
    markdownText(formatFindingValue(finding)),
    limitCell(finding),
    formatCount(finding.n),
    formatCount(finding.beyond),
    finding.evidence === null && finding.comparison === undefined ? ABSENT : markdownText(evidenceInWords(finding)),
    markdownText(placeOf(finding)),
  ]
}

/** The findings by what a reader must see first. */
export interface SortedFindings {
  readonly failed: readonly Finding[]
  readonly inconclusive: readonly Finding[]
  readonly warned: readonly Finding[]
  readonly passed: readonly Finding[]
}

/** Failures, inconclusive ones (those that fail their test first), warnings, passes; else in the order of slo.yaml. */
export function sortFindings(findings: readonly Finding[]): SortedFindings {
  const inconclusive = findings.filter((finding) => finding.verdict === 'inconclusive')
  const breached = findings.filter((finding) => finding.verdict === 'fail')
  return {
    failed: breached.filter((finding) => finding.severity === 'fail'),
    inconclusive: [
      ...inconclusive.filter((finding) => outcomeOf(finding) === 'fail'),
      ...inconclusive.filter((finding) => outcomeOf(finding) !== 'fail'),
    ],
    warned: breached.filter((finding) => finding.severity === 'warn'),
    passed: findings.filter((finding) => finding.verdict === 'pass'),
  }
}

const more = (what: string) => (count: number) =>
  `${formatCount(count)} more ${what} left out here; report.json has them all.`

/** Budgets that were breached, the first twenty in full. */
export function failureSections(sorted: SortedFindings): ListSection[] {
  const { failed } = sorted
  if (failed.length === 0) return []
  const table = tableSection(['', '## Failed'], COLUMNS, failed.map(row), more('failed budgets are'))
  const screens: ListSection = {
    head: [],
    items: failed.slice(0, SCREENS).map((finding) => {
      // a sentence wraps, a line of code does not
      const [sentence = '', ...facts] = renderFinding(finding).split('\n')
      return [
        '',
        `### ${markdownText(finding.budget)}: ${markdownText(cellName(finding))}`,
        '',
        markdownText(sentence, MAX_SENTENCE),
        '',
        codeBlock(facts.join('\n')),
      ]
    }),
    omitted: more('failures in full are'),
  }
  return [table, screens]
}

/** Selected cells without any sample. */
export function brokenSections(report: RunReport): ListSection[] {
  const broken = brokenCells(report)
  if (broken.length === 0) return []
  return [
    {
      head: [
        '',
        '## Without any sample',
        '',
        'The gate itself is broken: nobody interrupted the run, yet these cells were never sampled.',
        '',
      ],
      items: broken.map((cell) => [`- ${markdownText(cellName(cell))}`]),
      omitted: more('cells without a sample are'),
    },
  ]
}

/** What could not be judged, and what only warns, each with its sentence. */
export function doubtSections(sorted: SortedFindings): ListSection[] {
  const told = [...sorted.inconclusive, ...sorted.warned]
  if (told.length === 0) return []
  return [
    tableSection(
      ['', '## Inconclusive and warnings'],
      COLUMNS,
      told.map(row),
      more('inconclusive budgets and warnings are'),
    ),
    {
      head: [''],
      items: told.map((finding) => [
        `- ${markdownText(finding.budget)}, ${markdownText(cellName(finding))}: ${markdownText(finding.message, MAX_SENTENCE)}`,
      ]),
      omitted: more('sentences are'),
    },
  ]
}

/** Passes, folded. */
export function passSections(sorted: SortedFindings): ListSection[] {
  const { passed } = sorted
  if (passed.length === 0) return []
  const summary = `<details><summary>${formatCount(passed.length)} passed</summary>`
  return [
    tableSection(['', '## Passed', '', summary], COLUMNS, passed.map(row), more('passes are'), ['', '</details>']),
  ]
}
