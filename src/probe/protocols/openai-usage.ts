import type { UsageCounts } from '../types.ts'
import { count, countsOf, isObject, objectIn } from './json.ts'

/** `usage` as OpenAI's chat completions write it, and those who follow them; `undefined` where neither side is a number. */
export function openaiUsage(usage: unknown): UsageCounts | undefined {
  if (!isObject(usage)) return undefined
  if (count(usage['prompt_tokens']) === undefined && count(usage['completion_tokens']) === undefined) return undefined
  const prompt = { ...objectIn(usage, 'prompt_token_details'), ...objectIn(usage, 'prompt_tokens_details') }
  return countsOf({
    promptTokens: usage['prompt_tokens'],
    completionTokens: usage['completion_tokens'],
    totalTokens: usage['total_tokens'],
    reasoningTokens:
      count(objectIn(usage, 'completion_tokens_details')['reasoning_tokens']) ?? usage['reasoning_tokens'],
    cachedTokens:
      count(prompt['cached_tokens']) ??
      count(usage['cached_tokens']) ??
      count(usage['num_cached_tokens']) ??
      usage['prompt_cache_hit_tokens'],
  })
}
