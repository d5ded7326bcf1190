import { chatOf } from './chat-of.ts'
import { event } from './types.ts'
import type { Dialect } from './types.ts'

function named(type: string, fields: Readonly<Record<string, unknown>>): string {
  return event({ type, ...fields }, type)
}

/** Blocks are numbered: one of reasoning, where there is any, then one of text. */
export const anthropicMessages: Dialect = {
  name: 'anthropic-messages',
  path: /^\/messages$/,
  read: (body) => chatOf(body, [body['system'], body['messages']], body['max_tokens']),
  begin: ({ id, model }, draw) =>
    named('message_start', {
      message: {
        id,
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        usage: { input_tokens: draw.promptTokens, output_tokens: 1 },
      },
    }),
  token: ({ text, kind, first }) => {
    const [index, start, delta] =
      kind === 'reasoning'
        ? [0, { type: 'thinking', thinking: '' }, { type: 'thinking_delta', thinking: text }]
        : [1, { type: 'text', text: '' }, { type: 'text_delta', text }]
    const opening = first ? named('content_block_start', { index, content_block: start }) : ''
    return opening + named('content_block_delta', { index, delta })
  },
  finish: (draw) =>
    named('message_delta', {
      delta: { stop_reason: draw.finishReason === 'length' ? 'max_tokens' : 'end_turn', stop_sequence: null },
      usage: {
        output_tokens: draw.reasoningTokens + draw.answerTokens,
        output_tokens_details: { thinking_tokens: draw.reasoningTokens },
      },
    }),
  done: () => named('message_stop', {}),
}
