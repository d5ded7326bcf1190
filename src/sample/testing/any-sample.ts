import * as fc from 'fast-check'

import { sampleColumns } from '../columns.ts'
import type { Sample } from '../types.ts'

const anyTime = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
  .map((date) => date.toISOString())
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.stringMatching(/^['=+\-@\t\r\n", ]{1,6}$/),
  fc.constantFrom('', '"', '""', '\r\n', '\n', '1,2', ' a ', "'=1", "''@", '\uFEFF', '\0', '1e-7', 'true', '{}'),
)
const anyNumber = fc
  .oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.constantFrom(1e-7, 1e21, 1.5e300, 5e-324),
  )
  .map((value) => (Object.is(value, -0) ? 0 : value))

/** Columns that may lie below zero; a row with another one there is refused. */
const SIGNED = new Set(['lateness_ms', 'cost'])

function anyCell(
  column: (typeof sampleColumns)[number] & { readonly among?: readonly string[] },
): fc.Arbitrary<unknown> {
  switch (column.kind) {
    case 'number':
      return SIGNED.has(column.name) ? anyNumber : anyNumber.map(Math.abs)
    case 'boolean':
      return fc.boolean()
    case 'labels':
      return fc.dictionary(anyText, anyText, { noNullPrototype: true })
    case 'words':
      return fc.subarray([...column.among])
    default:
      if (column.name === 'due_at' || column.name === 'started_at') return anyTime
      return column.among === undefined ? anyText : fc.constantFrom(...column.among)
  }
}

/** Any sample at all, text from outside included. */
export const anySample: fc.Arbitrary<Sample> = fc
  .record(Object.fromEntries(sampleColumns.map((column) => [column.name, anyCell(column)])), {
    requiredKeys: sampleColumns.filter(({ required }) => required).map(({ name }) => name),
    noNullPrototype: true,
  })
  .chain((fields) =>
    fc.record({ kind: fc.constantFrom('dns', 'aborted', 'empty'), message: anyText }).map(({ kind, message }) => {
      const { error_kind: _kind, error_message: _message, ...rest } = fields
      const made = fields['outcome'] === 'ok' ? rest : { ...rest, error_kind: kind, error_message: message }
      // Built column by column: every required field is there and every value is of its column's kind.
      return made as unknown as Sample
    }),
  )
