import { markdownText } from './markdown.ts'
import { amount } from '../verdict/index.ts'
import { formatCount, nightValue } from './numbers.ts'
import { cellName } from './outcome.ts'
import { knownZone, localTime } from './local-time.ts'
import { tableSection } from './sections.ts'
import type { ListSection } from './sections.ts'
import type { BudgetHistory, Night, RunReport } from './types.ts'

const SHOWN = 14
const MARKS: Readonly<Record<Night['verdict'], string>> = { pass: '✓', fail: '✗', inconclusive: '?' }

/** Columns of the table, in the summary and on the page. */
export const HISTORY_COLUMNS = [
  'Budget',
  'Cell',
  'runs',
  'the run before',
  'this run',
  `last ${SHOWN} verdicts`,
  'level changed',
]

/** How to read it. */
export const HISTORY_METHOD =
  'Every run is judged by itself, by the budgets of today. Level: Pettitt’s test with permuted runs at 1 %, from ten runs on: of a hundred budgets whose level never changed, one is said to have.'

function amountOf({ unit, currency }: BudgetHistory, value: number): string {
  return amount(value, unit, currency)
}

/** Whether a day names a run: nightly ones need no time of day. */
export function isOnePerDay(nights: readonly Night[], timezone: string): boolean {
  const days = nights.map(({ startedAt }) => localTime(startedAt, knownZone(timezone)).slice(0, 10))
  return new Set(days).size === days.length
}

/** Where the level changed, in words. */
export function changeInWords(history: BudgetHistory, timezone: string): string {
  const { change } = history
  if (change === null) return history.nights.length < 10 ? 'too few runs' : 'no'
  const time = localTime(change.startedAt, knownZone(timezone))
  const day = isOnePerDay(history.nights, timezone) ? time.slice(0, 10) : time
  return `${day}: ${amountOf(history, change.before)} → ${amountOf(history, change.after)}`
}

/** A row for {@link HISTORY_COLUMNS}, plain text. */
export function historyRow(history: BudgetHistory, timezone: string): string[] {
  const { nights } = history
  return [
    history.budget,
    cellName(history),
    formatCount(nights.length),
    nightValue(nights.at(-2), history),
    nightValue(nights.at(-1), history),
    nights
      .slice(-SHOWN)
      .map(({ verdict }) => MARKS[verdict])
      .join(''),
    changeInWords(history, timezone),
  ]
}

/** Each budget over the runs. */
export function historySections({ history = [], run }: RunReport): ListSection[] {
  if (history.length === 0) return []
  const columns = HISTORY_COLUMNS.map((title, index) => ({ title, right: index > 1 && index < 5 }))
  const rows = history.map((each) => historyRow(each, run.timezone).map((cell) => markdownText(cell)))
  const left = (count: number): string => `${formatCount(count)} more rows are left out here; report.json has them all.`
  return [tableSection(['', '## Over the runs', '', HISTORY_METHOD], columns, rows, left)]
}
