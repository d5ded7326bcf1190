import type { Buffer } from 'node:buffer'

/** A way to cut a body into chunks. */
export interface Cut {
  readonly name: string
  readonly chunks: (body: Buffer) => readonly Buffer[]
}

/** Seeded: uniform in [0, 1). Mulberry32. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function cutAt(body: Buffer, places: readonly number[]): readonly Buffer[] {
  return [0, ...places]
    .map((from, i) => body.subarray(from, places[i] ?? body.length))
    .filter((part) => part.length > 0)
}

function randomly(body: Buffer): readonly Buffer[] {
  const next = random(body.length)
  const places: number[] = []
  for (let at = 0; at < body.length;) {
    at += 1 + Math.floor(next() ** 3 * 4000)
    if (at < body.length) places.push(at)
  }
  return cutAt(body, places)
}

/** Within every character of several bytes, and between every CR and its LF. */
function insideCharacters(body: Buffer): readonly Buffer[] {
  const places: number[] = []
  for (let at = 1; at < body.length; at += 1) {
    const byte = body[at] ?? 0
    const before = body[at - 1] ?? 0
    if ((byte & 0xc0) === 0x80 || (byte === 10 && before === 13) || (byte === 10 && before === 10)) places.push(at)
  }
  return cutAt(body, places)
}

export const cuts: readonly Cut[] = [
  { name: 'whole', chunks: (body) => [body] },
  { name: 'per byte', chunks: (body) => Array.from(body, (_byte, at) => body.subarray(at, at + 1)) },
  { name: 'random', chunks: randomly },
  { name: 'inside a character', chunks: insideCharacters },
]
