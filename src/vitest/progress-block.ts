import type { Paint } from '../colour.ts'
import { cutText } from '../report/plain-text.ts'
import type { Sample } from '../sample/types.ts'
import { quantile, sortSamples } from '../statistics/index.ts'
import { formatMs } from '../units.ts'
import { counted, headline, outcomeOf, painted } from './progress.ts'
import type { Part, ProgressState, TargetProgress } from './progress.ts'

/** The screen that a block is drawn for. */
export interface Screen {
  readonly columns: number
  readonly rows: number
  readonly paint: Paint
}

const INDENT = 6
const BAR = 20
/** Lines below the block that Vitest keeps for its own summary, and one above. */
const LINES_OF_OTHERS = 9

/** Parts with ` · ` between, on as many lines as they need. */
function flow(parts: readonly Part[], width: number, paint: Paint): readonly string[] {
  const lines: { text: string; width: number }[] = []
  for (const part of parts) {
    const text = cutText(part.text, width)
    const line = lines.at(-1)
    if (line !== undefined && line.width + 3 + text.length <= width) {
      line.text += ` · ${painted(paint, { ...part, text })}`
      line.width += 3 + text.length
    } else lines.push({ text: painted(paint, { ...part, text }), width: text.length })
  }
  return lines.map(({ text }) => text)
}

function bar(share: number, paint: Paint): string {
  const full = Math.floor(Math.min(1, share) * BAR)
  return `${paint('cyan', '━'.repeat(full))}${paint('dim', '─'.repeat(BAR - full))}`
}

/** A row for each target; columns that do not fit are left out, the median first. */
function table(targets: readonly TargetProgress[], width: number, paint: Paint): readonly string[] {
  const rows = targets.map(({ name, n, failed, ttft }) => {
    const sorted = sortSamples(ttft)
    const [last] = ttft.slice(-1)
    const at = (q: number): string => (sorted === undefined ? '–' : formatMs(quantile(sorted, q)))
    return {
      name,
      n: String(n),
      failed: String(failed),
      'last ttft': last === undefined ? '–' : formatMs(last),
      p50: at(0.5),
      p99: at(0.99),
    }
  })
  const numbers = ['n', 'failed', 'last ttft', 'p50', 'p99'] as const
  const widths = new Map(numbers.map((key) => [key, Math.max(key.length, ...rows.map((row) => row[key].length))]))
  const shown = new Set(numbers)
  const wide = (): number => [...shown].reduce((sum, key) => sum + 2 + (widths.get(key) ?? 0), 0)
  const longest = Math.max('target'.length, ...rows.map(({ name }) => name.length))
  for (const key of ['p50', 'last ttft', 'n', 'failed'] as const)
    if (wide() + Math.min(longest, 12) > width) shown.delete(key)
  const room = Math.max(1, Math.min(longest, width - wide()))
  const cells = (of: (key: (typeof numbers)[number]) => string): string[] =>
    [...shown].map((key) => `  ${of(key).padStart(widths.get(key) ?? 0)}`)
  const head = paint('dim', ['target'.padEnd(room), ...cells((key) => key)].join(''))
  const lines = rows.map((row) => {
    const line = [cutText(row.name, room).padEnd(room), ...cells((key) => row[key])]
    const failed = [...shown].indexOf('failed') + 1
    return line.map((text, place) => (place === failed && row.failed !== '0' ? paint('red', text) : text)).join('')
  })
  return [head, ...lines]
}

function lastLine(last: Sample, width: number, paint: Paint): string {
  const name = cutText(`${last.target}/${last.prompt}`, Math.max(8, width - 28))
  const outcome = outcomeOf(last)
  const text = cutText(outcome.text, Math.max(1, width - name.length - 2))
  return `${paint('dim', 'last')}  ${name}  ${painted(paint, { ...outcome, text })}`
}

/** The run in a few lines, none wider than the screen, and no more than fit on it above Vitest's own. */
export function progressBlock(state: ProgressState, now: number, { columns, rows, paint }: Screen): readonly string[] {
  const { planned, done, last, targets } = state
  const width = Math.max(8, columns - INDENT - 1)
  const hasBar = planned !== null && planned > 0 && columns >= 60
  const [first = '', ...others] = flow(headline(state, now), hasBar ? width - BAR - 2 : width, paint)
  const head = hasBar ? `${bar(done / planned, paint)}  ${first}` : first
  const told = [
    `${paint('cyan', 'slo')}   ${head}`,
    ...others.map((line) => `${' '.repeat(INDENT)}${line}`),
    ...(last === null ? [] : [lastLine(last, width, paint)]),
  ]
  const room = Math.max(1, rows - LINES_OF_OTHERS - told.length - 1)
  const visible = targets.length > room ? targets.slice(0, Math.max(1, room - 1)) : targets
  const hidden = targets.length - visible.length
  return [
    ...told,
    ...(visible.length === 0 ? [] : table(visible, width, paint).map((line) => `${' '.repeat(INDENT)}${line}`)),
    ...(hidden === 0 ? [] : [`${' '.repeat(INDENT)}${paint('dim', `… and ${counted(hidden, 'target')} more`)}`]),
  ]
}
