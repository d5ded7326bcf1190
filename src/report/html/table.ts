import { formatCount } from '../numbers.ts'
import { escaped, named } from './escape.ts'

/** A column; numbers stand right. */
export interface HtmlColumn {
  readonly title: string
  readonly right?: boolean
  /** Long text: wraps. */
  readonly wide?: boolean
}

/** Markup that is ready; anything else in a cell is escaped. */
export interface Markup {
  readonly html: string
}

const cell = (content: string | Markup): string => (typeof content === 'string' ? escaped(content) : content.html)

/** A table that scrolls by itself where the page is narrow; the first column names the row. */
export function htmlTable(
  caption: string,
  columns: readonly HtmlColumn[],
  rows: readonly (readonly (string | Markup)[])[],
): string {
  const head = columns
    .map(({ title, right }) => `<th scope="col"${right === true ? ' class="r"' : ''}>${escaped(title)}</th>`)
    .join('')
  const body = rows
    .map((row) => {
      const cells = columns.map(({ right, wide }, index) => {
        const content = cell(row[index] ?? '')
        if (index === 0) return `<th scope="row">${content}</th>`
        return `<td${right === true ? ' class="r"' : wide === true ? ' class="w"' : ''}>${content}</td>`
      })
      return `<tr>${cells.join('')}</tr>`
    })
    .join('\n')
  const name = escaped(caption)
  return `<div class="scroll" role="group" tabindex="0" aria-label="${name}"><table><caption>${name}</caption><thead><tr>${head}</tr></thead><tbody>
${body}
</tbody></table></div>`
}

/** Rows that stand open: more of them would push everything after them out of sight. */
const OPEN_ROWS = 60

/** As {@link htmlTable}, its rows from the sixty-first on folded. */
export function longTable(
  caption: string,
  columns: readonly HtmlColumn[],
  rows: readonly (readonly (string | Markup)[])[],
): string {
  const open = htmlTable(caption, columns, rows.slice(0, OPEN_ROWS))
  if (rows.length <= OPEN_ROWS) return open
  const rest = `${formatCount(rows.length - OPEN_ROWS)} more rows`
  const folded = htmlTable(`${caption}, ${rest}`, columns, rows.slice(OPEN_ROWS))
  return `${open}<details><summary>${rest}<span class="soft"> of: ${escaped(caption)}</span></summary>${folded}</details>`
}

/** The head of a row: a budget, and below it the cell that it judges, so that a narrow page has room for numbers. */
export function budgetAndCell(budget: string, cellName: string): Markup {
  return { html: `${named(budget)}<br><span class="soft">${named(cellName)}</span>` }
}

/** A column of sentences. */
export const wide = (title: string): HtmlColumn => ({ title, wide: true })
/** A column of numbers. */
export const right = (title: string): HtmlColumn => ({ title, right: true })
/** A column of words. */
export const left = (title: string): HtmlColumn => ({ title })
