import type { Socket } from 'node:net'

const INTERIM = /^HTTP\/1\.\d 1\d\d$/
const CONTINUE = /100$/
const STATUS_LENGTH = 'HTTP/1.1 100'.length
/** Makes `103` of `100`: undici passes over every interim answer but that one. */
const LAST_DIGIT = '3'.charCodeAt(0)
const EMPTY_LINE = '\r\n\r\n'

/**
 * Makes a socket of HTTP/1.1 pass over a server's `100 Continue`, which nobody asked for but which is allowed (RFC 9110, 15.2.1);
 * undici takes it for a broken answer. One digit is changed as it is read: nothing is kept back and nothing moves.
 * @returns to be called when a request begins: the next byte is the first one of an answer
 */
export function passOverContinue(socket: Socket): () => void {
  let part: 'status' | 'interim head' | 'answer' = 'answer'
  /** Of the status line its beginning, of an interim head what may be its empty line. */
  let seen = ''

  const look = (chunk: Uint8Array): void => {
    for (let at = 0; at < chunk.length && part !== 'answer'; at += 1) {
      const character = String.fromCharCode(chunk[at] ?? 0)
      seen += character
      if (part === 'status' && seen.length === STATUS_LENGTH) {
        part = INTERIM.test(seen) ? 'interim head' : 'answer'
        if (part === 'interim head' && CONTINUE.test(seen)) chunk[at] = LAST_DIGIT
        seen = ''
      } else if (part === 'interim head' && !EMPTY_LINE.startsWith(seen)) {
        seen = character === '\r' ? character : ''
      } else if (part === 'interim head' && seen === EMPTY_LINE) {
        part = 'status'
        seen = ''
      }
    }
  }

  const read = socket.read.bind(socket)
  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size)
    if (part !== 'answer' && chunk instanceof Uint8Array) look(chunk)
    return chunk
  }
  return () => {
    part = 'status'
    seen = ''
  }
}
