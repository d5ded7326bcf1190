/** Values of one field by row, in as little memory as its kind allows. Rows are added in their order; an absent value is `undefined`. */
export interface ValueColumn {
  add(row: number, value: unknown): void
  at(row: number): unknown
}

/** Rows of one piece of a column; a piece in which there is no value is not made. */
const CHUNK = 1024

const INT32_END = 2 ** 31
const NO_NUMBER = -INT32_END

/**
 * Numbers. Most fields are rounded to thousandths or whole, and 32 bits hold those exactly; a piece with any other number takes 64 bits
 * each. NaN is no number, and absent.
 */
export class NumberColumn implements ValueColumn {
  readonly #chunks: (Int32Array | Float64Array | undefined)[] = []

  add(row: number, value: unknown): void {
    if (typeof value !== 'number' || Number.isNaN(value)) return
    const index = Math.floor(row / CHUNK)
    const place = row % CHUNK
    let chunk = this.#chunks[index]
    if (chunk === undefined) {
      chunk = new Int32Array(CHUNK).fill(NO_NUMBER)
      this.#chunks[index] = chunk
    }
    if (chunk instanceof Int32Array) {
      const thousandths = Math.round(value * 1000)
      if (thousandths / 1000 === value && Math.abs(thousandths) < INT32_END && !Object.is(thousandths, -0)) {
        chunk[place] = thousandths
        return
      }
      chunk = Float64Array.from(chunk, (each) => (each === NO_NUMBER ? Number.NaN : each / 1000))
      this.#chunks[index] = chunk
    }
    chunk[place] = value
  }

  at(row: number): number | undefined {
    const chunk = this.#chunks[Math.floor(row / CHUNK)]
    const value = chunk?.[row % CHUNK]
    if (value === undefined) return undefined
    if (chunk instanceof Int32Array) return value === NO_NUMBER ? undefined : value / 1000
    return Number.isNaN(value) ? undefined : value
  }
}

const NO_WORD = 0
const UINT16_END = 2 ** 16

/** Values of which there are few different ones: each is kept once. Objects and lists are the same where their JSON is. */
export class WordColumn implements ValueColumn {
  readonly #words: unknown[] = [undefined]
  readonly #codes = new Map<unknown, number>()
  /** Objects that were seen, so that their JSON is not made again. */
  readonly #seen = new WeakMap<object, number>()
  readonly #chunks: (Uint16Array | Uint32Array | undefined)[] = []

  add(row: number, value: unknown): void {
    if (value === undefined) return
    const code = this.#codeOf(value)
    const index = Math.floor(row / CHUNK)
    let chunk = this.#chunks[index] ?? new Uint16Array(CHUNK).fill(NO_WORD)
    if (code >= UINT16_END && chunk instanceof Uint16Array) chunk = Uint32Array.from(chunk)
    chunk[row % CHUNK] = code
    this.#chunks[index] = chunk
  }

  at(row: number): unknown {
    return this.#words[this.#chunks[Math.floor(row / CHUNK)]?.[row % CHUNK] ?? NO_WORD]
  }

  #codeOf(value: unknown): number {
    if (typeof value === 'string') return this.#codes.get(value) ?? this.#learn(value)
    if (typeof value !== 'object' || value === null) return this.#codes.get(value) ?? this.#learn(value)
    const known = this.#seen.get(value)
    if (known !== undefined) return known
    const json = JSON.stringify(value)
    const code = this.#codes.get(json) ?? this.#learn(value, json)
    this.#seen.set(value, code)
    return code
  }

  #learn(value: unknown, key = value): number {
    const code = this.#words.push(value) - 1
    this.#codes.set(key, code)
    return code
  }
}

interface SealedTexts {
  readonly bytes: Buffer
  readonly encoding: 'latin1' | 'utf16le'
  readonly bytesPerUnit: 1 | 2
  /** Of each row's text, in code units; where an absent one would end is where the one before ends. */
  readonly ends: Uint32Array
}

/** Before each text that is there, so that an empty one is not taken for an absent one. */
const PRESENT = '='

function seal(texts: readonly (string | undefined)[]): SealedTexts {
  const ends = new Uint32Array(CHUNK)
  const marked = Array.from({ length: CHUNK }, (_, place) => {
    const text = texts[place]
    return text === undefined ? '' : `${PRESENT}${text}`
  })
  let end = 0
  marked.forEach((text, place) => {
    end += text.length
    ends[place] = end
  })
  const joined = marked.join('')
  // UTF-16 keeps lone surrogates too, which UTF-8 does not
  const isLatin = !/[^\0-\u00FF]/.test(joined)
  const encoding = isLatin ? 'latin1' : 'utf16le'
  return { bytes: Buffer.from(joined, encoding), encoding, bytesPerUnit: isLatin ? 1 : 2, ends }
}

/** Texts of which each is another one, as bytes. */
export class TextColumn implements ValueColumn {
  readonly #sealed: (SealedTexts | undefined)[] = []
  #open: (string | undefined)[] = []
  /** Which piece {@link TextColumn.#open} is. */
  #index = 0

  add(row: number, value: unknown): void {
    if (typeof value !== 'string') return
    const index = Math.floor(row / CHUNK)
    if (index !== this.#index) {
      if (this.#open.length > 0) this.#sealed[this.#index] = seal(this.#open)
      this.#open = []
      this.#index = index
    }
    this.#open[row % CHUNK] = value
  }

  at(row: number): string | undefined {
    const index = Math.floor(row / CHUNK)
    const place = row % CHUNK
    if (index === this.#index) return this.#open[place]
    const sealed = this.#sealed[index]
    if (sealed === undefined) return undefined
    const start = sealed.ends[place - 1] ?? 0
    const end = sealed.ends[place] ?? start
    if (start === end) return undefined
    const { bytes, encoding, bytesPerUnit } = sealed
    return bytes.toString(encoding, (start + PRESENT.length) * bytesPerUnit, end * bytesPerUnit)
  }
}

/** The last moment that ISO 8601 writes with four digits of a year. */
const LAST_MOMENT = Date.UTC(10_000, 0) - 1

/** Instants, as milliseconds; a text that is not spelled as we do is kept as it is. */
export class InstantColumn implements ValueColumn {
  readonly #times: (Float64Array | undefined)[] = []
  readonly #others = new TextColumn()

  add(row: number, value: unknown): void {
    const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
    if (!(Math.abs(time) <= LAST_MOMENT) || new Date(time).toISOString() !== value) {
      this.#others.add(row, value)
      return
    }
    const index = Math.floor(row / CHUNK)
    const chunk = this.#times[index] ?? new Float64Array(CHUNK).fill(Number.NaN)
    chunk[row % CHUNK] = time
    this.#times[index] = chunk
  }

  at(row: number): string | undefined {
    const time = this.#times[Math.floor(row / CHUNK)]?.[row % CHUNK]
    return time === undefined || Number.isNaN(time) ? this.#others.at(row) : new Date(time).toISOString()
  }
}
