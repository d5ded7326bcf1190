import type { Protocol } from '../types.ts'
import { errorOf, errorText } from './error-text.ts'
import { filled, isObject, lengthOf, listIn, objectIn } from './json.ts'
import type { Json } from './json.ts'
import { openaiUsage } from './openai-usage.ts'
import { reader } from './reading.ts'
import type { Draft } from './reading.ts'

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
        if (isObject(choice['error'])) error ??= errorText(choice['error'])
      }
    }
    draft.usage = usage ?? openaiUsage(objectIn(json, 'x_groq')['usage'])
    draft.error = error
    draft.servedModel = filled(json['model'])
    draft.requestId = filled(json['id'])
  }),
}

/** Content that comes in parts: `text`, `refusal`, and reasoning as `thinking` (a string, or parts of its own) or as a `summary`. */
function addParts(parts: readonly unknown[], draft: Draft): void {
  for (const part of parts) {
    if (typeof part === 'string') draft.answer += part.length
    if (!isObject(part)) continue
    const { thinking } = part
    if (Array.isArray(thinking))
      for (const piece of thinking) draft.reasoning += lengthOf(isObject(piece) ? piece['text'] : piece)
    else draft.reasoning += lengthOf(thinking)
    for (const piece of listIn(part, 'summary')) if (isObject(piece)) draft.reasoning += lengthOf(piece['text'])
    const length = lengthOf(part['text']) + lengthOf(part['refusal'])
    if (part['type'] === 'reasoning' || part['type'] === 'thinking') draft.reasoning += length
    else draft.answer += length
  }
}

/** Reasoning goes by several names, and some providers send the same text under two of them: the longest counts. */
function reasoningOf(delta: Json): number {
  const details = delta['reasoning_details']
  let detailed = 0
  if (Array.isArray(details))
    for (const detail of details)
      if (isObject(detail)) detailed += Math.max(lengthOf(detail['text']), lengthOf(detail['summary']))
  return Math.max(lengthOf(delta['reasoning_content']), lengthOf(delta['reasoning']), detailed)
}

function addCall(call: unknown, draft: Draft): void {
  if (!isObject(call)) return
  draft.tool += lengthOf(call['name'])
  draft.toolArguments += lengthOf(call['arguments']) + lengthOf(call['input'])
}

function addDelta(delta: Json, draft: Draft): void {
  const { content, audio } = delta
  if (Array.isArray(content)) addParts(content, draft)
  else draft.answer += lengthOf(content)
  draft.answer += lengthOf(delta['refusal'])
  if (isObject(audio)) draft.answer += Math.max(lengthOf(audio['transcript']), lengthOf(audio['data']))
  draft.reasoning += reasoningOf(delta)
  const calls = delta['tool_calls']
  if (Array.isArray(calls)) {
    for (const call of calls) {
      if (!isObject(call)) continue
      addCall(call['function'], draft)
      addCall(call['custom'], draft)
    }
  }
  addCall(delta['function_call'], draft)
}
