import { parse } from 'csv-parse/sync'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { CsvRows } from './csv-rows.ts'
import type { Cell } from './csv-rows.ts'

/** Rows of a text that comes in pieces, each with its line. */
function rowsOf(pieces: readonly string[], delimiter = ','): (readonly [number, readonly Cell[]])[] {
  const found: (readonly [number, readonly Cell[]])[] = []
  const rows = new CsvRows({ name: 'a.csv', delimiter }, (cells, line) => found.push([line, cells]))
  for (const piece of pieces) rows.add(piece)
  rows.end()
  return found
}

/** The same by csv-parse. */
function parsed(text: string): unknown {
  return parse(text, {
    bom: true,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    cast: (value, { quoting }) => (value === '' && !quoting ? null : value),
  })
}

function orError(read: () => unknown): unknown {
  try {
    return read()
  } catch {
    return 'an error'
  }
}

const anyCsv = fc
  .array(fc.constantFrom('"', '"', '""', ',', ',', '\n', '\r\n', '\r', 'a', 'bc', ' ', '\u{1F600}'), { maxLength: 25 })
  .map((parts) => parts.join(''))
const anyCut = fc.array(fc.nat({ max: 30 }), { maxLength: 5 })

function cutAt(text: string, places: readonly number[]): string[] {
  const sorted = [0, ...places.toSorted((a, b) => a - b), text.length]
  return sorted.slice(1).map((place, index) => text.slice(sorted[index], place))
}

describe('CsvRows', () => {
  test('reads any text as csv-parse does, right or wrong, in whatever pieces it comes', () => {
    fc.assert(
      fc.property(anyCsv, anyCut, (text, places) => {
        expect(orError(() => rowsOf(cutAt(text, places)).map(([, cells]) => cells))).toEqual(
          orError(() => parsed(text)),
        )
      }),
      { numRuns: 5000 },
    )
  })

  test('says on which line a row starts: blank lines and those within quotes count', () => {
    expect(rowsOf(['\uFEFFa,b\r\n\r\n"1\n2","\r\n"\n', 'x,""'])).toEqual([
      [1, ['a', 'b']],
      [3, ['1\n2', '\r\n']],
      [6, ['x', '']],
    ])
  })

  test('other delimiters', () => {
    expect(rowsOf(['a;"b;c"\n'], ';')).toEqual([[1, ['a', 'b;c']]])
  })

  test.for([
    ['a,b"c\n', 'a quote stands in a cell that does not begin with one'],
    ['a,"b"c\n', 'something stands between the end of a quoted cell and the next one'],
    ['a,"b\nc', 'a quote is opened and never closed'],
  ] as const)('%j is an error with its line', ([text, why]) => {
    expect(() => rowsOf(['x,y\n', text])).toThrow(`a.csv:2: ${why}`)
  })
})
