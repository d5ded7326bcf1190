import { refusedFieldMessage } from '../sample/refused-field.ts'
import type { RequestRecord } from '../sample/types.ts'
import type { OpeningFailed, OpeningTimes } from './connection-opening.ts'
import type { ExchangeResult } from './exchange-types.ts'
import { firstEventBatched, hidesReasoning } from './first-event.ts'
import { outcomeOf } from './outcome.ts'
import type { Failure } from './outcome.ts'
import { refusedField } from './refused-field.ts'
import type { WireRequest } from './request.ts'
import { requestIdOf } from './response-headers.ts'
import { retryAfterMs } from './retry-after.ts'
import type { Refusal } from './retry-after.ts'
import type { Secrets } from './secrets.ts'

/** Longest message that is kept of a server, characters. */
export const MESSAGE_LENGTH = 500
/** Longest id, model's name or finish reason. */
const WORD_LENGTH = 200

/** What one slot's connections came to: a result, or why none could be opened. */
export interface Attempt {
  readonly opening?: OpeningTimes
  readonly reused?: boolean
  readonly httpVersion?: '1.1' | '2'
  readonly staleRetries: number
  readonly result?: ExchangeResult
  readonly failed?: OpeningFailed
}

/** What stood around an attempt. */
export interface RecordContext {
  readonly wire: WireRequest
  readonly simulated: boolean
  /** The worst bound on stamping delay while it lasted. */
  readonly clientLagMs: number
  readonly secrets: Secrets
  /** Now, as the time of day. */
  readonly wallMs: number
}

/** What is kept of an attempt: raw times, and a server's words without secrets. */
export function requestRecord(attempt: Attempt, context: RecordContext): RequestRecord {
  const { wire, simulated, clientLagMs, secrets, wallMs } = context
  const { result, failed, opening, reused, httpVersion, staleRetries } = attempt
  const connection = {
    staleRetries,
    ...opening,
    ...(reused === undefined ? {} : { reused }),
    ...(httpVersion === undefined ? {} : { httpVersion }),
  }
  if (result === undefined) {
    const kind = failed?.kind ?? 'connect'
    return {
      connection,
      tokenTimes: [],
      firstEventBatched: false,
      tokenChunks: 0,
      malformedEvents: 0,
      clientLagMs,
      failure: { kind, message: secrets.scrub(failed?.message ?? '', MESSAGE_LENGTH) },
    }
  }
  const { reader, status, responseHeaders } = result
  const { usage } = reader
  const failure = namingRefusal(outcomeOf(result.ending, status, reader), status, wire)
  const refusal = refusalOf(failure, result)
  return {
    connection,
    tokenTimes: reader.tokenTimes,
    firstEventBatched: firstEventBatched(reader, usage),
    hiddenReasoning: hidesReasoning(reader, usage),
    tokenChunks: reader.tokenChunks,
    malformedEvents: reader.malformedEvents,
    clientLagMs,
    endedAt: result.endedAt,
    failure:
      failure === null
        ? null
        : {
            kind: failure.kind,
            message: secrets.scrub(failure.message, MESSAGE_LENGTH, { cut: failure.cut === true }),
            ...(failure.class === undefined ? {} : { class: failure.class }),
          },
    ...given({
      sentAt: result.sentAt,
      writtenAt: result.writtenAt,
      headersAt: result.headersAt,
      status,
      retryAfterMs: refusal === undefined ? undefined : retryAfterMs(refusal, wallMs),
      firstEventAt: reader.firstEventAt,
      firstTokenKind: reader.firstTokenKind,
      firstAnswerAt: reader.firstAnswerAt,
      firstTokenErrorMs: reader.firstTokenErrorMs,
      simulatorLateMs: simulated ? reader.simulatorLateMs : undefined,
      usage,
      finishReason: wordOf(reader.finishReason, secrets),
      servedModel: wordOf(reader.servedModel, secrets),
      requestId: wordOf(requestIdOf(responseHeaders) ?? reader.bodyId, secrets),
    }),
  }
}

function wordOf(text: string | undefined, secrets: Secrets): string | undefined {
  if (text === undefined) return undefined
  const word = secrets.scrub(text, WORD_LENGTH)
  return word === '' ? undefined : word
}

/** What of a failed answer may say when to ask again. */
function refusalOf(failure: Failure | null, result: ExchangeResult): Refusal | undefined {
  const { status, responseHeaders: headers, reader } = result
  if (status === undefined || (status === 200 && failure?.kind !== 'error_event' && failure?.kind !== 'not_a_stream'))
    return undefined
  return { status, headers, body: reader.errorSource ?? reader.head.toString('utf8') }
}

/** A field of ours that was refused stands first in the message, with the setting that leaves it out. */
function namingRefusal(failure: Failure | null, status: number | undefined, wire: WireRequest): Failure | null {
  if (failure?.kind !== 'http_status' || status === undefined) return failure
  const refused = refusedField(status, failure.message, wire.body.toString('utf8'))
  if (refused === undefined) return failure
  return { ...failure, message: refusedFieldMessage(refused.field, refused.advice, failure.message) }
}

function given<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}
