import { quantile, quantileInterval, sortSamples } from '../../src/statistics/index.ts'
import { derived } from './derived.ts'
import { binomialBounds } from './exact.ts'
import { figures } from './published.ts'
import type { CountFigure, DerivedFigure, PercentileFigure } from './published.ts'
import type { StudyRow } from './row.ts'

/** One figure of the study beside the run's own. */
export interface Comparison {
  readonly name: string
  readonly published: string
  readonly measured: number
  /** What the published figure, or the measured count, must lie in. */
  readonly interval: string
  readonly ok: boolean
}

const CLOSE = 0.05
const ABOUT = 0.1
/** Real milliseconds. */
const CLOSE_MS = 2

function shown(value: number): string {
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(4)))
}

function publishedText(figure: PercentileFigure): string {
  const [from, to] = typeof figure.published === 'number' ? [figure.published, figure.published] : figure.published
  return `${figure.tolerance === 'about' ? '≈ ' : ''}${from === to ? shown(from) : `${shown(from)}–${shown(to)}`}`
}

function percentileOf(figure: PercentileFigure, rows: readonly StudyRow[]): Comparison {
  const values = sortSamples(
    rows
      .filter((row) => row.ok && row.target === figure.target && (figure.prompt ?? row.prompt) === row.prompt)
      .flatMap((row) => row[figure.column] ?? []),
  )
  const published = publishedText(figure)
  if (values === undefined)
    return { name: figure.name, published, measured: Number.NaN, interval: 'no samples', ok: false }
  const measured = quantile(values, figure.q)
  const { lower: low, upper: high } = quantileInterval(values, figure.q, 0.999)
  const [from, to] = typeof figure.published === 'number' ? [figure.published, figure.published] : figure.published
  // A figure marked ≈ is not known to the digit: it has a tolerance of its own in place of the interval.
  const inside = figure.tolerance === 'about' || (to >= (low ?? -Infinity) && from <= (high ?? Infinity))
  const scale = Math.max(1, ...rows.flatMap((row) => row.simulated ?? []))
  const share = figure.tolerance === 'about' ? ABOUT : CLOSE
  const allowed = Math.max(share * from, figure.column === 'tps' ? 0 : CLOSE_MS * scale)
  const near = figure.tolerance === 'interval' || Math.abs(measured - from) <= allowed
  return {
    name: figure.name,
    published,
    measured,
    interval:
      figure.tolerance === 'about'
        ? `± ${shown(allowed)}`
        : `${low === null ? '…' : shown(low)} – ${high === null ? '…' : shown(high)}${figure.tolerance === 'close' ? `, ± ${shown(allowed)}` : ''}`,
    ok: (low !== null || high !== null) && inside && near,
  }
}

function countOf(figure: CountFigure, rows: readonly StudyRow[]): Comparison {
  const among = rows.filter((row) => row.target === figure.target && (figure.of === 'requests' || row.ok))
  const measured = among.filter(figure.matches).length
  const { low, high } = binomialBounds(among.length, figure.published / figure.among)
  return {
    name: figure.name,
    published: `${figure.published} of ${figure.among}`,
    measured,
    interval: `${low} – ${high} of ${among.length}`,
    ok: among.length > 0 && measured >= low && measured <= high,
  }
}

function derivedOf(figure: DerivedFigure, rows: readonly StudyRow[]): Comparison {
  const measured = figure.value(rows)
  const [low, high] = figure.bounds(rows)
  return {
    name: figure.name,
    published: figure.published,
    measured,
    interval: `${shown(low)} – ${shown(high)}`,
    ok: measured >= low && measured <= high,
  }
}

/** Compares a run with the study: every published percentile against the run's own exact 99.9 % interval, counts against binomial bounds. */
export function compare(rows: readonly StudyRow[]): Comparison[] {
  return [
    ...figures.map((figure) => (figure.kind === 'percentile' ? percentileOf(figure, rows) : countOf(figure, rows))),
    ...derived.map((figure) => derivedOf(figure, rows)),
  ]
}

/** The comparisons as a table for a terminal. */
export function table(comparisons: readonly Comparison[]): string {
  const lines = [
    ['figure', 'published', 'measured', 'must lie in', ''],
    ...comparisons.map(({ name, published, measured, interval, ok }) => [
      name,
      published,
      shown(measured),
      interval,
      ok ? 'ok' : 'OUTSIDE',
    ]),
  ]
  const widths = [0, 1, 2, 3].map((i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
