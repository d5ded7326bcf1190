import { chatOf } from './chat-of.ts'
import { event } from './types.ts'
import type { Dialect } from './types.ts'

function named(type: string, fields: Readonly<Record<string, unknown>>): string {
  return event({ type, ...fields }, type)
}

export const cohere: Dialect = {
  name: 'cohere',
  path: /^\/v2\/chat$/,
  read: (body) => chatOf(body, body['messages'], body['max_tokens']),
  begin: ({ id }) => named('message-start', { id, delta: { message: { role: 'assistant' } } }),
  token: ({ text, kind }) =>
    named('content-delta', {
      index: 0,
      delta: { message: { content: kind === 'reasoning' ? { thinking: text } : { text } } },
    }),
  done: ({ promptTokens, answerTokens, reasoningTokens, finishReason }) =>
    named('message-end', {
      delta: {
        finish_reason: finishReason === 'length' ? 'MAX_TOKENS' : 'COMPLETE',
        usage: { tokens: { input_tokens: promptTokens, output_tokens: answerTokens + reasoningTokens } },
      },
    }),
}
