import type { Protocol, UsageCounts } from '../types.ts'
import { errorOf, errorText } from './error-text.ts'
import { count, countsOf, filled, isObject, lengthOf, objectIn } from './json.ts'
import type { Json } from './json.ts'
import { reader } from './reading.ts'
import type { Draft } from './reading.ts'

/**
 * OpenAI's responses, a stream of named events.
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
export const openaiResponses: Protocol = {
  name: 'openai-responses',
  path: () => '/responses',
  body: ({ model, messages, request }) => ({
    model,
    input: messages,
    stream: true,
    store: false,
    [request.maxTokensField ?? 'max_output_tokens']: request.maxTokens,
    ...(request.temperature === null ? {} : { temperature: request.temperature }),
  }),
  read: reader((json, draft, event) => {
    const type = filled(json['type']) ?? event ?? ''
    const { response } = json
    if (type.endsWith('.delta')) addDelta(type, json, draft)
    else if (type === 'response.output_item.added') addItem(objectIn(json, 'item'), draft)
    else draft.error = errorOf(json, type === 'error' ? type : event)
    if (!isObject(response)) return
    draft.servedModel = filled(response['model'])
    draft.requestId = filled(response['id'])
    draft.usage = usageOf(response['usage'])
    const last = /^response\.(?:completed|incomplete|failed|cancelled)$/.exec(type) !== null
    if (!last) return
    draft.end = true
    draft.finishReason = statusOf(response, type)
    if (type === 'response.failed' && draft.error === undefined)
      draft.error = isObject(response['error']) ? errorText(response['error']) : 'response.failed'
  }),
}

/** The status, with the reason where it is not complete. */
function statusOf(response: Json, type: string): string {
  const status = filled(response['status']) ?? type.slice('response.'.length)
  const reason = filled(objectIn(response, 'incomplete_details')['reason'])
  return reason === undefined ? status : `${status}:${reason}`
}

function usageOf(usage: unknown): UsageCounts | undefined {
  if (!isObject(usage)) return undefined
  if (count(usage['input_tokens']) === undefined && count(usage['output_tokens']) === undefined) return undefined
  return countsOf({
    promptTokens: usage['input_tokens'],
    completionTokens: usage['output_tokens'],
    totalTokens: usage['total_tokens'],
    reasoningTokens: objectIn(usage, 'output_tokens_details')['reasoning_tokens'],
    cachedTokens: objectIn(usage, 'input_tokens_details')['cached_tokens'],
  })
}

/** `response.output_text.delta`, `response.reasoning_summary_text.delta`, `response.function_call_arguments.delta` and their like. */
function addDelta(type: string, json: Json, draft: Draft): void {
  const { delta } = json
  const length = lengthOf(delta)
  if (/\.reasoning/.test(type)) draft.reasoning += length
  else if (/\.(?:output_text|refusal|audio)\b|\.audio_transcript/.test(type)) draft.answer += length
  else if (/call|_input/.test(type)) draft.toolArguments += length
}

/** A call is a token with the name that it begins with. */
function addItem(item: Json, draft: Draft): void {
  if (filled(item['type'])?.endsWith('_call') === true) {
    draft.tool += lengthOf(item['name'])
    draft.toolArguments += lengthOf(item['arguments']) + lengthOf(item['input'])
  }
}
