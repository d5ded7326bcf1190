import type { Column } from './markdown.ts'
import { markdownTable } from './markdown.ts'

/** Items in the order that they are read, and how much room they may take. */
export interface ListSection {
  /** Lines before the first item. */
  readonly head: readonly string[]
  /** Lines of each item. */
  readonly items: readonly (readonly string[])[]
  /** Lines after the last item. */
  readonly tail?: readonly string[]
  /** What is said where items were left out, with their number: `140 more passes are in report.json`. */
  readonly omitted: (count: number) => string
}

const bytes = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)

/** The section within `room` bytes: as many items as fit, then a sentence that says how many do not. */
export function fitSection(section: ListSection, room: number): string[] {
  const { head, items, tail = [], omitted } = section
  const spare = room - bytes(head) - bytes(tail) - bytes(['', omitted(items.length), ''])
  let used = 0
  let shown = 0
  for (const item of items) {
    used += bytes(item)
    if (used > spare) break
    shown += 1
  }
  const left = items.length - shown
  const sentence = left === 0 ? [] : ['', `_${omitted(left)}_`]
  const body = items.slice(0, shown).flat()
  return [...(shown === 0 && left > 0 ? [] : head), ...body, ...sentence, ...(shown === 0 && left > 0 ? [] : tail)]
}

/** A table as a section: its rows are the items. */
export function tableSection(
  title: readonly string[],
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  omitted: ListSection['omitted'],
  tail: readonly string[] = [],
): ListSection {
  const [header = '', rule = '', ...lines] = markdownTable(columns, rows)
  return { head: [...title, '', header, rule], items: lines.map((line) => [line]), tail, omitted }
}
