import { failuresInWords } from './finding.ts'
import { markdownText } from './markdown.ts'
import { ABSENT, formatCost, formatCount, formatShare, formatTableMs, formatTableSpeed } from './numbers.ts'
import { isSimulated } from './outcome.ts'
import { tableSection } from './sections.ts'
import type { ListSection } from './sections.ts'
import type { CellSummary, RunReport } from './types.ts'

interface TargetTotal {
  readonly probe: string
  readonly target: string
  readonly n: number
  readonly failed: number
  readonly errors: Readonly<Record<string, number>>
  readonly cost: number | null
  readonly currency: string | null
}

function added(total: TargetTotal, cell: CellSummary): TargetTotal {
  const errors: Record<string, number> = { ...total.errors }
  for (const [kind, count] of Object.entries(cell.errors)) errors[kind] = (errors[kind] ?? 0) + count
  return {
    ...total,
    n: total.n + cell.n,
    failed: total.failed + cell.failed,
    errors,
    cost: cell.cost === null ? total.cost : (total.cost ?? 0) + cell.cost,
    currency: total.currency ?? cell.currency,
  }
}

function targetTotals(cells: readonly CellSummary[]): TargetTotal[] {
  const totals = new Map<string, TargetTotal>()
  for (const cell of cells) {
    const key = JSON.stringify([cell.probe, cell.target])
    const empty: TargetTotal = {
      probe: cell.probe,
      target: cell.target,
      n: 0,
      failed: 0,
      errors: {},
      cost: null,
      currency: null,
    }
    totals.set(key, added(totals.get(key) ?? empty, cell))
  }
  return [...totals.values()]
}

const right = (title: string) => ({ title, right: true })

/** The study's headline table: one row a cell. */
export function headlineSection(report: RunReport): ListSection[] {
  if (report.cells.length === 0) return []
  const columns = [
    { title: 'Probe' },
    { title: 'Target' },
    { title: 'Prompt' },
    ...['n', 'TTFT p50', 'p95', 'p99', 'first answer p50', 'tok/s p50', 'tok/s p5', 'error rate'].map(right),
    ...['reply tokens p50', 'cost'].map(right),
  ]
  const isMixed = report.cells.some((cell) => !isSimulated(report, cell))
  const rows = report.cells.map((cell) => [
    markdownText(cell.probe),
    isMixed && isSimulated(report, cell) ? `${markdownText(cell.target)} (SIMULATED)` : markdownText(cell.target),
    markdownText(cell.prompt),
    formatCount(cell.n),
    formatTableMs(cell.ttft.p50),
    formatTableMs(cell.ttft.p95),
    formatTableMs(cell.ttft.p99),
    formatTableMs(cell.firstAnswer.p50),
    formatTableSpeed(cell.decodeTps.p50),
    formatTableSpeed(cell.decodeTps.p5),
    formatShare(cell.failed, cell.n),
    cell.completionTokensP50 === null ? ABSENT : formatCount(cell.completionTokensP50),
    markdownText(formatCost(cell.cost, cell.currency)),
  ])
  const title = report.run.simulated && !isMixed ? '## Numbers (SIMULATED, not measured)' : '## Numbers'
  const method = 'Percentiles: Hyndman–Fan type 7, over successful requests; n and error rate: all requests.'
  return [
    tableSection(
      ['', title, '', method],
      columns,
      rows,
      (count) => `${formatCount(count)} more cells are left out here; report.json has them all.`,
    ),
  ]
}

/** Per target over all prompts, with failures by kind. */
export function totalsSection(report: RunReport): ListSection[] {
  const totals = targetTotals(report.cells)
  if (totals.length === 0) return []
  const columns = [
    { title: 'Probe' },
    { title: 'Target' },
    ...['n', 'failed', 'error rate', 'cost'].map(right),
    { title: 'Failures by kind' },
  ]
  const rows = totals.map((total) => [
    markdownText(total.probe),
    markdownText(total.target),
    formatCount(total.n),
    formatCount(total.failed),
    formatShare(total.failed, total.n),
    markdownText(formatCost(total.cost, total.currency)),
    markdownText(failuresInWords(total.errors, 20)) || ABSENT,
  ])
  return [
    tableSection(
      ['', '## Targets, over all prompts'],
      columns,
      rows,
      (count) => `${formatCount(count)} more targets are left out here; report.json has their cells.`,
    ),
  ]
}
