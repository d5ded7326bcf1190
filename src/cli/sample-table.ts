import { sampleColumns } from '../sample/columns.ts'
import type { SampleColumn } from '../sample/columns.ts'
import type { Flag, Sample } from '../sample/types.ts'

/**
 * Samples by column: a million of them in some hundred megabytes, where as many objects would take gigabytes. What reads samples gets
 * objects that look into the columns. `nonce` is not kept: nothing that judges or reports reads it.
 */

const CHUNK = 1 << 14

interface Values {
  add(row: number, value: unknown): void
  at(row: number): unknown
}

/** Numbers in pieces that are made when the first value of each comes. */
class Numbers implements Values {
  readonly #chunks: (Float64Array | undefined)[] = []

  add(row: number, value: unknown): void {
    if (value === undefined) return
    const at = Math.floor(row / CHUNK)
    let chunk = this.#chunks[at]
    if (chunk === undefined) {
      chunk = new Float64Array(CHUNK).fill(Number.NaN)
      this.#chunks[at] = chunk
    }
    chunk[row % CHUNK] = value as number
  }

  at(row: number): number | undefined {
    const value = this.#chunks[Math.floor(row / CHUNK)]?.[row % CHUNK]
    return value === undefined || Number.isNaN(value) ? undefined : value
  }
}

/** Values of which there are few different ones: each is kept once. */
class Words implements Values {
  readonly #codes = new Map<string, number>()
  readonly #words: unknown[] = []
  readonly #rows = new Numbers()

  add(row: number, value: unknown): void {
    if (value === undefined) return
    const key = typeof value === 'string' ? value : JSON.stringify(value)
    let code = this.#codes.get(key)
    if (code === undefined) {
      code = this.#words.length
      this.#words.push(value)
      this.#codes.set(key, code)
    }
    this.#rows.add(row, code)
  }

  at(row: number): unknown {
    const code = this.#rows.at(row)
    return code === undefined ? undefined : this.#words[code]
  }
}

/** Texts of which each is another one. */
class Texts implements Values {
  readonly #texts: unknown[] = []

  add(row: number, value: unknown): void {
    if (value !== undefined) this.#texts[row] = value
  }

  at(row: number): unknown {
    return this.#texts[row]
  }
}

/** Instants as numbers; a text that is not in our own spelling of one is kept as it is. */
class Instants implements Values {
  readonly #times = new Numbers()
  readonly #others = new Map<number, unknown>()

  add(row: number, value: unknown): void {
    const time = Date.parse(String(value))
    if (!Number.isNaN(time) && new Date(time).toISOString() === value) this.#times.add(row, time)
    else this.#others.set(row, value)
  }

  at(row: number): unknown {
    const time = this.#times.at(row)
    return time === undefined ? this.#others.get(row) : new Date(time).toISOString()
  }
}

class Nothing implements Values {
  add(): void {}

  at(): string {
    return ''
  }
}

const OF_COLUMN: Readonly<Partial<Record<SampleColumn, () => Values>>> = {
  due_at: () => new Instants(),
  started_at: () => new Instants(),
  nonce: () => new Nothing(),
  request_id: () => new Texts(),
  error_message: () => new Texts(),
}

/** The columns of a table, and where a sample stands in them. */
class Row {
  readonly columns: ReadonlyMap<string, Values>
  readonly row: number

  constructor(columns: ReadonlyMap<string, Values>, row: number) {
    this.columns = columns
    this.row = row
  }
}

for (const { name } of sampleColumns) {
  Object.defineProperty(Row.prototype, name, {
    enumerable: true,
    get(this: Row) {
      return this.columns.get(name)?.at(this.row)
    },
  })
}

/** Takes samples, gives them back as objects of a few bytes. */
export class SampleTable {
  readonly #columns: ReadonlyMap<string, Values> = new Map(
    sampleColumns.map(({ name, kind }) => {
      const make = OF_COLUMN[name] ?? (kind === 'number' ? () => new Numbers() : () => new Words())
      return [name, make()]
    }),
  )
  readonly #samples: Sample[] = []

  add(sample: Sample): void {
    const row = this.#samples.length
    const fields = sample as unknown as Readonly<Record<string, unknown>>
    for (const [name, values] of this.#columns) values.add(row, fields[name])
    this.#samples.push(new Row(this.#columns, row) as unknown as Sample)
  }

  /** In the order in which they came. */
  get samples(): readonly Sample[] {
    return this.#samples
  }
}

/** Flags and labels of a sample that has none. */
export const NO_FLAGS: readonly Flag[] = []
