import { Readable } from 'node:stream'

import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { readStream, readText } from './csv-rows.ts'
import type { Cell } from './csv-rows.ts'

type Row = readonly [number, readonly Cell[]]

function rowsOf(text: string, delimiter = ','): Row[] {
  const found: Row[] = []
  readText(text, { name: 'a.csv', delimiter }, (cells, line) => found.push([line, cells]))
  return found
}

/** Rows of a text whose bytes come in pieces. */
async function streamedRows(pieces: readonly Buffer[]): Promise<Row[]> {
  const found: Row[] = []
  await readStream(Readable.from(pieces), { name: 'a.csv', delimiter: ',' }, (cells, line) => found.push([line, cells]))
  return found
}

const anyCell = fc.oneof(
  fc.constant(null),
  fc
    .array(fc.constantFrom('"', ',', '\n', '\r\n', 'a', ' ', '\u{1F600}'), { maxLength: 6 })
    .map((parts) => parts.join('')),
)
/** At least two cells: one empty cell alone would be a blank line. */
const anyRow = fc.array(anyCell, { minLength: 2, maxLength: 4 })

function written(cell: Cell): string {
  return cell === null ? '' : `"${cell.replaceAll('"', '""')}"`
}

describe('rows of a CSV', () => {
  test('what was written comes back, in whatever pieces its bytes come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRow, { maxLength: 5 }),
        fc.array(fc.nat({ max: 60 }), { maxLength: 5 }),
        async (rows, cuts) => {
          const bytes = Buffer.from(rows.map((row) => `${row.map(written).join(',')}\r\n`).join(''))
          const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length]
          const pieces = places.slice(1).map((place, index) => bytes.subarray(places[index], place))
          const found = await streamedRows(pieces.filter((piece) => piece.length > 0))
          expect(found.map(([, cells]) => cells)).toEqual(rows)
          expect(found).toEqual(rowsOf(bytes.toString('utf8')))
        },
      ),
    )
  })

  test('says on which line a row starts: blank lines and those within quotes count', () => {
    expect(rowsOf('\uFEFFa,b\r\n\r\n"1\n2","\r\n"\nx,""')).toEqual([
      [1, ['a', 'b']],
      [3, ['1\n2', '\r\n']],
      [6, ['x', '']],
    ])
  })

  test('other delimiters', () => {
    expect(rowsOf('a;"b;c"\n', ';')).toEqual([[1, ['a', 'b;c']]])
  })

  test.for([['a,b"c\n'], ['a,"b"c\n'], ['a,"b\nc']])('%j is an error with its line', async ([text = '']) => {
    expect(() => rowsOf(`x,y\n${text}`)).toThrow('a.csv:2: ')
    await expect(streamedRows([Buffer.from('x,y\n'), Buffer.from(text)])).rejects.toThrow('a.csv:2: ')
  })

  test('what is wrong with a row is told as it was', () => {
    const refuse = (): void => {
      throw new RangeError('not this row')
    }
    expect(() => readText('a,b\n', { name: 'a.csv', delimiter: ',' }, refuse)).toThrow(new RangeError('not this row'))
  })
})
