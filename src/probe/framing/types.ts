import type { WireEvent } from '../types.ts'

/** What a framing finds in a body. Times are the caller's: everything is told while the bytes that completed it are being fed. */
export interface FramingSink {
  event(event: WireEvent): void
  /** JSON that is no event: between the events, in a field of its own that calls it an error, or the whole body. */
  stray(event: WireEvent): void
  /** An event that cannot be read at all. */
  malformed(): void
  /** Text of a comment. */
  comment?(text: string): void
  /** Longer than anything that is kept. */
  tooMuch(what: string): void
}

/** Cuts a body into events; chunks may end anywhere. */
export interface Framing<Chunk> {
  feed(chunk: Chunk): void
  /** The body has ended: an event that only lacks its end counts. */
  end(): void
}

/** Longest event, characters or bytes. */
export const EVENT_LIMIT = 32 * 1024 * 1024
