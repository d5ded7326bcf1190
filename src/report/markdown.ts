import { cleanText, cutText, oneLine } from './plain-text.ts'

const MAX_CELL = 300

/**
 * Text from outside as plain Markdown text on one line: nothing in it is markup, HTML, a table's bar or a formula. Cut after `max`
 * characters.
 */
export function markdownText(text: string, max: number = MAX_CELL): string {
  return cutText(oneLine(text).trim(), max)
    .replace(/[\\`*~[\]|$]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

/** A code block whose fence no line of `text` can close. */
export function codeBlock(text: string): string {
  const clean = cleanText(text).replaceAll('\r', ' ')
  const longest = (clean.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)
  const fence = '`'.repeat(Math.max(3, longest + 1))
  return `${fence}text\n${clean}\n${fence}`
}

/** A column of a Markdown table; numbers stand right. */
export interface Column {
  readonly title: string
  readonly right?: boolean
}

/** Columns padded, so that the text itself is a table too; cells must be Markdown already. */
export function markdownTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(3, title.length, ...rows.map((row) => Math.min(60, (row[index] ?? '').length))),
  )
  const line = (cells: readonly string[]): string =>
    `| ${columns
      .map(({ right }, index) => {
        const width = widths[index] ?? 0
        const cell = cells[index] ?? ''
        return right === true ? cell.padStart(width) : cell.padEnd(width)
      })
      .join(' | ')} |`
  const rule = columns.map(({ right }, index) => {
    const width = widths[index] ?? 0
    return right === true ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)
  })
  return [line(columns.map(({ title }) => title)), line(rule), ...rows.map(line)]
}
