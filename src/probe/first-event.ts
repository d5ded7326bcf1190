import type { Usage } from '../sample/types.ts'
import type { StreamReader } from './stream-reader.ts'

/** What is looked at of a stream that has been read. */
export type ReadStream = Pick<StreamReader, 'reasoned' | 'characters' | 'firstCharacters' | 'tokenTimes'>

/** Longer than any token of a common vocabulary, characters. */
const LONGEST_TOKEN = 32

/** Reasoning was counted but stood in no event: the first event that is seen comes after it. */
export function hidesReasoning(reader: Pick<ReadStream, 'reasoned'>, usage: Usage | undefined): boolean {
  return !reader.reasoned && (usage?.reasoningTokens ?? 0) > 0
}

/**
 * The first token event carried several tokens, as far as anybody can tell: it is long for this stream's own characters per token, or,
 * where nothing was counted, longer than a token can be. That it came together with others says nothing of it.
 */
export function firstEventBatched(reader: ReadStream, usage: Usage | undefined): boolean {
  const { characters, firstCharacters, tokenTimes } = reader
  if (usage?.completionTokens === undefined) return firstCharacters > LONGEST_TOKEN
  const tokens = usage.completionTokens - (hidesReasoning(reader, usage) ? (usage.reasoningTokens ?? 0) : 0)
  if (tokens < 2 || characters === 0) return false
  const perToken = characters / tokens
  // where most events carry one token, a word that is long by itself is no lump
  const lumps = tokens / tokenTimes.length >= 1.5
  return firstCharacters >= perToken * (lumps ? 1.5 : 4)
}
