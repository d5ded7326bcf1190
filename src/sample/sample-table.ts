import { sampleColumns } from './columns.ts'
import type { SampleColumn } from './columns.ts'
import type { Sample } from './types.ts'
import { InstantColumn, NumberColumn, TextColumn, WordColumn } from './value-columns.ts'
import type { ValueColumn } from './value-columns.ts'

/**
 * Samples by column: a million of them in some hundred megabytes, almost all of it outside of the heap, where as many objects take
 * gigabytes. What reads samples gets objects that look into the columns.
 */

/** The values of one sample in the order of {@link sampleColumns}; `undefined` is absent. */
export type SampleValues = readonly unknown[]

/** Columns whose texts are neither few words nor numbers. */
const OTHER_TEXTS: Readonly<Partial<Record<SampleColumn, () => ValueColumn>>> = {
  due_at: () => new InstantColumn(),
  started_at: () => new InstantColumn(),
  error_message: () => new TextColumn(),
  nonce: () => new TextColumn(),
  request_id: () => new TextColumn(),
}

/** The value of a column, by its place among {@link sampleColumns}, in a row. */
type ValueAt = (column: number, row: number) => unknown

/**
 * A row of a table. Its fields are there for whoever reads them by name, and absent ones are `undefined`; they are no properties of its
 * own, so copying it takes {@link plainSample}. As it holds a function, posting it to a thread fails, where a row without its fields
 * would arrive.
 */
class SampleRow {
  readonly valueAt: ValueAt
  readonly row: number

  constructor(valueAt: ValueAt, row: number) {
    this.valueAt = valueAt
    this.row = row
  }

  toJSON(): Sample {
    // a row has every field by name
    return plainSample(this as unknown as Sample)
  }
}

sampleColumns.forEach(({ name }, column) => {
  Object.defineProperty(SampleRow.prototype, name, {
    enumerable: true,
    get(this: SampleRow) {
      return this.valueAt(column, this.row)
    },
  })
})

/** A sample as an object of its own, which may be spread, compared and posted: a copy with the fields that are there. */
export function plainSample(sample: Sample): Sample {
  const values = valuesOf(sample)
  const fields = sampleColumns.map(({ name }, column) => [name, values[column]] as const)
  // all the fields of a sample, and nothing else
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as unknown as Sample
}

function valuesOf(sample: Sample): SampleValues {
  const fields: { readonly [Name in SampleColumn]?: unknown } = sample
  return sampleColumns.map(({ name }) => fields[name])
}

/** Takes samples, and gives them back as objects of a few bytes. */
export class SampleTable {
  readonly #columns: readonly ValueColumn[] = sampleColumns.map(({ name, kind }) => {
    const other = OTHER_TEXTS[name]
    if (other !== undefined) return other()
    return kind === 'number' ? new NumberColumn() : new WordColumn()
  })
  readonly #valueAt: ValueAt = (column, row) => this.#columns[column]?.at(row)
  #size = 0

  /** The sample as it is kept. */
  add(sample: Sample): Sample {
    return this.addValues(valuesOf(sample))
  }

  /** As {@link add}, of a sample that is given as its values. */
  addValues(values: SampleValues): Sample {
    const row = this.#size
    this.#size += 1
    this.#columns.forEach((column, index) => column.add(row, values[index]))
    // every column has its getter
    return new SampleRow(this.#valueAt, row) as unknown as Sample
  }
}
