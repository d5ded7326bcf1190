import { curveStepAfter, line } from 'd3-shape'
import { formatCount, formatTableMs, formatTableSpeed } from '../numbers.ts'
import { SHARES } from './chart-data.ts'
import type { Distribution, LimitLine, PromptCharts, Step } from './chart-data.ts'
import { escaped } from './escape.ts'
import { BOTTOM, coordinate, figure, TOP, WIDTH } from './frame.ts'
import type { Key } from './frame.ts'
import { fromZero, logTimes, shares } from './scales.ts'
import type { Scaled } from './scales.ts'
import { htmlTable, left, right } from './table.ts'
import type { TargetView } from './target-view.ts'

interface Series {
  readonly name: string
  readonly n: number
  readonly values: Distribution
}

function quantileOf({ quantiles }: Distribution, percent: number): number | null {
  return quantiles[SHARES.indexOf(percent)] ?? null
}

function stepPath(steps: readonly Step[], x: Scaled, y: Scaled, series: number): string {
  const [first] = steps
  if (first === undefined) return ''
  const draw = line<Step>()
    .x(([value]) => Math.round(x.of(value) * 10) / 10)
    .y(([, share]) => Math.round(y.of(share) * 10) / 10)
    .curve(curveStepAfter)
  return `<path class="line s${series % 6} d${series % 6}" d="${draw([[first[0], 0], ...steps]) ?? ''}"/>`
}

/** Height of a row of labels above the drawing. */
const LABEL_ROW = 17

interface Verticals {
  readonly marks: string
  /** Room that the labels take above the drawing. */
  readonly above: number
}

/** What a character of a label takes at most: on a narrow screen text is larger. */
const CHARACTER = 8.7

interface PlacedLimit extends LimitLine {
  readonly at: number
}

const widthOf = ({ text }: LimitLine): number => text.length * CHARACTER + 4

/**
 * On which side of its line each label stands, rows from below. Labels that all end at their line, the smallest lowest, are crossed by no line;
 * nor are labels that all start there, the largest lowest. Only where neither fits do some stand on each side.
 */
function labelRows(limits: readonly PlacedLimit[]): readonly (PlacedLimit & { readonly side: 'end' | 'start' })[] {
  const fitsLeft = (each: PlacedLimit): boolean => each.at - widthOf(each) >= 0
  const fitsRight = (each: PlacedLimit): boolean => each.at + widthOf(each) <= WIDTH
  const endsAll = limits.every(fitsLeft)
  const startsAll = !endsAll && limits.every(fitsRight)
  const ends = limits.filter((each) => endsAll || (!startsAll && fitsLeft(each)))
  return [
    ...ends.toSorted((a, b) => a.at - b.at).map((each) => ({ ...each, side: 'end' as const })),
    ...limits
      .filter((each) => !ends.includes(each))
      .toSorted((a, b) => b.at - a.at)
      .map((each) => ({ ...each, side: 'start' as const })),
  ]
}

/** Limits as upright lines, their labels in rows above the drawing, where no curve is. */
function verticals(limits: readonly LimitLine[], x: Scaled): Verticals {
  const rows = labelRows(limits.slice(0, 4).map((limit) => ({ ...limit, at: x.of(limit.value) })))
  const marks = rows.map(({ at, text, side }, row) => {
    const y = TOP - 5 - row * LABEL_ROW
    const beside = coordinate(side === 'end' ? at - 4 : at + 4)
    return `<line class="limit" x1="${coordinate(at)}" x2="${coordinate(at)}" y1="${y - 10}" y2="${BOTTOM}"/><text class="limit-text" x="${beside}" y="${y}" text-anchor="${side}">${escaped(text)}</text>`
  })
  return { marks: marks.join(''), above: rows.length * LABEL_ROW }
}

