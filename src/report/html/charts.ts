import { curveStepAfter, line } from 'd3-shape'
import { knownZone, localTime } from '../local-time.ts'
import { formatCount, formatShare, formatTableMs, formatTableSpeed } from '../numbers.ts'
import type { CellSummary, RunReport, StudyTarget } from '../types.ts'
import { trim } from '../../units.ts'
import { blockName, shiftInWords } from '../summary-study.ts'
import { SHARES } from './chart-data.ts'
import type { Distribution, LimitLine, PromptCharts, Step, TargetCharts } from './chart-data.ts'
import { escaped } from './escape.ts'
import { BOTTOM, LEFT, RIGHT, TOP, coordinate, figure } from './frame.ts'
import type { Key } from './frame.ts'
import { fromZero, instants, logTimes, shares, shortMs } from './scales.ts'
import type { Scaled } from './scales.ts'
import { htmlTable, left, right } from './table.ts'

/** A target with all that is known of it. */
export interface TargetView {
  readonly id: string
  readonly charts: TargetCharts
  readonly study: StudyTarget
  readonly cells: readonly CellSummary[]
  readonly report: RunReport
}

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

function verticals(limits: readonly LimitLine[], x: Scaled): string {
  return limits
    .slice(0, 4)
    .map(({ value, text }, index) => {
      const at = x.of(value)
      const side = at > (LEFT + RIGHT) / 2 ? 'end' : 'start'
      const beside = side === 'end' ? at - 4 : at + 4
      return `<line class="limit" x1="${coordinate(at)}" x2="${coordinate(at)}" y1="${TOP}" y2="${BOTTOM}"/><text class="limit-text" x="${coordinate(beside)}" y="${BOTTOM - 8 - index * 15}" text-anchor="${side}">${escaped(text)}</text>`
    })
    .join('')
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
  const y = shares('share of requests at or below')
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
    marks: `${verticals(limits, x)}${series.map(({ values }, index) => stepPath(values.steps, x, y, index)).join('\n')}`,
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

/** Every request over the run, failures and stretches without rounds marked. */
export function timelineChart(view: TargetView): string {
  const { charts, report } = view
  const { points, failures, gaps } = charts
  const times = [...points, ...failures].map(({ at }) => at).filter((at) => !Number.isNaN(at))
  if (times.length === 0) return ''
  const zone = knownZone(report.run.timezone)
  const x = instants(`time of day, ${zone}`, [...times, ...gaps.flat()], zone)
  const limits = charts.ttftLimits.slice(0, 2)
  const y = logTimes('time to first token, log scale', 'y', [
    ...points.map(({ ttft }) => ttft),
    ...limits.map(({ value }) => value),
  ])
  const dots = points.map(
    ({ at, ttft, prompt }) =>
      `<circle class="dot s${Math.max(0, prompt) % 6}" cx="${coordinate(x.of(at))}" cy="${coordinate(y.of(ttft))}" r="2.4"/>`,
  )
  const crosses = failures.map(({ at }) => {
    const [cx, cy] = [x.of(at), TOP + 5]
    return `<path class="fail" d="M${coordinate(cx - 4)} ${cy - 4}l8 8m0 -8l-8 8"/>`
  })
  const bands = gaps.map(
    ([from, to]) =>
      `<rect class="gap" x="${coordinate(x.of(from))}" width="${coordinate(Math.max(2, x.of(to) - x.of(from)))}" y="${TOP}" height="${BOTTOM - TOP}"/>`,
  )
  const lines = limits.map(
    ({ value, text }) =>
      `<line class="limit" x1="${LEFT}" x2="${RIGHT}" y1="${coordinate(y.of(value))}" y2="${coordinate(y.of(value))}"/><text class="limit-text" x="${RIGHT - 2}" y="${coordinate(y.of(value) - 4)}" text-anchor="end">${escaped(text)}</text>`,
  )
  const shown =
    charts.pointsOf > points.length
      ? ` ${formatCount(points.length)} of ${formatCount(charts.pointsOf)} successes are drawn, the slowest among them.`
      : ''
  const missed =
    report.run.missedRounds === null
      ? 'how many rounds were missed is unknown'
      : `${formatCount(report.run.missedRounds)} rounds missed in the run`
  const slowest = points.toSorted((a, b) => b.ttft - a.ttft).slice(0, 10)
  const rows = [
    ...slowest.map(({ at, ttft, prompt }) => [
      localTime(new Date(at).toISOString(), zone),
      charts.prompts[prompt]?.prompt ?? '',
      formatTableMs(ttft),
    ]),
    ...failures
      .slice(0, 20)
      .map(({ at, kind }) => [Number.isNaN(at) ? 'unknown' : localTime(new Date(at).toISOString(), zone), '', kind]),
  ]
  return figure({
    id: `${view.id}-time`,
    title: 'The run over time',
    description: `${formatCount(charts.pointsOf)} successes, ${formatCount(charts.failuresOf)} ${charts.failuresOf === 1 ? 'failure' : 'failures'}${charts.failuresOf === 0 ? '' : ' (crosses at the top)'}; ${missed}${gaps.length > 0 ? ' (grey: no round began)' : ''}.${shown}`,
    x: x.axis,
    y: y.axis,
    keys: charts.prompts.map(({ prompt }, index): Key => ({ name: prompt, series: index, mark: 'dot' })),
    marks: [...bands, ...lines, ...dots, ...crosses].join('\n'),
    table: htmlTable(
      'The ten slowest, and failures',
      [left(`time, ${zone}`), left('prompt'), right('TTFT, or failure')],
      rows,
    ),
  })
}

/** TTFT against prompt tokens. */
export function tokensChart(view: TargetView): string {
  const { charts, study } = view
  const points = charts.points.flatMap((point) => (point.tokens === null ? [] : [{ ...point, tokens: point.tokens }]))
  if (points.length === 0) return ''
  const x = fromZero(
    'prompt tokens',
    'x',
    points.map(({ tokens }) => tokens),
    (value) => (value >= 1000 ? `${trim(value / 1000, 1)}k` : trim(value, 0)),
  )
  const y = logTimes(
    'time to first token, log scale',
    'y',
    points.map(({ ttft }) => ttft),
  )
  const dots = points.map(
    ({ tokens, ttft, prompt }) =>
      `<circle class="dot s${Math.max(0, prompt) % 6}" cx="${coordinate(x.of(tokens))}" cy="${coordinate(y.of(ttft))}" r="2.4"/>`,
  )
  const medians = study.prompts.flatMap(({ promptTokensP50, ttftP50 }): [number, number][] =>
    promptTokensP50 === null || ttftP50 === null ? [] : [[promptTokensP50, ttftP50]],
  )
  const path = line()(medians.map(([tokens, ttft]) => [Math.round(x.of(tokens)), Math.round(y.of(ttft))]))
  const slope =
    study.msPerThousandTokens === null
      ? 'one prompt length: no slope'
      : `${formatTableMs(study.msPerThousandTokens)} per 1,000 more prompt tokens, by the medians`
  return figure({
    id: `${view.id}-tokens`,
    title: 'Time to first token against prompt tokens',
    description: `${study.prompts.map((each) => `${each.prompt}: ${each.promptTokensP50 === null ? 'tokens unknown' : `${formatCount(each.promptTokensP50)} tokens`}, median ${formatTableMs(each.ttftP50)}`).join('; ')}. ${slope}.`,
    x: x.axis,
    y: y.axis,
    keys: charts.prompts.map(({ prompt }, index): Key => ({ name: prompt, series: index, mark: 'dot' })),
    marks: `${dots.join('\n')}<path class="line s0" d="${path ?? ''}"/>`,
    table: htmlTable(
      'Medians by prompt',
      [left('prompt'), right('prompt tokens'), right('TTFT')],
      study.prompts.map((each) => [
        each.prompt,
        each.promptTokensP50 === null ? '–' : formatCount(each.promptTokensP50),
        formatTableMs(each.ttftP50),
      ]),
    ),
  })
}

/** Median TTFT by block of the day. */
export function blocksChart(view: TargetView): string {
  const { study, report } = view
  const zone = knownZone(report.run.timezone)
  const told = study.blocks.filter(({ ttftP50 }) => ttftP50 !== null)
  if (told.length === 0) return ''
  const y = fromZero(
    'median time to first token',
    'y',
    told.map(({ ttftP50 }) => ttftP50 ?? 0),
    shortMs,
  )
  const width = (RIGHT - LEFT) / study.blocks.length
  const places = study.blocks.map((block, index) => ({ block, at: LEFT + width * (index + 0.5) }))
  const bars = places.flatMap(({ block, at }) =>
    block.ttftP50 === null
      ? []
      : [
          `<rect class="dot s0" x="${coordinate(at - width / 3)}" width="${coordinate((width / 3) * 2)}" y="${coordinate(y.of(block.ttftP50))}" height="${coordinate(Math.max(0, BOTTOM - y.of(block.ttftP50)))}"/><text x="${coordinate(at)}" y="${coordinate(y.of(block.ttftP50) - 5)}" text-anchor="middle">${escaped(formatTableMs(block.ttftP50))}</text>`,
        ],
  )
  const shift =
    study.largestShift === null
      ? 'one block only: no shift'
      : `the slowest block's median is ${shiftInWords(study.largestShift)} above the fastest's`
  return figure({
    id: `${view.id}-blocks`,
    title: `Blocks of the day, ${zone}`,
    description: `Median TTFT over all prompts; ${shift}.`,
    x: { label: `hours, ${zone}`, ticks: places.map(({ block, at }) => ({ at, text: blockName(block) })) },
    y: y.axis,
    keys: [],
    marks: bars.join('\n'),
    table: htmlTable(
      'Blocks of the day',
      [left('hours'), right('n'), right('failed'), right('error rate'), right('median TTFT')],
      study.blocks.map((block) => [
        blockName(block),
        formatCount(block.n),
        formatCount(block.failed),
        formatShare(block.failed, block.n),
        formatTableMs(block.ttftP50),
      ]),
    ),
  })
}
