import { knownZone, localTime } from '../local-time.ts'
import { formatCount, formatTableMs } from '../numbers.ts'
import { dots } from './dots.ts'
import { BOTTOM, coordinate, figure, LEFT, RIGHT, TOP } from './frame.ts'
import type { Key } from './frame.ts'
import { instants, logTimes } from './scales.ts'
import { htmlTable, left, right } from './table.ts'
import type { TargetView } from './target-view.ts'

/** Failures that the table lists. */
const LISTED = 20

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
  const successes = dots(
    points
      .filter(({ at }) => !Number.isNaN(at))
      .map(({ at, ttft, prompt }) => ({ x: x.of(at), y: y.of(ttft), series: prompt })),
  )
  const crosses = failures
    .filter(({ at }) => !Number.isNaN(at))
    .map(({ at }) => {
      const [cx, cy] = [x.of(at), TOP - 8]
      return `<path class="fail" d="M${coordinate(cx - 4)} ${cy - 4}l8 8m0 -8l-8 8"/>`
    })
  const bands = gaps.map(
    ([from, to]) =>
      `<rect class="gap" x="${coordinate(x.of(from))}" width="${coordinate(Math.max(2, x.of(to) - x.of(from)))}" y="${TOP}" height="${BOTTOM - TOP}"/>`,
  )
  const lines = limits.map(({ value }) => {
    const at = coordinate(y.of(value))
    return `<line class="limit" x1="${LEFT}" x2="${RIGHT}" y1="${at}" y2="${at}"/>`
  })
  const shown =
    charts.pointsOf > points.length
      ? ` ${formatCount(points.length)} of ${formatCount(charts.pointsOf)} successes are drawn, among them those beyond p99.`
      : ''
  const missed =
    report.run.missedRounds === null
      ? 'how many rounds were missed is unknown'
      : `${formatCount(report.run.missedRounds)} ${report.run.missedRounds === 1 ? 'round' : 'rounds'} missed in the run`
  const when = (at: number): string => (Number.isNaN(at) ? 'unknown' : localTime(new Date(at).toISOString(), zone))
  const slowest = points.toSorted((a, b) => b.ttft - a.ttft).slice(0, 10)
  const rows = [
    ...slowest.map(({ at, ttft, prompt }) => [when(at), charts.prompts[prompt]?.prompt ?? '', formatTableMs(ttft)]),
    ...failures.slice(0, LISTED).map(({ at, kind }) => [when(at), '', kind]),
  ]
  return figure({
    id: `${view.id}-time`,
    title: 'The run over time',
    description: `${formatCount(charts.pointsOf)} ${charts.pointsOf === 1 ? 'success' : 'successes'}, ${formatCount(charts.failuresOf)} ${charts.failuresOf === 1 ? 'failure' : 'failures'}${charts.failuresOf === 0 ? '' : ' (crosses, above)'}; ${missed}${gaps.length > 0 ? ' (grey: no round began)' : ''}.${shown}`,
    x: x.axis,
    y: y.axis,
    keys: [
      ...charts.prompts.map(({ prompt }, index): Key => ({ name: prompt, series: index, mark: 'dot' })),
      ...limits.map(({ text }): Key => ({ name: text, series: 0, mark: 'limit' })),
    ],
    above: failures.length === 0 ? 0 : 6,
    marks: [...bands, successes, ...lines, ...crosses].join('\n'),
    table: htmlTable(
      failures.length > LISTED ? `The ten slowest, and ${LISTED} failures` : 'The ten slowest, and failures',
      [left(`time, ${zone}`), left('prompt'), right('TTFT, or failure')],
      rows,
    ),
  })
}
