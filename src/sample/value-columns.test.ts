import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { InstantColumn, NumberColumn, TextColumn, WordColumn } from './value-columns.ts'
import type { ValueColumn } from './value-columns.ts'

/** More than two pieces. */
const ROWS = 9000

/** What a column gives back for values at some of its rows, all others absent. */
function kept(column: ValueColumn, values: ReadonlyMap<number, unknown>): unknown[] {
  for (let row = 0; row < ROWS; row += 1) column.add(row, values.get(row))
  return Array.from({ length: ROWS }, (_, row) => column.at(row))
}

const anyMoment = fc
  .date({ min: new Date(0), max: new Date(Date.UTC(9999, 11, 31)), noInvalidDate: true })
  .map((date) => date.toISOString())

describe.for([
  [
    'numbers',
    () => new NumberColumn(),
    fc.oneof(
      fc.double({ noNaN: true }),
      fc.integer(),
      fc.integer().map((each) => each / 1000),
    ),
  ],
  ['words', () => new WordColumn(), fc.oneof(fc.string({ unit: 'binary' }), fc.boolean(), fc.array(fc.string()))],
  ['texts', () => new TextColumn(), fc.oneof(fc.string({ unit: 'binary' }), fc.string())],
  [
    'instants',
    () => new InstantColumn(),
    fc.oneof(anyMoment, fc.string(), fc.constantFrom('2026-12-01', '2026-12-01T02:00:00Z')),
  ],
] as const)('%s', ([, makeColumn, anyValue]) => {
  test('come back as they were, and absent ones absent', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat({ max: ROWS - 1 }), anyValue as fc.Arbitrary<unknown>), { maxLength: 50 }),
        (entries) => {
          const values = new Map(entries)
          expect(kept(makeColumn(), values)).toStrictEqual(Array.from({ length: ROWS }, (_, row) => values.get(row)))
        },
      ),
      { numRuns: 25 },
    )
  })
})

test('more different words than 16 bits count', () => {
  const column = new WordColumn()
  for (let row = 0; row < 70_000; row += 1) column.add(row, `w${row}`)
  expect(Array.from({ length: 70_000 }, (_, row) => column.at(row)).every((word, row) => word === `w${row}`)).toBe(true)
})