function distribution(
  view: TargetView,
  options: {
    readonly id: string
    readonly title: string
    readonly series: readonly Series[]
    readonly limits: readonly LimitLine[]
    readonly x: (values: readonly number[]) => Scaled
    readonly format: (value: number | null) => string
    readonly say: (values: Distribution) => string
  },
): string {
  const { id, title, limits, format, say } = options
  const series = options.series.filter(({ values }) => values.steps.length > 0)
  if (series.length === 0) return ''
  const x = options.x([
    ...series.flatMap(({ values }) => values.steps.map(([value]) => value)),
    ...limits.map(({ value }) => value),
  ])
  const y = shares('share of successes at or below')
  const lines = verticals(limits, x)
  const told = series.slice(0, 4).map(({ name, values }) => `${name}: ${say(values)}`)
  const budgets = limits.length === 0 ? '' : ` Dashed: ${limits.map(({ text }) => text).join(', ')}.`
  const columns = [left('prompt'), right('n'), ...['p5', 'p25', 'p50', 'p75', 'p95', 'p99', 'most'].map(right)]
  const rows = series.map(({ name, n, values }) => [
    name,
    formatCount(n),
    ...SHARES.map((percent) => format(quantileOf(values, percent))),
  ])
  return figure({
    id: `${view.id}-${id}`,
    title,
    description: `${told.join('; ')}.${budgets}`,
    x: x.axis,
    y: y.axis,
    keys: series.map(({ name }, index): Key => ({ name, series: index, mark: 'line' })),
    above: lines.above,
    marks: `${lines.marks}${series.map(({ values }, index) => stepPath(values.steps, x, y, index)).join('\n')}`,
    table: htmlTable(`${title}: percentiles`, columns, rows),
  })
}

const seriesOf = (prompts: readonly PromptCharts[], of: 'ttft' | 'speed' | 'firstAnswer'): Series[] =>
  prompts.map((each) => ({ name: each.prompt, n: each.n, values: each[of] }))

const sayTimes = (values: Distribution): string =>
  `p50 ${formatTableMs(quantileOf(values, 50))}, p95 ${formatTableMs(quantileOf(values, 95))}, p99 ${formatTableMs(quantileOf(values, 99))}`

const saySpeeds = (values: Distribution): string =>
  `p50 ${formatTableSpeed(quantileOf(values, 50))}, p5 ${formatTableSpeed(quantileOf(values, 5))} tok/s`

/** ECDF of TTFT on a log scale, with the budgets' limits. */
export function ttftChart(view: TargetView): string {
  return distribution(view, {
    id: 'ttft',
    title: 'Time to first token',
    series: seriesOf(view.charts.prompts, 'ttft'),
    limits: view.charts.ttftLimits,
    x: (values) => logTimes('time to first token, log scale', 'x', values),
    format: formatTableMs,
    say: sayTimes,
  })
}

/** ECDF of decode speed. */
export function speedChart(view: TargetView): string {
  return distribution(view, {
    id: 'speed',
    title: 'Decode speed',
    series: seriesOf(view.charts.prompts, 'speed'),
    limits: view.charts.speedLimits,
    x: (values) => fromZero('tokens per second', 'x', values),
    format: formatTableSpeed,
    say: saySpeeds,
  })
}

/** First token against first answer: of a model that reasons they lie far apart. */
export function answerChart(view: TargetView): string {
  const { prompts } = view.charts
  const differ = prompts.filter(({ ttft, firstAnswer }) => quantileOf(ttft, 50) !== quantileOf(firstAnswer, 50))
  if (differ.length === 0) return ''
  const series = prompts.flatMap((each): Series[] => [
    { name: `${each.prompt}: first token`, n: each.n, values: each.ttft },
    { name: `${each.prompt}: first answer`, n: each.n, values: each.firstAnswer },
  ])
  return distribution(view, {
    id: 'answer',
    title: 'First token against first answer',
    series: series.slice(0, 6),
    limits: [],
    x: (values) => logTimes('time after the request was sent, log scale', 'x', values),
    format: formatTableMs,
    say: sayTimes,
  })
}
