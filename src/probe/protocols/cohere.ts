import type { Protocol, UsageCounts } from '../types.ts'
import { errorOf } from './error-text.ts'
import { count, countsOf, filled, isObject, lengthOf, objectIn } from './json.ts'
import type { Json } from './json.ts'
import { reader } from './reading.ts'
import type { Draft } from './reading.ts'

/**
 * Cohere's chat, version 2: typed events, each with a piece of a message in `delta`.
 * @see https://docs.cohere.com/v2/reference/chat-stream
 */
export const cohere: Protocol = {
  name: 'cohere',
  path: () => '/v2/chat',
  body: ({ model, messages, request }) => ({
    model,
    messages,
    stream: true,
    [request.maxTokensField ?? 'max_tokens']: request.maxTokens,
    ...(request.temperature === null ? {} : { temperature: request.temperature }),
  }),
  read: reader((json, draft, event) => {
    const delta = objectIn(json, 'delta')
    addMessage(objectIn(delta, 'message'), draft)
    draft.error = errorOf(json, event) ?? filled(delta['error'])
    const type = filled(json['type']) ?? event
    if (type === 'message-start') draft.requestId = filled(json['id'])
    if (type !== 'message-end') return
    draft.end = true
    draft.finishReason = filled(delta['finish_reason'])
    draft.usage = usageOf(delta['usage'])
  }),
}

/** The plan for a tool is reasoning. */
function addMessage(message: Json, draft: Draft): void {
  const content = objectIn(message, 'content')
  draft.answer += lengthOf(content['text'])
  draft.reasoning += lengthOf(content['thinking']) + lengthOf(message['tool_plan'])
  const call = objectIn(objectIn(message, 'tool_calls'), 'function')
  draft.tool += lengthOf(call['name'])
  draft.toolArguments += lengthOf(call['arguments'])
}

/** What was counted, or else what was billed. */
function usageOf(usage: unknown): UsageCounts | undefined {
  if (!isObject(usage)) return undefined
  const tokens = objectIn(usage, 'tokens')
  const billed = objectIn(usage, 'billed_units')
  return countsOf({
    promptTokens: count(tokens['input_tokens']) ?? billed['input_tokens'],
    completionTokens: count(tokens['output_tokens']) ?? billed['output_tokens'],
    cachedTokens: usage['cached_tokens'],
  })
}
