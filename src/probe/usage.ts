import type { Usage } from '../sample/types.ts'
import type { UsageCounts, UsageRules } from './types.ts'

/** The counts that every event so far has given; a later one wins. */
export function mergeCounts(before: UsageCounts | undefined, counts: UsageCounts): UsageCounts {
  return before === undefined ? counts : { ...before, ...counts }
}

/**
 * A provider's counts made comparable: the prompt with its cached part, the completion with its reasoning. Where the provider's own
 * total shows that it counts reasoning apart, it is added; where its numbers contradict each other they stay and are marked.
 * @returns `undefined` where neither side was counted
 */
export function comparableUsage(counts: UsageCounts | undefined, rules: UsageRules = {}): Usage | undefined {
  if (counts === undefined) return undefined
  const { reasoningTokens, cachedTokens, totalTokens } = counts
  const reasoning = reasoningTokens ?? 0
  let { promptTokens, completionTokens } = counts
  if (promptTokens === undefined && completionTokens === undefined) return undefined
  if (rules.cacheApart === true && promptTokens !== undefined)
    promptTokens += (cachedTokens ?? 0) + (counts.cacheWriteTokens ?? 0)
  let inconsistent = promptTokens !== undefined && (cachedTokens ?? 0) > promptTokens
  if (rules.reasoningApart === true) {
    if (completionTokens !== undefined || reasoningTokens !== undefined)
      completionTokens = (completionTokens ?? 0) + reasoning
  } else if (completionTokens !== undefined) {
    if (totalTokens !== undefined && promptTokens !== undefined && totalTokens !== promptTokens + completionTokens) {
      if (totalTokens === promptTokens + completionTokens + reasoning) completionTokens += reasoning
      else inconsistent = true
    }
    if (reasoning > completionTokens) inconsistent = true
  }
  return {
    ...(promptTokens === undefined ? {} : { promptTokens }),
    ...(completionTokens === undefined ? {} : { completionTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    ...(counts.promptTokens === undefined ? {} : { rawPromptTokens: counts.promptTokens }),
    ...(counts.completionTokens === undefined ? {} : { rawCompletionTokens: counts.completionTokens }),
    ...(inconsistent ? { inconsistent } : {}),
  }
}
