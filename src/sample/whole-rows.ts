import { createReadStream } from 'node:fs'

const QUOTE = 0x22
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** What the bytes of a file hold, in bytes from its start. */
export interface RowExtent {
  /** End of the last whole row. */
  readonly whole: number
  readonly size: number
  /** End of the first row. */
  readonly headerEnd: number
  /** Where the last whole row that is not blank starts; 0 where there is none but the first. */
  readonly lastStart: number
  /** What follows the last whole row is within quotes. */
  readonly inQuotes: boolean
}

/**
 * How much of a file are whole rows, in one pass over its bytes. A row ends with a line feed outside of quotes: our rows are quoted
 * wherever they hold one, and a doubled quote toggles twice. So a write that was cut at any byte shows, also behind a newline
 * within a cell.
 */
export async function measureRows(file: string): Promise<RowExtent> {
  let size = 0
  let whole = 0
  let headerEnd = 0
  let lastStart = 0
  let inQuotes = false
  let isBlank = true
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
    const bytes = chunk as Buffer
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index]
      if (byte === LINE_FEED && !inQuotes) {
        if (!isBlank) lastStart = whole
        whole = size + index + 1
        if (headerEnd === 0) headerEnd = whole
        isBlank = true
      } else if (byte === QUOTE) {
        inQuotes = !inQuotes
        isBlank = false
      } else if (byte !== CARRIAGE_RETURN) isBlank = false
    }
    size += bytes.length
  }
  return { whole, size, headerEnd, lastStart, inQuotes }
}
