import type { Draw } from '../draw.ts'
import { chatOf } from './chat-of.ts'
import { event } from './types.ts'
import type { Dialect } from './types.ts'

function named(type: string, fields: Readonly<Record<string, unknown>>): string {
  return event({ type, ...fields }, type)
}

function usageOf({ promptTokens, reasoningTokens, answerTokens }: Draw): Readonly<Record<string, unknown>> {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: reasoningTokens + answerTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + reasoningTokens + answerTokens,
  }
}

export const openaiResponses: Dialect = {
  name: 'openai-responses',
  path: /^\/responses$/,
  read: (body) => chatOf(body, [body['instructions'], body['input']], body['max_output_tokens']),
  begin: ({ id, model }) => named('response.created', { response: { id, model, status: 'in_progress', usage: null } }),
  token: ({ text, kind }) =>
    named(kind === 'reasoning' ? 'response.reasoning_summary_text.delta' : 'response.output_text.delta', {
      delta: text,
    }),
  done: (draw, { id, model }) => {
    const cut = draw.finishReason === 'length'
    const status = cut ? 'incomplete' : 'completed'
    const reason = cut ? { incomplete_details: { reason: 'max_output_tokens' } } : {}
    return named(`response.${status}`, { response: { id, model, status, ...reason, usage: usageOf(draw) } })
  },
}
