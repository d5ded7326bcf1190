import { messageOf, SloError } from '../errors.ts'
import { readRows } from './csv-file.ts'
import type { Cell } from './csv-rows.ts'
import { checkFormat, checkHeader, RowDecoder } from './decode-row.ts'
import { SampleTable } from './sample-table.ts'
import type { Sample } from './types.ts'
import { SeenRows } from './seen-rows.ts'
import { checkTail } from './torn-tail.ts'
import { measureRows } from './whole-rows.ts'

export interface ReadOptions {
  /** Called where the last row is torn, with how many bytes were passed over: it is no sample. */
  readonly onTornRow?: ((bytes: number) => void) | undefined
}

/** Turns the rows of one file into samples, the header first. */
class SampleRows {
  readonly #file: string
  readonly #table = new SampleTable()
  readonly #samples: Sample[] = []
  readonly #seen: SeenRows
  #header: readonly Cell[] | undefined
  #decoder: RowDecoder | undefined

  constructor(file: string) {
    this.#file = file
    this.#seen = new SeenRows(file)
  }

  add(cells: readonly Cell[], line: number): void {
    if (this.#header === undefined) {
      this.#header = cells
      return
    }
    // A format that nobody here knows may have any header: say so before complaining about that.
    if (this.#decoder === undefined && this.#header[0] === 'format') checkFormat(cells[0], { file: this.#file, line })
    this.#decoder ??= this.#checkedDecoder()
    const sample = this.#table.addValues(this.#decoder.decode(cells, line))
    this.#seen.add(sample, line)
    this.#samples.push(sample)
  }

  finish(): Sample[] {
    this.#decoder ??= this.#checkedDecoder()
    return this.#samples
  }

  #checkedDecoder(): RowDecoder {
    const header = this.#header ?? []
    checkHeader(header, this.#file)
    return new RowDecoder(this.#file, header.length)
  }
}

/**
 * The samples of a file, read piece by piece and kept by column ({@link SampleTable}). A last row that is torn (no line end, or still
 * within quotes) is none, and passed over. The file may be one that a run is writing.
 * @throws SloError `SAMPLES_UNREADABLE`, `SAMPLES_VERSION`, with file and line
 */
export async function readSamples(file: string, options: ReadOptions = {}): Promise<Sample[]> {
  const rows = new SampleRows(file)
  try {
    const extent = await measureRows(file)
    const { whole, size } = extent
    await checkTail(file, file, extent)
    if (whole < size) options.onTornRow?.(size - whole)
    await readRows(file, whole, { name: file, delimiter: ',' }, (cells, line) => rows.add(cells, line))
    return rows.finish()
  } catch (error) {
    if (error instanceof SloError) throw error
    throw new SloError('SAMPLES_UNREADABLE', `${file}: ${messageOf(error)}`, { facts: { file }, cause: error })
  }
}
