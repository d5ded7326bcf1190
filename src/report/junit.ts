import type { Finding } from '../verdict/types.ts'
import { evidenceInWords, renderFinding } from './finding.ts'
import { formatFindingLimit, formatFindingValue, plainNumber } from './numbers.ts'
import { brokenCells, cellName, isSimulated, outcomeOf, placeOf } from './outcome.ts'
import type { Outcome } from './outcome.ts'
import { cutText, oneLine } from './plain-text.ts'
import { classNames, uniqueNames } from './test-names.ts'
import type { RunReport } from './types.ts'
import { xmlAttributes, xmlText } from './xml.ts'

/** How {@link renderJunit} draws. */
export interface JunitOptions {
  /** Leaves out what the Jenkins schema does not know: properties, `file`, `line`. @default false */
  readonly strict?: boolean | undefined
}

const MAX_MESSAGE = 8000

interface Case {
  readonly outcome: Outcome | 'error'
  readonly lines: readonly string[]
}

/** Seconds with at most three decimals, never in exponents. */
function seconds(fromIso: string, toIso: string): string {
  const ms = Date.parse(toIso) - Date.parse(fromIso)
  return String(Number.isFinite(ms) && ms > 0 ? Math.round(ms) / 1000 : 0)
}

function properties(values: Readonly<Record<string, string | number | undefined>>, indent: string): string[] {
  const present = Object.entries(values).filter(([, value]) => value !== undefined)
  return [
    `${indent}<properties>`,
    ...present.map(([name, value]) => `${indent}  <property${xmlAttributes({ name, value })}/>`),
    `${indent}</properties>`,
  ]
}

function findingProperties(finding: Finding): Readonly<Record<string, string | number | undefined>> {
  return {
    verdict: finding.verdict,
    value: finding.value === null ? undefined : plainNumber(finding.value, finding),
    value_is_lower_bound: finding.valueIsBound ? 'true' : undefined,
    operator: finding.operator,
    limit: plainNumber(finding.limit, finding),
    unit: finding.unit === 'currency' ? (finding.currency ?? finding.unit) : finding.unit,
    n: finding.n,
    beyond: finding.beyond,
    failed: finding.failed,
    censored: finding.censored,
    evidence: evidenceInWords(finding),
    percentile_method: percentileMethod(finding),
  }
}

/** Comparisons weigh all samples; every other percentile lies between two of them. */
function percentileMethod({ statistic, comparison }: Finding): string | undefined {
  if (!statistic.startsWith('p')) return undefined
  return comparison === undefined ? 'Hyndman-Fan type 7, linear interpolation' : 'Harrell-Davis'
}

/** The numbers once more in words, for readers that show no properties. */
function systemOut(finding: Finding, outcome: Outcome, simulated: boolean): string {
  const numbers = [
    `value ${formatFindingValue(finding)}`,
    `limit ${formatFindingLimit(finding)}`,
    `n ${finding.n}`,
    `beyond ${finding.beyond}`,
    `failed ${finding.failed}`,
    `censored ${finding.censored}`,
  ]
  return [
    ...(simulated ? ['SIMULATED, not measured'] : []),
    ...(outcome === 'warn' ? [renderFinding(finding), `(${oneLine(placeOf(finding))})`] : []),
    `${finding.verdict}: ${oneLine(finding.text)}: ${numbers.join(', ')}`,
    `evidence: ${evidenceInWords(finding)}`,
    ...(percentileMethod(finding) === undefined ? [] : [`percentile method: ${percentileMethod(finding)}`]),
  ].join('\n')
}

function findingCase(
  finding: Finding,
  name: { readonly classname: string; readonly name: string },
  report: RunReport,
  strict: boolean,
): Case {
  const outcome = outcomeOf(finding)
  const message = cutText(finding.message, MAX_MESSAGE)
  const place = strict ? {} : { file: finding.source.file, line: finding.source.line }
  const lines = [`    <testcase${xmlAttributes({ ...name, time: '0', ...place })}>`]
  if (!strict) lines.push(...properties(findingProperties(finding), '      '))
  if (outcome === 'skip') lines.push(`      <skipped${xmlAttributes({ message })}/>`)
  if (outcome === 'fail') {
    const type = finding.verdict === 'fail' ? 'breach' : 'inconclusive'
    const body = `${renderFinding(finding)}\n(${oneLine(placeOf(finding))})`
    lines.push(`      <failure${xmlAttributes({ message, type })}>${xmlText(body)}</failure>`)
  }
  lines.push(
    `      <system-out>${xmlText(systemOut(finding, outcome, isSimulated(report, finding)))}</system-out>`,
    '    </testcase>',
  )
  return { outcome, lines }
}

function cases(report: RunReport, strict: boolean): Case[] {
  const broken = brokenCells(report)
  const classNameOf = classNames([...report.findings, ...report.cells])
  const uniqueIn = uniqueNames()
  const judged = report.findings.map((finding) => {
    const classname = classNameOf(finding)
    return findingCase(finding, { classname, name: uniqueIn(classname, oneLine(finding.budget)) }, report, strict)
  })
  const unsampled = broken.map((cell): Case => {
    const classname = classNameOf(cell)
    const message = `${oneLine(cellName(cell))} has no sample though nobody interrupted the run: the gate is broken`
    return {
      outcome: 'error',
      lines: [
        `    <testcase${xmlAttributes({ classname, name: uniqueIn(classname, 'sampled'), time: '0' })}>`,
        `      <error${xmlAttributes({ message, type: 'no-samples' })}>${xmlText(message)}</error>`,
        '    </testcase>',
      ],
    }
  })
  return [...judged, ...unsampled]
}

/**
 * The text of `junit.xml`: one testcase per budget × cell, one `<error>` per selected cell without any sample. No measured value
 * stands in a name. Well formed for whatever text comes in.
 */
export function renderJunit(report: RunReport, options: JunitOptions = {}): string {
  const strict = options.strict === true
  const { run } = report
  const all = cases(report, strict)
  const count = (outcome: Case['outcome']): number => all.filter((each) => each.outcome === outcome).length
  const time = seconds(run.startedAt, run.endedAt)
  const totals = { tests: all.length, failures: count('fail'), errors: count('error') }
  const startedAt = Date.parse(run.startedAt)
  const suite = {
    name: 'slo',
    ...totals,
    skipped: count('skip'),
    time,
    timestamp: Number.isNaN(startedAt) ? undefined : new Date(startedAt).toISOString().slice(0, 19),
  }
  const facts = {
    run: run.id,
    complete: String(run.complete ?? 'unknown'),
    interrupted: String(run.interrupted ?? 'unknown'),
    simulated: String(run.simulated),
    time_scale: run.timeScale,
    planned: run.planned ?? 'unknown',
    sampled: run.sampled,
    missed_rounds: run.missedRounds ?? 'unknown',
  }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${xmlAttributes({ name: 'vitest-slo', time, ...totals })}>`,
    `  <testsuite${xmlAttributes(suite)}>`,
    ...(strict ? [] : properties(facts, '    ')),
    ...all.flatMap((each) => each.lines),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}
