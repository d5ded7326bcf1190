import type { Script } from './script.ts'
import { mapEvents, without } from './script-edits.ts'
import type { Fault } from './fault.ts'

type UsageNumbers = Record<string, number | Record<string, number>>

function mapUsage(script: Script, change: (usage: UsageNumbers) => unknown): Script {
  return mapEvents(script, ['usage'], (payload) => ({ ...payload, usage: change(payload['usage'] as UsageNumbers) }))
}

/** The provider's own counts are odd. */
export const usageFaults: Readonly<Record<string, Fault>> = {
  'no-usage': {
    about: 'no usage event, though it was asked for',
    apply: (script) => without(script, 'usage'),
  },
  'cached-prompt': {
    about: 'a share of the prompt came from the provider’s cache',
    params: { share: '0.5' },
    apply: (script, { number }) =>
      mapUsage(script, (usage) => ({
        ...usage,
        prompt_tokens_details: { cached_tokens: Math.round(Number(usage['prompt_tokens']) * number('share', 0.5)) },
      })),
  },
  'inconsistent-usage': {
    about: 'more reasoning tokens than completion tokens, and a total that is not the sum',
    apply: (script) =>
      mapUsage(script, (usage) => ({
        ...usage,
        total_tokens: 7,
        completion_tokens_details: { reasoning_tokens: Number(usage['completion_tokens']) + 100 },
      })),
  },
}
