import { formatCost, formatCount } from '../report/numbers.ts'
import { localTime } from '../report/local-time.ts'
import { alignColumns } from '../report/plain-text.ts'
import { formatMs, isoTime } from '../units.ts'
import { wrapText } from '../vitest/wrap-text.ts'
import type { CaseOutlook } from './coverage.ts'
import type { CellForecast, Forecast } from './forecast.ts'

/** What a plan says to a person, in lines of 80 columns: when, what, for how much, and what it can find out. */

const COLUMNS = 80

const countText = (value: number | null): string => (value === null ? '?' : formatCount(value))

/** `1 round`, `36 rounds`, `? rounds`. */
export function countOf(value: number | null, noun: string): string {
  return `${countText(value)} ${noun}${value === 1 ? '' : 's'}`
}

const percentOf = (share: number): string => `${Math.round(share * 100)} %`

/** A time that somebody chose: `8 min`, and not `480 s`. */
function chosenTime(ms: number): string {
  return ms % 60_000 === 0 && ms < 7_200_000 ? `${ms / 60_000} min` : formatMs(ms)
}

/** When the rounds of each probe come, and until when. */
export function whenLines({ probes }: Forecast, now: number, timezone: string): readonly string[] {
  return probes.flatMap(({ probe, everyMs, rounds, forMs, roundMs, lastsMs }) => {
    const asked = rounds === null ? `for ${chosenTime(forMs ?? 0)}` : countOf(rounds, 'round')
    const pace = everyMs === 0 ? 'back to back' : `one every ${chosenTime(everyMs)}`
    const lasts =
      lastsMs === null
        ? 'how long is unknown before the first run'
        : `about ${formatMs(lastsMs)}, started now until ${localTime(isoTime(now + lastsMs), timezone)} (${timezone})`
    const late = roundMs !== null && everyMs > 0 && roundMs > everyMs
    return [
      wrapText(`  ${probe}: ${asked}, ${pace}; ${lasts}`, COLUMNS, 4),
      ...(late
        ? [`    a round takes about ${formatMs(roundMs)}, longer than ${chosenTime(everyMs)}: rounds will be missed`]
        : []),
    ]
  })
}

function cellRow(cell: CellForecast): readonly string[] {
  return [
    `    ${cell.prompt}`,
    countText(cell.requests),
    cell.promptTokens === null ? '?' : `${cell.measured ? '' : '~'}${formatCount(cell.promptTokens)}`,
    cell.completionTokens === null ? `≤ ${formatCount(cell.maxTokens)}` : formatCount(cell.completionTokens),
    cell.costExpected === null ? '' : formatCost(cell.costExpected, cell.currency),
    cell.costAtMost === null ? 'no price' : `≤ ${formatCost(cell.costAtMost, cell.currency)}`,
  ]
}

/** Requests, tokens of one request and cost of all, for each cell, by target. */
export function cellLines({ cells }: Forecast): readonly string[] {
  const targets = [...Map.groupBy(cells, ({ probe, target }) => `${probe}/${target}`)]
  const rows = [
    ['', 'requests', 'prompt', 'reply tokens', 'cost', 'at most'],
    ...targets.flatMap(([name, own]) => [[`  ${name}`], ...own.map(cellRow)]),
  ]
  return alignColumns(rows, [false, true, true, true, true, true])
}

/** What all cells cost together, by currency. */
export function totalCosts(cells: readonly CellForecast[]): string {
  const priced = Map.groupBy(
    cells.filter((cell) => cell.costAtMost !== null),
    (cell) => cell.currency,
  )
  const parts = [...priced].map(([currency, own]) => {
    const most = formatCost(
      own.reduce((sum, cell) => sum + (cell.costAtMost ?? 0), 0),
      currency,
    )
    if (!own.every((cell) => cell.costExpected !== null)) return `at most ${most}`
    const expected = own.reduce((sum, cell) => sum + (cell.costExpected ?? 0), 0)
    return `about ${formatCost(expected, currency)}, at most ${most}`
  })
  const unpriced = cells.filter((cell) => cell.costAtMost === null).length
  const rest = unpriced === 0 ? [] : [`${formatCount(unpriced)} ${unpriced === 1 ? 'cell' : 'cells'} without a price`]
  return [...parts, ...rest].join('; ')
}

