import type { Protocol } from '../types.ts'
import { errorOf } from './error-text.ts'
import { argumentsLength, countsOf, filled, isObject, lengthOf, listIn, objectIn } from './json.ts'
import { reader } from './reading.ts'

/**
 * Ollama's own API: one JSON object a line, `/api/chat` and what `/api/generate` says alike.
 * @see https://github.com/ollama/ollama/blob/main/docs/api.md
 */
export const ollama: Protocol = {
  name: 'ollama',
  framing: 'ndjson',
  path: () => '/api/chat',
  body: ({ model, messages, request }) => ({
    model,
    messages,
    stream: true,
    options: {
      [request.maxTokensField ?? 'num_predict']: request.maxTokens,
      ...(request.temperature === null ? {} : { temperature: request.temperature }),
    },
  }),
  read: reader((json, draft, event) => {
    const message = objectIn(json, 'message')
    draft.answer += lengthOf(message['content']) + lengthOf(json['response'])
    draft.reasoning += lengthOf(message['thinking']) + lengthOf(json['thinking'])
    for (const call of listIn(message, 'tool_calls')) {
      if (!isObject(call)) continue
      const { name, arguments: args } = objectIn(call, 'function')
      draft.tool += lengthOf(name)
      draft.toolArguments += argumentsLength(args)
    }
    draft.error = errorOf(json, event)
    draft.servedModel = filled(json['model'])
    if (json['done'] !== true) return
    draft.end = true
    draft.finishReason = filled(json['done_reason'])
    draft.usage = countsOf({ promptTokens: json['prompt_eval_count'], completionTokens: json['eval_count'] })
  }),
}
