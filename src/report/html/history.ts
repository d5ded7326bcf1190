import { isTimeMetric } from '../../budget/index.ts'
import { knownZone, localTime } from '../local-time.ts'
import { amount } from '../../verdict/index.ts'
import { formatCount, nightValue } from '../numbers.ts'
import { cellName } from '../outcome.ts'
import { changeInWords, HISTORY_COLUMNS, HISTORY_METHOD, historyRow, isOnePerDay } from '../summary-history.ts'
import type { BudgetHistory, Night, RunReport } from '../types.ts'
import { escaped } from './escape.ts'
import { BOTTOM, coordinate, figure, LEFT, RIGHT, TOP } from './frame.ts'
import { fromZero, logTimes } from './scales.ts'
import { budgetAndCell, htmlTable, left, longTable, right } from './table.ts'

/** Budgets whose runs are drawn. */
const DRAWN = 12
const ROWS = 400

function chart(history: BudgetHistory, index: number, timezone: string): string {
  const zone = knownZone(timezone)
  const { nights, limit, unit, currency, change } = history
  const show = (value: number): string => amount(value, unit, currency)
  const valueOf = (night: Night | undefined): string => nightValue(night, history)
  const daily = isOnePerDay(nights, timezone)
  // a day names a nightly run; several a day need their time, and room for it
  const when = (iso: string): string => localTime(iso, zone).slice(5, daily ? 10 : 16)
  const values = nights.flatMap(({ value }) => value ?? [])
  if (values.length < 2) return ''
  const isTime = unit === 'ms' && isTimeMetric(history.text.replace(/^\S+ /, '').split(' ')[0] ?? '')
  const y = isTime
    ? logTimes('value, log scale', 'y', [...values, limit])
    : fromZero('value', 'y', [...values, limit], (value) => show(value))
  const place = (at: number): number => LEFT + ((RIGHT - LEFT) * (at + 0.5)) / nights.length
  const every = Math.max(1, Math.ceil(nights.length / (daily ? 5 : 3)))
  const ticks = nights.flatMap(({ startedAt }, at) =>
    at % every === 0 ? [{ at: place(at), text: when(startedAt) }] : [],
  )
  const path = nights
    .flatMap(({ value }, at) => (value === null ? [] : [`${coordinate(place(at))} ${coordinate(y.of(value))}`]))
    .map((point, at) => `${at === 0 ? 'M' : 'L'}${point}`)
    .join('')
  const dots = nights.map(({ value, verdict }, at) => {
    const [cx, cy] = [place(at), value === null ? TOP + 5 : y.of(value)]
    return verdict === 'fail' || value === null
      ? `<path class="fail" d="M${coordinate(cx - 4)} ${coordinate(cy - 4)}l8 8m0 -8l-8 8"/>`
      : `<circle class="dot s0" cx="${coordinate(cx)}" cy="${coordinate(cy)}" r="3"/>`
  })
  const changed = change === null ? -1 : nights.findIndex(({ run }) => run === change.run)
  const border = (place(changed) + place(changed - 1)) / 2
  const step =
    changed < 1
      ? ''
      : `<line class="axis" stroke-dasharray="2 3" x1="${coordinate(border)}" x2="${coordinate(border)}" y1="${TOP}" y2="${BOTTOM}"/>`
  const limitAt = coordinate(y.of(limit))
  const line = `<line class="limit" x1="${LEFT}" x2="${RIGHT}" y1="${limitAt}" y2="${limitAt}"/>`
  const told = change === null ? 'no change of level' : `level changed on ${changeInWords(history, timezone)}`
  return figure({
    id: `h${index}`,
    title: `${history.budget}: ${cellName(history)}`,
    description: `${formatCount(nights.length)} runs, the newest ${valueOf(nights.at(-1))}; ${told}. Crosses: breached${values.length === nights.length ? '' : ', or at the top, without a value'}.`,
    x: { label: `start of the run, ${zone}`, ticks },
    y: y.axis,
    keys: [{ name: history.text, series: 0, mark: 'limit' }],
    marks: `${line}${step}<path class="line s0" d="${path}"/>${dots.join('')}`,
    table: htmlTable(
      'The runs',
      [left('start of the run'), left('verdict'), right('value'), right('n')],
      nights.map((night) => [localTime(night.startedAt, zone), night.verdict, valueOf(night), formatCount(night.n)]),
    ),
  })
}

/** Each budget over the runs: a table, and charts of those that changed their level first. */
export function historySection({ history = [], run }: RunReport): string {
  if (history.length === 0) return ''
  const [, , ...titles] = HISTORY_COLUMNS
  const columns = [left('budget, cell'), ...titles.map((title, index) => ({ title, right: index < 3 }))]
  const drawn = history.toSorted((a, b) => Number(b.change !== null) - Number(a.change !== null)).slice(0, DRAWN)
  return `<section aria-labelledby="history"><h2 id="history">Over the runs</h2>
<p class="soft">${escaped(HISTORY_METHOD)}</p>
${longTable(
  'Budgets over the runs',
  columns,
  history.slice(0, ROWS).map((each) => {
    const [budget = '', cell = '', ...facts] = historyRow(each, run.timezone)
    return [budgetAndCell(budget, cell), ...facts]
  }),
)}
<div class="charts">
${drawn.map((each, index) => chart(each, index, run.timezone)).join('\n')}
</div></section>`
}
