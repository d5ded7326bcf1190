import type { Protocol, UsageCounts } from '../types.ts'
import { errorOf } from './error-text.ts'
import { argumentsLength, countsOf, filled, isObject, lengthOf, listIn, objectIn } from './json.ts'
import type { Json } from './json.ts'
import { systemApart } from './prompt-text.ts'
import { reader } from './reading.ts'
import type { Draft } from './reading.ts'

/**
 * Gemini's `streamGenerateContent`: whole responses, each with the next part, as SSE or as one JSON array. It has no end marker.
 * @see https://ai.google.dev/api/generate-content
 */
export const gemini: Protocol = {
  name: 'gemini',
  keyHeader: 'x-goog-api-key',
  usage: { reasoningApart: true },
  path: (model) => `/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`,
  body: ({ messages, request }) => {
    const { system, turns } = systemApart(messages)
    return {
      ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
      contents: turns.map(({ role, content }) => ({
        role: role === 'assistant' ? 'model' : 'user',
        parts: [{ text: content }],
      })),
      generationConfig: {
        [request.maxTokensField ?? 'maxOutputTokens']: request.maxTokens,
        ...(request.temperature === null ? {} : { temperature: request.temperature }),
      },
    }
  },
  read: reader((json, draft, event) => {
    for (const candidate of listIn(json, 'candidates')) {
      if (!isObject(candidate)) continue
      for (const part of listIn(objectIn(candidate, 'content'), 'parts')) if (isObject(part)) addPart(part, draft)
      draft.finishReason ??= filled(candidate['finishReason'])
    }
    const blocked = filled(objectIn(json, 'promptFeedback')['blockReason'])
    if (blocked !== undefined) draft.finishReason ??= `blocked:${blocked}`
    draft.usage = usageOf(json['usageMetadata'])
    draft.error = errorOf(json, event)
    draft.servedModel = filled(json['modelVersion'])
    draft.requestId = filled(json['responseId'])
  }),
}

/** A function's call comes whole, its arguments with its name. */
function addPart(part: Json, draft: Draft): void {
  const length = lengthOf(part['text'])
  if (part['thought'] === true) draft.reasoning += length
  else draft.answer += length
  const call = part['functionCall']
  if (isObject(call)) {
    draft.tool += lengthOf(call['name'])
    draft.toolArguments += argumentsLength(call['args'] ?? call['partialArgs'])
  }
  draft.tool += lengthOf(objectIn(part, 'executableCode')['code'])
  // a picture or a sound that was asked for is an answer
  draft.answer += lengthOf(objectIn(part, 'inlineData')['data'])
}

function usageOf(usage: unknown): UsageCounts | undefined {
  if (!isObject(usage)) return undefined
  return countsOf({
    promptTokens: usage['promptTokenCount'],
    completionTokens: usage['candidatesTokenCount'],
    totalTokens: usage['totalTokenCount'],
    reasoningTokens: usage['thoughtsTokenCount'],
    cachedTokens: usage['cachedContentTokenCount'],
  })
}
