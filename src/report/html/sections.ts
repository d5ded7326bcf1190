import { evidenceInWords, failuresInWords, renderFinding } from '../finding.ts'
import {
  ABSENT,
  formatCost,
  formatCount,
  formatFindingValue,
  formatFindingLimit,
  formatShare,
  formatTableMs,
  formatTableSpeed,
} from '../numbers.ts'
import { brokenCells, cellName, isSimulated, outcomeOf, placeOf } from '../outcome.ts'
import { ADVICE_COLUMNS, ADVICE_METHOD, adviceRow } from '../summary-advice.ts'
import { factsOfRun } from '../summary-run.ts'
import { REGION_COLUMNS, regionRow } from '../summary-study.ts'
import { sortFindings } from '../summary-verdicts.ts'
import type { RunReport } from '../types.ts'
import type { Finding } from '../../verdict/types.ts'
import { formatMs } from '../../units.ts'
import type { ClientHealth } from './chart-data.ts'
import { blocksChart } from './day-blocks.ts'
import { answerChart, speedChart, ttftChart } from './distributions.ts'
import { escaped, named } from './escape.ts'
import { tokensChart } from './prompt-tokens.ts'
import { budgetAndCell, htmlTable, left, longTable, right, wide } from './table.ts'
import type { Markup } from './table.ts'
import type { TargetView } from './target-view.ts'
import { timelineChart } from './timeline.ts'

const ROWS = 400
const SCREENS = 20

function verdictMark(finding: Finding): Markup {
  if (finding.verdict === 'pass') return { html: '<span class="good">✓ pass</span>' }
  const outcome = outcomeOf(finding)
  const words =
    finding.verdict === 'fail'
      ? outcome === 'fail'
        ? '✗ fail'
        : '! warning'
      : `? inconclusive${outcome === 'fail' ? ', fails' : ''}`
  return { html: `<span class="${outcome === 'fail' ? 'bad' : 'warn'}">${words}</span>` }
}

const COLUMNS = [
  left('budget, cell'),
  left('verdict'),
  right('value'),
  right('limit'),
  right('n'),
  right('beyond'),
  wide('evidence'),
  left('place'),
]

function findingTable(caption: string, findings: readonly Finding[]): string {
  if (findings.length === 0) return ''
  const rows = findings
    .slice(0, ROWS)
    .map((finding) => [
      budgetAndCell(finding.budget, cellName(finding)),
      verdictMark(finding),
      formatFindingValue(finding),
      formatFindingLimit(finding),
      formatCount(finding.n),
      formatCount(finding.beyond),
      finding.evidence === null && finding.comparison === undefined ? ABSENT : evidenceInWords(finding),
      placeOf(finding),
    ])
  const more = findings.length > ROWS ? `<p>${formatCount(findings.length - ROWS)} more are in report.json.</p>` : ''
  return `${longTable(caption, COLUMNS, rows)}${more}`
}

/** A finding's sentence, and its facts where a reader wants them. */
function inFull(finding: Finding): string {
  const [sentence = '', ...facts] = renderFinding(finding).split('\n')
  return `<p class="told">${escaped(sentence)}</p>
<details><summary>Facts and worst requests<span class="soft"> of: ${named(finding.budget)}, ${named(cellName(finding))}</span></summary><pre tabindex="0">${escaped(facts.join('\n'))}</pre></details>`
}

