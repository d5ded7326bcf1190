import type { Draw } from '../draw.ts'
import { readChatBody } from '../request.ts'
import { event } from './types.ts'
import type { Dialect, ScriptContext } from './types.ts'

/** A chunk of a chat completion. */
function chunk(
  { id, model, created }: ScriptContext,
  delta: Readonly<Record<string, unknown>>,
  finishReason: string | null = null,
): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }]
  return event({ id, object: 'chat.completion.chunk', created, model, choices })
}

/** The `usage` object of a draw. */
export function usageOf(draw: Draw): Record<string, unknown> {
  const completion = draw.reasoningTokens + draw.answerTokens
  return {
    prompt_tokens: draw.promptTokens,
    completion_tokens: completion,
    total_tokens: draw.promptTokens + completion,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: draw.reasoningTokens },
  }
}

/** Chat completions: what every fault is written for. */
export const openaiChat: Dialect = {
  name: 'openai-chat',
  path: /^\/chat\/completions$/,
  read: readChatBody,
  begin: (context) => chunk(context, { role: 'assistant', content: '' }),
  token: ({ text, kind }, context) =>
    chunk(context, kind === 'reasoning' ? { reasoning_content: text } : { content: text }),
  finish: (draw, context) => chunk(context, {}, draw.finishReason),
  usage: (draw, { id, created, model, includeUsage }) =>
    includeUsage
      ? event({ id, object: 'chat.completion.chunk', created, model, choices: [], usage: usageOf(draw) })
      : '',
  done: () => 'data: [DONE]\n\n',
}
