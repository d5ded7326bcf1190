import { chatOf } from './chat-of.ts'
import { event } from './types.ts'
import type { Dialect } from './types.ts'

/** It has no end marker: the body's end is one. */
export const gemini: Dialect = {
  name: 'gemini',
  path: /^\/models\/([^/]+):streamGenerateContent$/,
  read: (body, model) => {
    const { generationConfig: config } = body
    const cap =
      typeof config === 'object' && config !== null && 'maxOutputTokens' in config ? config.maxOutputTokens : undefined
    return chatOf(body, [body['systemInstruction'], body['contents']], cap, model)
  },
  token: ({ text, kind }, { id, model }) => {
    const parts = [{ text, ...(kind === 'reasoning' ? { thought: true } : {}) }]
    return event({ candidates: [{ index: 0, content: { role: 'model', parts } }], modelVersion: model, responseId: id })
  },
  finish: ({ promptTokens, answerTokens, reasoningTokens, finishReason }, { id, model }) =>
    event({
      candidates: [{ index: 0, finishReason: finishReason === 'length' ? 'MAX_TOKENS' : 'STOP' }],
      usageMetadata: {
        promptTokenCount: promptTokens,
        candidatesTokenCount: answerTokens,
        thoughtsTokenCount: reasoningTokens,
        totalTokenCount: promptTokens + answerTokens + reasoningTokens,
      },
      modelVersion: model,
      responseId: id,
    }),
}
