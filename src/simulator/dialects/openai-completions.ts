import { chatOf } from './chat-of.ts'
import { usageOf } from './openai-chat.ts'
import { event } from './types.ts'
import type { Dialect, ScriptContext } from './types.ts'

function chunk({ id, model, created }: ScriptContext, choices: readonly unknown[], usage?: unknown): string {
  return event({ id, object: 'text_completion', created, model, choices, ...(usage === undefined ? {} : { usage }) })
}

export const openaiCompletions: Dialect = {
  name: 'openai-completions',
  path: /^\/completions$/,
  read: (body) => chatOf(body, body['prompt'], body['max_tokens']),
  token: ({ text, kind }, context) =>
    chunk(context, [
      { index: 0, ...(kind === 'reasoning' ? { text: '', reasoning_content: text } : { text }), finish_reason: null },
    ]),
  finish: (draw, context) => chunk(context, [{ index: 0, text: '', finish_reason: draw.finishReason }]),
  usage: (draw, context) => (context.includeUsage ? chunk(context, [], usageOf(draw)) : ''),
  done: () => 'data: [DONE]\n\n',
}