/** What a proof takes in each case of a group: rounds and requests of the first, money from the least to the most. */
function proofLines(group: readonly CaseOutlook[]): readonly string[] {
  const efforts = group.flatMap(({ power }) => power.toProve ?? [])
  const [first] = efforts
  if (first === undefined) return []
  const { rounds, requests, hours, tokens, currency } = first
  const costs = efforts.flatMap(({ cost }) => cost ?? [])
  const [least, most] = [Math.min(...costs), Math.max(...costs)]
  const range = least === most ? '' : `${formatCost(least, null)} to `
  const time = hours === null ? [] : [formatMs(hours * 3_600_000)]
  const needs = [
    ...(tokens === null ? [] : [countOf(Math.round(tokens), 'token')]),
    ...(costs.length === 0 ? [] : [`${range}${formatCost(most, currency)}`]),
  ]
  return [
    `to prove it: ${[countOf(rounds, 'round'), countOf(requests, 'request'), ...time].join(', ')}`,
    ...(needs.length === 0
      ? []
      : [`  ${group.some(({ atMost }) => atMost) ? 'at most' : 'about'} ${needs.join(', ')}`]),
  ]
}

/** What the planned samples can find out. */
function outlookLines({ planned, needed, provenFrom, judgeable, looksBack, power }: CaseOutlook): readonly string[] {
  const { caught, falseAlarm, unchangedPasses, unknown } = power
  const from = [
    ...(needed === null ? [] : [`meaningful from ${countOf(needed, 'sample')}`]),
    ...(provenFrom === null ? [] : [`proven from ${formatCount(provenFrom)} with none beyond`]),
  ]
  const found =
    caught === null
      ? []
      : [
          `finds ${percentOf(caught.twice)} of breaches twice as bad as allowed, ${percentOf(caught.fiveTimes)} five times`,
        ]
  return [
    ...(judgeable ? [] : [`CANNOT BE JUDGED: ${countOf(planned, 'sample')}, it needs ${countText(needed)}`]),
    ...(looksBack ? ['earlier runs in its window count too'] : []),
    ...(from.length === 0 ? [] : [`a pass is ${from.join(', ')}`]),
    ...(judgeable ? found : []),
    ...(judgeable && falseAlarm !== null ? [`fails ${percentOf(falseAlarm)} of targets half as bad as allowed`] : []),
    ...(unchangedPasses === null ? [] : [`an unchanged model passes ${percentOf(unchangedPasses)} of the nights`]),
    ...(unknown === null ? [] : [`open: ${unknown}`]),
  ]
}

const isProvable = ({ planned, provenFrom }: CaseOutlook): boolean =>
  planned !== null && provenFrom !== null && planned >= provenFrom

/** Budgets with what they judge; cases with one outlook stand together. */
export function budgetLines(cases: readonly CaseOutlook[], highlight: (text: string) => string): readonly string[] {
  const titles = Map.groupBy(cases, ({ budget, text, place }) =>
    budget === text ? `${text} (${place})` : `${budget}: ${text} (${place})`,
  )
  return [...titles].flatMap(([title, own]) => {
    const alike = Map.groupBy(own, (each) =>
      JSON.stringify([each.planned, outlookLines(each), { ...each.power.toProve, cost: null }]),
    )
    return [
      `  ${title}`,
      ...[...alike.values()].flatMap((group) => {
        const [first] = group
        if (first === undefined) return []
        const samples = first.planned === null ? 'as many samples as the clock gives' : countOf(first.planned, 'sample')
        const each = group.length === 1 ? '' : ' each'
        const proof = isProvable(first) ? ['enough for a proof'] : proofLines(group)
        const lines = [...outlookLines(first), ...proof].map((line) => wrapText(`      ${line}`, COLUMNS, 8))
        return [
          wrapText(`    ${group.map(({ name }) => name).join(', ')}: ${samples}${each}`, COLUMNS, 6),
          ...lines.map((line) => (line.startsWith('      CANNOT') ? highlight(line) : line)),
        ]
      }),
    ]
  })
}