/** Verdicts, what fails first. */
export function verdictSection(report: RunReport): string {
  const sorted = sortFindings(report.findings)
  const broken = brokenCells(report)
  const told = [
    ...sorted.failed,
    ...sorted.inconclusive.filter((finding) => outcomeOf(finding) === 'fail'),
    ...sorted.warned,
  ]
    .slice(0, SCREENS)
    .map(inFull)
  const screens = told.length === 0 ? [] : ['<h3>In full</h3>', ...told]
  const doubts = [...sorted.inconclusive, ...sorted.warned]
  const passes =
    sorted.passed.length === 0
      ? ''
      : `<details${sorted.passed.length <= 12 ? ' open' : ''}><summary>${formatCount(sorted.passed.length)} passed</summary>${findingTable('Passed', sorted.passed)}</details>`
  return [
    '<section aria-labelledby="verdicts"><h2 id="verdicts">Verdicts</h2>',
    report.findings.length === 0 ? '<p>No budget was judged.</p>' : '',
    broken.length === 0
      ? ''
      : `<p class="bad"><strong>The gate itself is broken:</strong> without any sample: ${broken
          .slice(0, 20)
          .map((cell) => named(cellName(cell)))
          .join(', ')}${broken.length > 20 ? ` and ${formatCount(broken.length - 20)} more` : ''}</p>`,
    findingTable('Failed', sorted.failed),
    findingTable('Inconclusive and warnings', doubts),
    ...screens,
    passes,
    '</section>',
  ].join('\n')
}

/** The study's headline table. */
export function numbersSection(report: RunReport): string {
  const isMixed = report.cells.some((cell) => !isSimulated(report, cell))
  const columns = [
    left('cell'),
    ...[
      'n',
      'TTFT p50',
      'p95',
      'p99',
      'first answer p50',
      'p95',
      'tok/s p50',
      'tok/s p5',
      'error rate',
      'prompt tokens p50',
      'reply tokens p50',
      'cost',
    ].map(right),
  ]
  const rows = report.cells.slice(0, ROWS).map((cell) => [
    {
      html: `${named(cellName(cell))}${isMixed && isSimulated(report, cell) ? ' <span class="bad">SIMULATED</span>' : ''}`,
    },
    formatCount(cell.n),
    formatTableMs(cell.ttft.p50),
    formatTableMs(cell.ttft.p95),
    formatTableMs(cell.ttft.p99),
    formatTableMs(cell.firstAnswer.p50),
    formatTableMs(cell.firstAnswer.p95),
    formatTableSpeed(cell.decodeTps.p50),
    formatTableSpeed(cell.decodeTps.p5),
    formatShare(cell.failed, cell.n),
    cell.promptTokensP50 === null ? ABSENT : formatCount(cell.promptTokensP50),
    cell.completionTokensP50 === null ? ABSENT : formatCount(cell.completionTokensP50),
    formatCost(cell.cost, cell.currency),
  ])
  const more =
    report.cells.length > ROWS ? `<p>${formatCount(report.cells.length - ROWS)} more cells are in report.json.</p>` : ''
  return `<section aria-labelledby="numbers"><h2 id="numbers">Numbers</h2>
<p class="soft">Percentiles: Hyndman–Fan type 7, over successful requests; n and error rate: all requests.</p>
${longTable('Every cell', columns, rows)}${more}</section>`
}

