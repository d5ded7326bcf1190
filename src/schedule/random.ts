import { createHash, randomBytes, randomInt } from 'node:crypto'

/** The four 32-bit words of a xoshiro128** state; not all zero. */
export type Xoshiro128State = readonly [number, number, number, number]

/**
 * The next word of xoshiro128** 1.1, as a signed number, which takes no memory of its own; period 2¹²⁸ − 1.
 * Source: D. Blackman and S. Vigna, "Scrambled linear pseudorandom number generators", 2021; https://prng.di.unimi.it
 */
function nextWord(state: Int32Array): number {
  const a = state[0] ?? 0
  const b = state[1] ?? 0
  const c = (state[2] ?? 0) ^ a
  const d = (state[3] ?? 0) ^ b
  state[0] = a ^ d
  state[1] = b ^ c
  state[2] = c ^ (b << 9)
  state[3] = rotateLeft(d, 11)
  return Math.imul(rotateLeft(Math.imul(b, 5), 7), 9)
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}

/** xoshiro128** from a state: unsigned 32-bit words. */
export function xoshiro128(state: Xoshiro128State): () => number {
  const words = Int32Array.from(state)
  return () => nextWord(words) >>> 0
}

/**
 * A stream of uniform numbers in [0, 1), each a multiple of 2⁻⁵³, the same wherever seed and parts are the same.
 *
 * The state of {@link xoshiro128} is the first 16 bytes, little-endian, of SHA-256 over the JSON array `[seed, ...parts]`: streams
 * whose parts differ in anything are unrelated. A number takes two words: 27 high bits of the first, 26 of the second.
 */
export function seededRandom(seed: number, ...parts: readonly (string | number)[]): () => number {
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, ...parts]))
    .digest()
  const state = Int32Array.from([0, 4, 8, 12], (at) => digest.readInt32LE(at))
  return () => {
    const high = nextWord(state) >>> 5
    const low = nextWord(state) >>> 6
    return (high * 2 ** 26 + low) / 2 ** 53
  }
}

/** A shuffled copy (Fisher and Yates, from the end): every order is equally likely. */
export function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  const shuffled = [...items]
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1))
    const [moved] = shuffled.splice(other, 1, ...shuffled.slice(last, last + 1))
    if (moved !== undefined) shuffled[last] = moved
  }
  return shuffled
}

/** A seed for a run whose probe gives none: a whole number from 0 to 2³² − 1. It is recorded in `runs.jsonl`. */
export function drawSeed(): number {
  return randomInt(2 ** 32)
}

/** A fresh `run_id`: `20261201T031112345Z-9f3a61c2`. Sorts by start; 32 random bits keep two runs of one millisecond apart. */
export function runId(wallMs: number): string {
  const stamp = new Date(wallMs).toISOString().replaceAll(/[-:.]/g, '')
  return `${stamp}-${randomBytes(4).toString('hex')}`
}

/** A fresh random session id for one request: 128 bits as 32 hex digits. */
export function freshNonce(): string {
  return randomBytes(16).toString('hex')
}
