import type { Protocol } from '../types.ts'
import { errorOf, errorText } from './error-text.ts'
import { firstArgumentsLength, filled, isObject, lengthOf, objectIn, textLength } from './json.ts'
import type { Json } from './json.ts'
import { openaiUsage } from './openai-usage.ts'
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
    if (/[._]delta$/.test(type)) addDelta(type, json, draft)
    else if (type === 'response.output_item.added') addItem(objectIn(json, 'item'), draft)
    // a call of a shell begins with its first command
    else if (type === 'response.shell_call_command.added') draft.toolArguments += lengthOf(json['command'])
    else draft.error = errorOf(json, /^(?:response\.)?error$/.test(type) ? 'error' : event)
    if (!isObject(response)) return
    draft.servedModel = filled(response['model'])
    draft.requestId = filled(response['id'])
    draft.usage = openaiUsage(response['usage'])
    const last = /^response\.(?:completed|incomplete|failed|cancelled|done)$/.exec(type) !== null
    if (!last) return
    draft.end = true
    draft.finishReason = statusOf(response, type)
    if (draft.finishReason === 'failed' && draft.error === undefined)
      draft.error = isObject(response['error']) ? errorText(response['error']) : 'response.failed'
  }),
}

/** The status, with the reason where it is not complete. */
function statusOf(response: Json, type: string): string {
  const status = filled(response['status']) ?? type.slice('response.'.length)
  const reason = filled(objectIn(response, 'incomplete_details')['reason'])
  return reason === undefined ? status : `${status}:${reason}`
}

/** `response.output_text.delta`, `response.reasoning_summary_text.delta`, `response.function_call_arguments.delta` and their like. */
function addDelta(type: string, json: Json, draft: Draft): void {
  const length = textLength(json['delta'])
  if (/\.reasoning/.test(type)) draft.reasoning += length
  else if (/\.(?:output_)?(?:text|refusal|audio)/.test(type)) draft.answer += length
  else if (/call(?!\w*_output)|_input/.test(type)) draft.toolArguments += length
}

/** A call is a token with the name that it begins with. */
function addItem(item: Json, draft: Draft): void {
  if (filled(item['type'])?.endsWith('_call') === true) {
    draft.tool += lengthOf(item['name'])
    draft.toolArguments += firstArgumentsLength(item['arguments']) + firstArgumentsLength(item['input'])
  }
}
