import { trim } from '../units.ts'
import { amount, pInWords } from '../verdict/index.ts'
import type { Finding, WorstSample } from '../verdict/types.ts'
import { formatConfidence, formatCount, formatFindingLimit, formatFindingValue } from './numbers.ts'
import { cellName, placeOf } from './outcome.ts'
import { alignColumns, cutText, oneLine } from './plain-text.ts'

/** How {@link renderFinding} draws. */
export interface FindingOptions {
  /** Characters of the longest text from outside on one line. @default 160 */
  readonly maxText?: number | undefined
}

const WORST = 5
const KINDS = 6

/** Why a verdict is inconclusive, in words. */
const REASONS: Readonly<Record<NonNullable<Finding['reason']>, string>> = {
  'no-samples': 'samples are missing',
  'too-few-samples': 'too few samples',
  'partial-selection': 'a filter or a shard left cells out',
  'ended-early': 'the run ended before its schedule did',
  censored: 'requests that our timeouts cut off decide it',
  'client-delay': 'the runner was slow, not necessarily the model',
  'not-proven': '`confidence` asks for a proof, and neither side is proven',
  'no-baseline': 'there is no baseline to compare with',
  'not-significant': 'the samples leave open whether it is a regression',
}

/** What the test of a comparison says, in words. */
function comparisonEvidence({ kind, pAdjusted, pairs }: NonNullable<Finding['comparison']>): string {
  if (pAdjusted === null) return 'not tested'
  const of =
    kind === 'target'
      ? `permutation test of ${formatCount(pairs)} paired rounds`
      : `rank among ${formatCount(pairs)} nights`
  return `${of}: a regression beyond the margin has ${pInWords(pAdjusted)}`
}

/** What the exact binomial bounds say, in words; for a comparison, what its test says. */
export function evidenceInWords(
  finding: Pick<Finding, 'evidence' | 'statistic' | 'verdict'> & Pick<Partial<Finding>, 'comparison'>,
): string {
  const { evidence, statistic, verdict, comparison } = finding
  if (comparison !== undefined) return comparisonEvidence(comparison)
  if (evidence === null) return `none for ${statistic}`
  const at = formatConfidence(evidence.confidence)
  const clumps =
    evidence.clumps === undefined
      ? ''
      : `, exceedances clump by hour (design effect ${trim(evidence.clumps.designEffect, 1)})`
  const provided = clumps === '' ? ', if requests are independent' : clumps
  if (evidence.proven === 'pass') return `proven within at ${at}${provided}`
  if (evidence.proven === 'fail') return `proven beyond at ${at}${provided}`
  if (evidence.samplesMissing === null || verdict === 'fail') return `not proven at ${at}${clumps}`
  const more =
    evidence.samplesMissing === 1 ? '1 more clean sample' : `${formatCount(evidence.samplesMissing)} more clean samples`
  if (verdict === 'pass') return `likely within: ${more} would prove it at ${at}${clumps}`
  return `not proven at ${at}: ${more} would prove it${clumps}`
}

/** A comparison's numbers: `current 1.05 s; p = 0.012, by Holm p = 0.036 over 3; 288 rounds`. */
function comparisonInWords({ comparison, unit, currency }: Finding): string {
  if (comparison === undefined) return ''
  const { kind, baseline, baselineValue, pValue, pAdjusted, comparisons, pairs } = comparison
  const value = baselineValue === null ? 'none' : amount(baselineValue, unit, currency)
  const p = pValue === null ? '' : `; ${pInWords(pValue)}, by Holm ${pInWords(pAdjusted ?? 1)} over ${comparisons}`
  return `${oneLine(baseline)} ${value}${p}; ${formatCount(pairs)} ${kind === 'target' ? 'paired rounds' : 'nights'}`
}

/** Failures by kind on one line, the most frequent first: `http_status 529 ×6, empty ×1`. */
export function failuresInWords(failures: Readonly<Record<string, number>>, most: number = KINDS): string {
  const kinds = Object.entries(failures)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
  const shown = kinds.slice(0, most).map(([kind, count]) => `${oneLine(kind)} ×${formatCount(count)}`)
  return kinds.length > most ? `${shown.join(', ')} and ${kinds.length - most} more kinds` : shown.join(', ')
}

/** A rate has no value a sample; what was measured of its samples says more than a dash. */
function worstValue({ value, censored, measured }: WorstSample, { unit, currency }: Finding): string {
  const shown = value === null ? measured : { value, unit }
  if (shown === undefined) return ''
  return `${censored ? '≥ ' : ''}${amount(shown.value, shown.unit, currency)}`
}

function worstRow(worst: WorstSample, finding: Finding, maxText: number): string[] {
  const cell = [finding.target === 'all' ? worst.target : '', finding.prompt === 'all' ? worst.prompt : '']
  return [
    worstValue(worst, finding),
    worst.started_at,
    cutText(oneLine(cell.filter((name) => name !== '').join(' / ')), maxText),
    oneLine(worst.error_kind ?? ''),
    worst.request_id === null ? 'no request id' : cutText(oneLine(worst.request_id), maxText),
  ]
}

function samplesInWords(finding: Finding): string {
  const parts = [`n ${formatCount(finding.n)}`, `${formatCount(finding.beyond)} beyond`]
  if (finding.failed > 0) parts.push(`${formatCount(finding.failed)} failed`)
  if (finding.censored > 0) parts.push(`${formatCount(finding.censored)} cut off by our timeouts`)
  return parts.join(', ')
}

/**
 * One finding on one screen, for the terminal and for JUnit: the sentence, the budget and its place, value, limit, n, evidence,
 * the five worst samples, failures by kind. No colour, at most 20 lines, no line break at the end.
 */
export function renderFinding(finding: Finding, options: FindingOptions = {}): string {
  const maxText = options.maxText ?? 160
  const place = oneLine(placeOf(finding))
  const rows: [string, string][] = [
    [
      'budget',
      `${finding.budget === finding.text ? '' : `${oneLine(finding.budget)}: `}${oneLine(finding.text)}${place === '' ? '' : ` (${place})`}`,
    ],
    ['cell', oneLine(cellName(finding))],
    ['value', `${formatFindingValue(finding)}, limit ${formatFindingLimit(finding)}`],
    ['samples', samplesInWords(finding)],
    ['evidence', evidenceInWords(finding)],
  ]
  if (finding.comparison !== undefined) rows.push(['baseline', comparisonInWords(finding)])
  if (finding.window !== undefined) {
    const { runs, earlierSamples, since } = finding.window
    rows.push([
      'window',
      `${formatCount(runs)} ${runs === 1 ? 'run' : 'runs'} since ${since}, ${formatCount(earlierSamples)} earlier requests`,
    ])
  }
  if (finding.reason !== undefined) rows.push(['reason', REASONS[finding.reason]])
  const failures = failuresInWords(finding.failures)
  if (failures !== '') rows.push(['failures', failures])
  const worst = finding.worst.slice(0, WORST).map((each) => worstRow(each, finding, maxText))
  const used = [0, 1, 2, 3, 4].filter((column) => worst.some((row) => row[column] !== ''))
  const lines = alignColumns(
    worst.map((row) => used.map((column) => row[column] ?? '')),
    used.map((column) => column === 0),
  )
  for (const [index, line] of lines.entries()) rows.push([index === 0 ? 'worst' : '', line])
  const body = rows.map(([label, text]) => `  ${label.padEnd(8)}  ${cutText(text, 4 * maxText)}`.trimEnd())
  return [cutText(oneLine(finding.message), 2000), ...body].join('\n')
}
