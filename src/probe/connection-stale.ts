import type { Connection } from './connection.ts'
import type { ExchangeResult } from './exchange-types.ts'

/** A reused connection that dies this soon, milliseconds, had been closed before we asked. */
const STALE_MS = 250
/** HTTP/2's REFUSED_STREAM (RFC 9113, 8.7): nothing of the request was processed. */
const REFUSED_STREAM = 7

/** Over HTTP/2 the server says it: it never began, since it was leaving (GOAWAY below our stream) or would not take the stream. */
function neverBegun(error: Error): boolean {
  if ('http2ErrorCode' in error) return error.http2ErrorCode === REFUSED_STREAM
  return error.message.includes('"GOAWAY" frame')
}

function died(result: ExchangeResult, connection: Connection): boolean {
  if (result.ending.kind !== 'broken' || result.status !== undefined) return false
  const { error } = result.ending
  if (connection.httpVersion === '2') return neverBegun(error)
  const code = 'code' in error ? String(error.code) : ''
  return !result.answered && ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(code)
}

/**
 * A reused connection had been closed before we asked (8-timing, 4): it was lost before t₀, or died before one byte of an answer, so
 * soon that the server cannot have meant our request.
 */
export function isStale(result: ExchangeResult, connection: Connection, timeScale: number): boolean {
  if (result.sentAt === undefined) return result.gone
  if (!result.gone && !died(result, connection)) return false
  const limit = Math.max(3 * (connection.opening.tcpMs ?? 0), STALE_MS / timeScale)
  return result.endedAt - result.sentAt <= limit
}
