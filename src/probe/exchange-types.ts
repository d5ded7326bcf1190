import type { Timeouts } from '../budget/types.ts'
import type { Ending } from './outcome.ts'
import type { ResponseHeaders } from './response-headers.ts'
import type { ReaderOptions, StreamReader } from './stream-reader.ts'
import type { Protocol } from './types.ts'

/** One request, ready to be written. */
export interface ExchangeOrder {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly protocol: Protocol
  /** Already divided by the time scale. */
  readonly timeouts: Timeouts
  readonly timeScale: number
  readonly reader: ReaderOptions
  readonly signal: AbortSignal
}

/** What one attempt on one connection gave: raw times of `performance.now()`. */
export interface ExchangeResult {
  readonly ending: Ending
  readonly reader: StreamReader
  readonly sentAt: number | undefined
  readonly writtenAt: number | undefined
  readonly headersAt: number | undefined
  readonly status: number | undefined
  readonly responseHeaders: ResponseHeaders
  readonly endedAt: number
  /** Bytes of an answer came, be it half a header. */
  readonly answered: boolean
  /** The client found its socket closed before it wrote anything. */
  readonly gone: boolean
}
