import { SloError } from '../errors.ts'

/** A cell as read: `null` is empty, `''` was an empty text in quotes. */
export type Cell = string | null

/** Given the line on which the row starts; lines count from 1. */
export type OnRow = (cells: readonly Cell[], line: number) => void

/** What a CSV is called in errors, and what stands between its cells. */
export interface CsvDialect {
  readonly name: string
  readonly delimiter: string
}

const QUOTE = 0x22
const CARRIAGE_RETURN = 0x0d
const BYTE_ORDER_MARK = 0xfeff

/** Where a character stands next in a text; asked for places that only grow, it looks at each only once. */
class Finder {
  readonly #character: string
  readonly #text: string
  #found = -1

  constructor(character: string, text: string) {
    this.#character = character
    this.#text = text
  }

  /** `Infinity`: nowhere behind that place. */
  from(place: number): number {
    if (this.#found < place) {
      const found = this.#text.indexOf(this.#character, place)
      this.#found = found < 0 ? Number.POSITIVE_INFINITY : found
    }
    return this.#found
  }
}

/** A piece of the text, and the marks in it. */
interface Piece {
  readonly text: string
  readonly isLast: boolean
  readonly delimiters: Finder
  readonly feeds: Finder
  readonly quotes: Finder
}

/**
 * Rows of a CSV (RFC 4180) whose text comes in pieces, one after the other; nothing is kept but a row that is not whole yet. Rows end
 * with CRLF or LF, a lone CR is text. Blank lines are passed over, a byte order mark too. A quote that opens where a cell does not
 * begin, or closes where it does not end, is an error.
 */
export class CsvRows {
  readonly #dialect: CsvDialect
  readonly #onRow: OnRow
  #isFirst = true
  #rest = ''
  #line = 1

  constructor(dialect: CsvDialect, onRow: OnRow) {
    this.#dialect = dialect
    this.#onRow = onRow
  }

  /** @throws SloError `SAMPLES_UNREADABLE`, or what `onRow` throws */
  add(text: string): void {
    if (text === '') return
    const isMarked = this.#isFirst && text.charCodeAt(0) === BYTE_ORDER_MARK
    this.#isFirst = false
    this.#read(this.#rest + (isMarked ? text.slice(1) : text), false)
  }

  /** There is no more: a last row without a line end is one. @throws as {@link add} */
  end(): void {
    this.#read(this.#rest, true)
  }

  #read(text: string, isLast: boolean): void {
    const [delimiters, feeds, quotes] = [
      new Finder(this.#dialect.delimiter, text),
      new Finder('\n', text),
      new Finder('"', text),
    ]
    const piece = { text, isLast, delimiters, feeds, quotes }
    let start = 0
    while (start < text.length) {
      const end = this.#readRow(piece, start)
      if (end === null) break
      start = end
    }
    this.#rest = text.slice(start)
  }

  /** Where the next row starts; `null`: this one is not whole yet. */
  #readRow({ text, isLast, delimiters, feeds, quotes }: Piece, start: number): number | null {
    const cells: Cell[] = []
    let lines = 1
    let at = start
    for (;;) {
      let end: number
      if (text.charCodeAt(at) === QUOTE) {
        const close = closingQuote(text, at + 1)
        // where the text stops behind a quote, a second one may follow
        if (!isLast && (close < 0 || close === text.length - 1)) return null
        if (close < 0) throw this.#unreadable('a quote is opened and never closed')
        const cell = text.slice(at + 1, close)
        cells.push(cell.includes('"') ? cell.replaceAll('""', '"') : cell)
        lines += countFeeds(cell)
        end = close + 1
        if (text.charCodeAt(end) === CARRIAGE_RETURN && feeds.from(end) === end + 1) end += 1
        // the CR may be half of a line end
        else if (!isLast && text.charCodeAt(end) === CARRIAGE_RETURN && end === text.length - 1) return null
        if (end !== delimiters.from(end) && end !== feeds.from(end) && end !== text.length)
          throw this.#unreadable('something stands between the end of a quoted cell and the next one')
      } else {
        end = Math.min(delimiters.from(at), feeds.from(at))
        if (end > text.length) {
          if (!isLast) return null
          end = text.length
        }
        if (quotes.from(at) < end) throw this.#unreadable('a quote stands in a cell that does not begin with one')
        const isCrLf = end > at && end === feeds.from(at) && text.charCodeAt(end - 1) === CARRIAGE_RETURN
        const cellEnd = isCrLf ? end - 1 : end
        cells.push(cellEnd === at ? null : text.slice(at, cellEnd))
      }
      at = end + 1
      if (end === delimiters.from(end)) continue
      const line = this.#line
      const isBlank = cells.length === 1 && cells[0] === null
      if (!isBlank) this.#onRow(cells, line)
      this.#line = line + lines
      return at
    }
  }

  #unreadable(why: string): SloError {
    const { name } = this.#dialect
    return new SloError('SAMPLES_UNREADABLE', `${name}:${this.#line}: ${why}`, {
      hint: 'correct or remove that row, or move the file away',
      facts: { file: name, line: this.#line },
    })
  }
}

/** Where a quoted cell ends; a doubled quote is a part of it. −1: it does not. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at >= 0 && text.charCodeAt(at + 1) === QUOTE) at = text.indexOf('"', at + 2)
  return at
}

function countFeeds(cell: string): number {
  return cell.includes('\n') ? cell.split('\n').length - 1 : 0
}
