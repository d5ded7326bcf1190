import type { Profile } from './profile.ts'
import { quantileAt, quantileAtLength } from './quantiles.ts'
import { point } from './sequence.ts'
import type { DrawKey, Quantity } from './sequence.ts'

/** What one request will be: unscaled milliseconds of the provider. */
export interface Draw {
  readonly promptTokens: number
  /** Fault that the provider itself has this time. */
  readonly error: { readonly fault: string; readonly afterMs: number } | null
  readonly ttftMs: number
  readonly tokensPerSecond: number
  /** Reasoning comes first; the cap may cut it, and then there is no answer. */
  readonly reasoningTokens: number
  readonly answerTokens: number
  readonly finishReason: 'stop' | 'length'
  readonly tokensPerEvent: number
}

/** Tokens of a prompt, as this provider's tokenizer counts them. */
export function promptTokensOf(profile: Profile, words: number): number {
  return Math.max(1, Math.round(profile.promptTokens.fixed + profile.promptTokens.perWord * words))
}

/** Middle of every distribution, without errors: what a warm-up gets, which takes no draw. */
export const neutralPoint = (quantity: Quantity): number => (quantity === 'error' ? 1 : 0.25)

function errorAt(profile: Profile, u: number): Draw['error'] {
  let sum = 0
  for (const { fault, probability, afterMs } of profile.errors) {
    sum += probability
    if (u < sum) return { fault, afterMs }
  }
  return null
}

/**
 * Draws a request from a profile.
 * @param points - uniform numbers by quantity, as {@link pointsOf} gives them
 * @param maxTokens - the request's cap; `null`: the profile's own
 */
export function drawAt(
  profile: Profile,
  points: (quantity: Quantity) => number,
  promptTokens: number,
  maxTokens: number | null,
): Draw {
  const lengths = Object.values(profile.lengths)
  const ttft = lengths.map((length) => ({ promptTokens: length.promptTokens, table: length.ttftMs }))
  const reasoning = lengths.flatMap(({ promptTokens: size, reasoningTokens: table }) =>
    table === undefined ? [] : [{ promptTokens: size, table }],
  )
  const cap = maxTokens ?? profile.maxTokens
  const thought =
    reasoning.length === 0 ? 0 : Math.round(quantileAtLength(reasoning, promptTokens, points('reasoning')))
  const answer = Math.max(1, Math.round(quantileAt(profile.answerTokens, points('answer'))))
  const reasoningTokens = Math.min(thought, cap)
  return {
    promptTokens,
    error: errorAt(profile, points('error')),
    ttftMs: quantileAtLength(ttft, promptTokens, points('ttft')),
    tokensPerSecond: quantileAt(profile.tokensPerSecond, points('speed')),
    reasoningTokens,
    answerTokens: Math.min(answer, cap - reasoningTokens),
    finishReason: thought + answer > cap ? 'length' : 'stop',
    tokensPerEvent: quantileAt(profile.tokensPerEvent, points('perEvent')),
  }
}

/** The points of one request of a cell. */
export function pointsOf(key: DrawKey): (quantity: Quantity) => number {
  return (quantity) => point(key, quantity)
}