/** One target: charts, tail, failures, cost. */
export function targetSection(view: TargetView): string {
  const { study, cells, id } = view
  const { tail } = study
  const errors: Record<string, number> = {}
  for (const cell of cells)
    for (const [kind, count] of Object.entries(cell.errors)) errors[kind] = (errors[kind] ?? 0) + count
  const n = cells.reduce((sum, cell) => sum + cell.n, 0)
  const failed = cells.reduce((sum, cell) => sum + cell.failed, 0)
  const costs = cells.flatMap((cell) => cell.cost ?? [])
  const currency = cells.find((cell) => cell.currency !== null)?.currency ?? null
  const charts = [ttftChart, timelineChart, tokensChart, speedChart, answerChart, blocksChart].map((draw) => draw(view))
  const capped = study.prompts.reduce((sum, prompt) => sum + prompt.capped, 0)
  const silent = study.prompts.reduce((sum, prompt) => sum + prompt.neverAnswered, 0)
  const facts: (readonly [string, string])[] = [
    ['Requests', `${formatCount(n)}, ${formatCount(failed)} failed (${formatShare(failed, n)})`],
    [
      'TTFT over 10 s, 30 s, 60 s',
      `${formatCount(tail.ttftOver10s)}, ${formatCount(tail.ttftOver30s)}, ${formatCount(tail.ttftOver60s)} of ${formatCount(study.ok)} successes`,
    ],
    ['Total over 60 s', formatCount(tail.totalOver60s)],
    ['Slowest first token, slowest total', `${formatTableMs(tail.slowestTtft)}, ${formatTableMs(tail.slowestTotal)}`],
    ['Stopped at the token cap', `${formatCount(capped)} (${formatShare(capped, study.ok)})`],
    ['Never answered', `${formatCount(silent)} (${formatShare(silent, study.ok)})`],
    ['Tokens per event, median', study.tokensPerEventP50 === null ? ABSENT : study.tokensPerEventP50.toFixed(2)],
    ['Failures by kind', failuresInWords(errors, 20) || 'none'],
    [
      'Cost',
      costs.length === 0
        ? 'no price'
        : formatCost(
            costs.reduce((sum, cost) => sum + cost, 0),
            currency,
          ),
    ],
  ]
  return `<section aria-labelledby="${id}"><h2 id="${id}">${named(study.probe)} / ${named(study.target)}</h2>
<div class="charts">
${charts.filter((chart) => chart !== '').join('\n')}
</div>
${study.regions === undefined ? '' : `${htmlTable(`Regions of ${study.target}, over all prompts`, REGION_COLUMNS, study.regions.map(regionRow))}\n`}${htmlTable(`Tail, answers, failures and cost of ${study.target}`, [left('what'), wide('how much')], facts)}
</section>`
}

/** What the samples advise a client to set. */
export function adviceSection({ advice = [] }: RunReport): string {
  if (advice.length === 0) return ''
  const columns = ADVICE_COLUMNS.map((title, index) => ({ title, right: index > 1 }))
  const more = advice.length > ROWS ? `<p>${formatCount(advice.length - ROWS)} more rows are in report.json.</p>` : ''
  return `<section aria-labelledby="advice"><h2 id="advice">Timeouts and a retry</h2>
<p class="soft">${escaped(ADVICE_METHOD)}</p>
${longTable('Advice', columns, advice.slice(0, ROWS).map(adviceRow))}${more}</section>`
}

/** How the machine that asked was doing. */
export function healthSection(health: ClientHealth): string {
  const share = (part: number): string =>
    `${formatCount(part)} of ${formatCount(health.n)} (${formatShare(part, health.n)})`
  const rows = [
    ['Requests flagged lag (stamped over 5 ms late)', share(health.lagging)],
    ['Worst delay of the prober', formatMs(health.worstLag)],
    ['Worst bound on a TTFT', health.worstTtftError === null ? ABSENT : formatMs(health.worstTtftError)],
    ['Started over 1 s after their time', share(health.lateOverSecond)],
    ['Latest start', formatMs(health.worstLateness)],
    ['Connections reused', share(health.reused)],
    ['Idle connections found closed and reopened', formatCount(health.reopened)],
    ['Opening a connection, median', health.connectP50 === null ? ABSENT : formatMs(health.connectP50)],
    ['Slowest upload', health.worstSend === null ? ABSENT : formatMs(health.worstSend)],
  ]
  return `<section aria-labelledby="client"><h2 id="client">This client</h2>
<p class="soft">What the machine that asked adds to the numbers, as far as it can be known.</p>
${htmlTable('Client health', [left('what'), wide('how much')], rows)}</section>`
}

/** When it ran, and what a reader should know. */
export function runSection(report: RunReport): string {
  const notes = report.notes.slice(0, 200).map((note) => {
    const place = [note.probe, note.target, note.prompt].filter((name) => name !== undefined).join(' / ')
    return `<li>${place === '' ? '' : `${named(place)}: `}${named(note.message, 2000)}</li>`
  })
  return `<section aria-labelledby="run"><h2 id="run">The run</h2>
${htmlTable('The run', [left('what'), wide('how much')], factsOfRun(report))}
${notes.length === 0 ? '' : `<h3>Notes</h3><ul>${notes.join('\n')}</ul>`}</section>`
}
