import { endedAtTokenCap } from '../sample/index.ts'
import type { ErrorClass, ErrorKind } from '../sample/types.ts'
import { SocketGone } from './connection.ts'
import { classOfEvent, classOfFinish, classOfForeign, classOfStatus } from './error-class.ts'
import type { StreamReader } from './stream-reader.ts'

/** How a request came to its end. */
export type Ending =
  /** The body ended as it should; or the provider had finished and nothing more came. */
  | { readonly kind: 'end' }
  /** The connection broke. */
  | { readonly kind: 'broken'; readonly error: Error }
  | {
      readonly kind: 'timeout'
      readonly which: 'first_token_timeout' | 'stall_timeout' | 'total_timeout'
      readonly ms: number
    }
  | { readonly kind: 'aborted' }

/** A failure, its message not yet scrubbed. `cut`: the message was cut off. */
export interface Failure {
  readonly kind: ErrorKind
  readonly message: string
  readonly cut?: boolean
  readonly class?: ErrorClass
}

function classed(failure: Failure, found: ErrorClass | undefined): Failure {
  return found === undefined ? failure : { ...failure, class: found }
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function describe(error: Error): string {
  const code = codeOf(error)
  return code === '' || error.message.includes(code) ? error.message : `${code}: ${error.message}`
}

/** Given to what a content decoder could not read. */
export const BAD_CODING = 'BAD_CONTENT_CODING'

/** The answer was not HTTP, or broke its rules, or was not coded as it said. */
function isProtocolFault(error: Error): boolean {
  return (
    /^HPE_|^BAD_CONTENT_CODING$|^UND_ERR_(?:HEADERS_OVERFLOW|RES_EXCEEDED)|HTTPParser/.test(codeOf(error)) ||
    error.name === 'HTTPParserError'
  )
}

/** A status that answers no request (101, 099) or two lengths of one body. */
function isNoAnswer(error: Error): boolean {
  return (
    /^(?:ERR_ASSERTION|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/.test(codeOf(error)) || error.message === 'bad upgrade'
  )
}

/** The other side closed in good manners, or in the middle of what it had announced. */
function isClose(error: Error): boolean {
  const code = codeOf(error)
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return true
  return code === 'UND_ERR_SOCKET' && /other side closed|^closed$/.test(error.message)
}

function body(reader: StreamReader): { readonly message: string; readonly cut: boolean } {
  return { message: reader.head.toString('utf8'), cut: reader.headCut }
}

/** What a user's own protocol tripped over explains what is missing. */
function misreadingOf({ misreading }: StreamReader, before: string): string {
  return misreading === undefined ? '' : `the protocol could not read an event: ${misreading}${before}`
}

const TIMEOUT_WORDS = {
  first_token_timeout: 'no token',
  stall_timeout: 'nothing since the last token',
  total_timeout: 'not finished',
}

function brokenBeforeHeaders(error: Error): Failure {
  if (error instanceof SocketGone)
    return { kind: 'reset', message: 'connection lost before the headers: closed by the other side' }
  if (isProtocolFault(error) || isNoAnswer(error))
    return { kind: 'malformed', message: `the answer cannot be read: ${describe(error)}` }
  return { kind: 'reset', message: `connection lost before the headers: ${describe(error)}` }
}

function httpStatus(status: number, reader: StreamReader): Failure {
  const { message, cut } = body(reader)
  const text = message.trim() === '' ? 'no body' : message
  return { kind: 'http_status', message: text, cut, class: classOfStatus(status, message) }
}

/** What became of a 200 whose body is over, and of which nothing better is known. */
function bodyOutcome(reader: StreamReader, broken: Error | null): Failure | null {
  const tokens = reader.tokenTimes.length
  if (reader.oversize !== undefined) return { kind: 'oversize', message: reader.oversize }
  if (reader.error !== undefined)
    return classed({ kind: 'error_event', message: reader.error }, classOfEvent(reader.error))
  // a connection that broke explains more than what it cut off
  const cut = broken !== null && !isClose(broken) && !isProtocolFault(broken)
  if (!cut && reader.looksForeign) {
    const foreign = body(reader)
    return classed({ kind: 'not_a_stream', ...foreign }, classOfForeign(foreign.message))
  }
  if (!cut && tokens === 0 && reader.malformedEvents > 0) {
    const { message, cut: headCut } = body(reader)
    return { kind: 'malformed', message: misreadingOf(reader, ': ') + message, cut: headCut }
  }
  if (reader.finished) {
    const reason = reader.finishReason
    if (tokens > 0 || endedAtTokenCap(reason)) return null
    const message = `finished without a token, finish reason: ${reason ?? 'none'}`
    return classed({ kind: 'empty', message }, classOfFinish(reason))
  }
  if (broken !== null) {
    if (isProtocolFault(broken) && tokens === 0 && reader.events === 0)
      return { kind: 'malformed', message: `the answer cannot be read: ${describe(broken)}` }
    if (isClose(broken) || isProtocolFault(broken))
      return { kind: 'truncated', message: `closed before the end of the stream: ${describe(broken)}` }
    return { kind: 'reset', message: `connection lost in the stream: ${describe(broken)}` }
  }
  if (reader.bytes === 0) return { kind: 'empty', message: 'the body has not one byte; finish reason: none' }
  const half = reader.halfEvent ? ', in the middle of an event' : ''
  const end = `the stream ended with neither a finish reason nor an end marker${half}`
  return { kind: 'truncated', message: misreadingOf(reader, '; ') + end }
}

/**
 * Why a request failed, `null` if it succeeded (2-metrics, "Failures").
 * @param status - `undefined`: no headers came
 */
export function outcomeOf(ending: Ending, status: number | undefined, reader: StreamReader): Failure | null {
  if (ending.kind === 'aborted') return { kind: 'aborted', message: 'stopped by us' }
  if (status !== undefined && status !== 200) return httpStatus(status, reader)
  if (ending.kind === 'timeout' && !reader.over && !reader.finished)
    return { kind: ending.which, message: `${TIMEOUT_WORDS[ending.which]} within ${ending.ms} ms` }
  if (ending.kind === 'broken' && status === undefined) return brokenBeforeHeaders(ending.error)
  return bodyOutcome(reader, ending.kind === 'broken' ? ending.error : null)
}
