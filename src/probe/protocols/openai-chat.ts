import type { Protocol } from '../types.ts'
import { errorOf } from './error-text.ts'
import { filled, isObject, objectIn } from './json.ts'
import { addDelta } from './openai-delta.ts'
import { openaiUsage } from './openai-usage.ts'
import { reader } from './reading.ts'

/**
 * Chat completions as OpenAI defined them and most providers speak them.
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 */
export const openaiChat: Protocol = {
  name: 'openai-chat',
  path: () => '/chat/completions',
  body: ({ model, messages, request }) => ({
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    [request.maxTokensField ?? 'max_completion_tokens']: request.maxTokens,
    ...(request.temperature === null ? {} : { temperature: request.temperature }),
  }),
  read: reader((json, draft, event) => {
    const choices = json['choices']
    let usage = openaiUsage(json['usage'])
    let error = errorOf(json, event)
    if (Array.isArray(choices)) {
      for (const choice of choices) {
        if (!isObject(choice)) continue
        if (isObject(choice['delta'])) addDelta(choice['delta'], draft)
        draft.finishReason ??= filled(choice['finish_reason'])
        usage ??= openaiUsage(choice['usage'])
        if (choice['error'] !== undefined) error ??= errorOf(choice, undefined)
      }
    }
    const beside = objectIn(json, 'x_groq')
    draft.usage = usage ?? openaiUsage(beside['usage'])
    draft.error = error ?? filled(beside['error'])
    draft.servedModel = filled(json['model'])
    draft.requestId = filled(json['id'])
  }),
}
