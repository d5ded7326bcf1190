/* eslint-disable no-control-regex -- control characters are what this file removes */
const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u0084\u0086-\u009F\uFFFE\uFFFF]/g
const LINE_BREAKS = /\r\n|[\n\r\u0085\u2028\u2029]/g

/** Text that any reader takes: control characters and lone surrogates become U+FFFD; tabs and line breaks stay. */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(CONTROLS, '\uFFFD')
}

/** Clean text on one line. */
export function oneLine(text: string): string {
  return cleanText(text).replace(LINE_BREAKS, ' ').replaceAll('\t', ' ')
}

/** At most `max` UTF-16 units, cut between characters and marked with `…`. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  const end = Math.max(0, max - 1)
  const last = text.charCodeAt(end - 1)
  const splitsPair = last >= 0xd800 && last <= 0xdbff
  return `${text.slice(0, splitsPair ? end - 1 : end)}…`
}

/** Columns padded to one width each, two spaces between, nothing at the end of a line; `right` marks numbers. */
export function alignColumns(rows: readonly (readonly string[])[], right: readonly boolean[]): string[] {
  const widths = right.map((_, column) => Math.max(0, ...rows.map((row) => (row[column] ?? '').length)))
  return rows.map((row) =>
    widths
      .map((width, column) => {
        const text = row[column] ?? ''
        return right[column] === true ? text.padStart(width) : text.padEnd(width)
      })
      .join('  ')
      .trimEnd(),
  )
}
