import { createReadStream } from 'node:fs'

const QUOTE = 0x22
const LINE_FEED = 0x0a

/**
 * Finds the end of the last whole row in bytes that come in pieces. A row ends with a line feed outside of quotes: our rows are quoted
 * wherever they hold one, and a doubled quote toggles twice. So a write that was cut at any byte shows, also behind a newline
 * within a cell.
 */
export class WholeRows {
  #inQuotes = false
  #seen = 0
  #end = 0

  /** Bytes up to and including the last row's end. */
  get end(): number {
    return this.#end
  }

  add(bytes: Uint8Array): void {
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index]
      if (byte === QUOTE) this.#inQuotes = !this.#inQuotes
      else if (byte === LINE_FEED && !this.#inQuotes) this.#end = this.#seen + index + 1
    }
    this.#seen += bytes.length
  }
}

/** How many bytes of a file are whole rows, and how many there are in all. */
export async function measureRows(file: string): Promise<{ readonly whole: number; readonly size: number }> {
  const rows = new WholeRows()
  let size = 0
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
    const bytes = chunk as Buffer
    rows.add(bytes)
    size += bytes.length
  }
  return { whole: rows.end, size }
}
