import type { UsageCounts } from '../types.ts'
import { count, countsOf, isObject, objectIn } from './json.ts'
import type { Json } from './json.ts'

function firstCount(object: Json, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = count(object[name])
    if (value !== undefined) return value
  }
  return undefined
}

/** `usage` as OpenAI's chat completions and responses write it, and those who follow them; `undefined` where neither side is a number. */
export function openaiUsage(usage: unknown): UsageCounts | undefined {
  if (!isObject(usage)) return undefined
  const promptTokens = firstCount(usage, 'prompt_tokens', 'input_tokens')
  const completionTokens = firstCount(usage, 'completion_tokens', 'output_tokens')
  if (promptTokens === undefined && completionTokens === undefined) return undefined
  const prompt = {
    ...objectIn(usage, 'input_tokens_details'),
    ...objectIn(usage, 'prompt_token_details'),
    ...objectIn(usage, 'prompt_tokens_details'),
  }
  const completion = { ...objectIn(usage, 'output_tokens_details'), ...objectIn(usage, 'completion_tokens_details') }
  return countsOf({
    promptTokens,
    completionTokens,
    totalTokens: usage['total_tokens'],
    reasoningTokens: count(completion['reasoning_tokens']) ?? usage['reasoning_tokens'],
    cachedTokens:
      count(prompt['cached_tokens']) ??
      firstCount(usage, 'cached_tokens', 'num_cached_tokens', 'prompt_cache_hit_tokens', 'cache_read_input_tokens'),
  })
}
