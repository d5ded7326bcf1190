import { argumentsLength, isObject, lengthOf, listIn, textLength } from './json.ts'
import type { Json } from './json.ts'
import type { Draft } from './reading.ts'

/** A piece of a chat's message: what every dialect of chat completions puts into `delta`. */
export function addDelta(delta: Json, draft: Draft): void {
  const { content, audio, images } = delta
  if (typeof content === 'string') draft.answer += content.length
  else if (Array.isArray(content)) for (const part of content) addPart(part, draft)
  else addPart(content, draft)
  draft.answer += lengthOf(delta['refusal'])
  if (isObject(audio)) draft.answer += Math.max(lengthOf(audio['transcript']), lengthOf(audio['data']))
  if (Array.isArray(images)) for (const image of images) addPart(image, draft)
  draft.reasoning += reasoningOf(delta)
  const calls = delta['tool_calls']
  if (Array.isArray(calls)) for (const call of calls) addToolCall(call, draft)
  else addToolCall(calls, draft)
  addCall(delta['function_call'], draft)
  // tools that the provider runs itself: what it asked them, not what they answered
  const executed = delta['executed_tools']
  if (Array.isArray(executed)) for (const call of executed) addCall(call, draft)
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

/** Reasoning goes by several names, and some providers send the same text under two of them: the longest counts. */
function reasoningOf(delta: Json): number {
  return Math.max(
    textLength(delta['reasoning_content']),
    textLength(delta['reasoning']),
    textLength(delta['reasoning_text']),
    textLength(delta['thinking']),
    detailsLength(delta['reasoning_details']),
    detailsLength(delta['thinking_blocks']),
  )
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
