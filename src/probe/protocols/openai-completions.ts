import type { Protocol } from '../types.ts'
import { errorOf } from './error-text.ts'
import { filled, isObject, lengthOf, listIn } from './json.ts'
import { openaiUsage } from './openai-usage.ts'
import { promptText } from './prompt-text.ts'
import { reader } from './reading.ts'

/**
 * Text completions: one string in, its continuation out.
 * @see https://platform.openai.com/docs/api-reference/completions
 */
export const openaiCompletions: Protocol = {
  name: 'openai-completions',
  path: () => '/completions',
  body: ({ model, messages, request }) => ({
    model,
    prompt: promptText(messages),
    stream: true,
    stream_options: { include_usage: true },
    [request.maxTokensField ?? 'max_tokens']: request.maxTokens,
    ...(request.temperature === null ? {} : { temperature: request.temperature }),
  }),
  read: reader((json, draft, event) => {
    for (const choice of listIn(json, 'choices')) {
      if (!isObject(choice)) continue
      draft.answer += lengthOf(choice['text'])
      draft.reasoning += Math.max(lengthOf(choice['reasoning']), lengthOf(choice['reasoning_content']))
      draft.finishReason ??= filled(choice['finish_reason'])
      draft.usage ??= openaiUsage(choice['usage'])
      if (choice['error'] !== undefined) draft.error ??= errorOf(choice, undefined)
    }
    draft.usage = openaiUsage(json['usage']) ?? draft.usage
    draft.error = errorOf(json, event) ?? draft.error
    draft.servedModel = filled(json['model'])
    draft.requestId = filled(json['id'])
  }),
}
