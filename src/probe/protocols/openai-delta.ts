import { argumentsLength, isObject, lengthOf, listIn, textLength } from './json.ts'
import type { Json } from './json.ts'
import type { Draft } from './reading.ts'

/** A piece of a chat's message: what every dialect of chat completions puts into `delta`. Few of the fields are there at once. */
export function addDelta(delta: Json, draft: Draft): void {
  let reasoning = 0
  for (const name of Object.keys(delta)) {
    const value = delta[name]
    switch (name) {
      case 'content':
        addParts(value, draft)
        break
      case 'refusal':
        draft.answer += lengthOf(value)
        break
      case 'audio':
        if (isObject(value)) draft.answer += Math.max(lengthOf(value['transcript']), lengthOf(value['data']))
        break
      case 'images':
        if (Array.isArray(value)) addParts(value, draft)
        break
      // reasoning goes by several names, and some providers send the same text under two of them: the longest counts
      case 'reasoning_content':
      case 'reasoning':
      case 'reasoning_text':
      case 'thinking':
        reasoning = Math.max(reasoning, textLength(value))
        break
      case 'reasoning_details':
      case 'thinking_blocks':
        reasoning = Math.max(reasoning, detailsLength(value))
        break
      case 'tool_calls':
        if (Array.isArray(value)) for (const call of value) addToolCall(call, draft)
        else addToolCall(value, draft)
        break
      case 'function_call':
        addCall(value, draft)
        break
      case 'executed_tools':
        // tools that the provider runs itself: what it asked them, not what they answered
        if (Array.isArray(value)) for (const call of value) addCall(call, draft)
        break
      default:
    }
  }
  draft.reasoning += reasoning
}

function addParts(content: unknown, draft: Draft): void {
  if (typeof content === 'string') draft.answer += content.length
  else if (Array.isArray(content)) for (const part of content) addPart(part, draft)
  else addPart(content, draft)
}

/** Content that comes in parts: `text`, `refusal`, a picture, and reasoning as `thinking` (text, or parts of its own) or as a `summary`. */
function addPart(part: unknown, draft: Draft): void {
  if (typeof part === 'string') draft.answer += part.length
  if (!isObject(part)) return
  const { type, thinking } = part
  if (Array.isArray(thinking)) for (const piece of thinking) draft.reasoning += textLength(piece)
  else draft.reasoning += textLength(thinking)
  for (const piece of listIn(part, 'summary')) draft.reasoning += textLength(piece)
  const length = textLength(part['text']) + lengthOf(part['refusal'])
  if (type === 'reasoning' || type === 'thinking') draft.reasoning += length + textLength(part['reasoning'])
  else draft.answer += length + pictureLength(part['image_url'])
}

function pictureLength(picture: unknown): number {
  return isObject(picture) ? lengthOf(picture['url']) : lengthOf(picture)
}

function detailsLength(details: unknown): number {
  if (!Array.isArray(details)) return 0
  let length = 0
  for (const detail of details)
    if (isObject(detail))
      length += Math.max(lengthOf(detail['text']), lengthOf(detail['summary']), lengthOf(detail['thinking']))
  return length
}

function addToolCall(call: unknown, draft: Draft): void {
  if (!isObject(call)) return
  addCall(call['function'], draft)
  addCall(call['custom'], draft)
}

function addCall(call: unknown, draft: Draft): void {
  if (!isObject(call)) return
  draft.tool += lengthOf(call['name'])
  draft.toolArguments += argumentsLength(call['arguments']) + argumentsLength(call['input'])
}
