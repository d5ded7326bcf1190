import type { Protocol, UsageCounts } from '../types.ts'
import { errorOf } from './error-text.ts'
import { countsOf, filled, isObject, lengthOf, objectIn } from './json.ts'
import { systemApart } from './prompt-text.ts'
import { reader } from './reading.ts'

/**
 * Bedrock's `ConverseStream`: frames of AWS, the event's name in a header.
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
export const bedrockConverse: Protocol = {
  name: 'bedrock-converse',
  framing: 'aws-event-stream',
  usage: { cacheApart: true },
  path: (model) => `/model/${encodeURIComponent(model)}/converse-stream`,
  body: ({ messages, request }) => {
    const { system, turns } = systemApart(messages)
    return {
      ...(system === undefined ? {} : { system: [{ text: system }] }),
      messages: turns.map(({ role, content }) => ({ role, content: [{ text: content }] })),
      inferenceConfig: {
        [request.maxTokensField ?? 'maxTokens']: request.maxTokens,
        ...(request.temperature === null ? {} : { temperature: request.temperature }),
      },
    }
  },
  read: reader((json, draft, event) => {
    switch (event) {
      case 'contentBlockStart':
        draft.tool += lengthOf(objectIn(objectIn(json, 'start'), 'toolUse')['name'])
        break
      case 'contentBlockDelta': {
        const delta = objectIn(json, 'delta')
        draft.answer += lengthOf(delta['text'])
        // a picture is an answer
        draft.answer += lengthOf(objectIn(objectIn(delta, 'image'), 'source')['bytes'])
        draft.reasoning += lengthOf(objectIn(delta, 'reasoningContent')['text'])
        draft.toolArguments += lengthOf(objectIn(delta, 'toolUse')['input'])
        break
      }
      case 'messageStop':
        draft.finishReason = filled(json['stopReason'])
        draft.end = true
        break
      case 'metadata':
        draft.usage = usageOf(json['usage'])
        break
      default:
        draft.error = errorOf(json, event)
    }
  }),
}

function usageOf(usage: unknown): UsageCounts | undefined {
  if (!isObject(usage)) return undefined
  return countsOf({
    promptTokens: usage['inputTokens'],
    completionTokens: usage['outputTokens'],
    totalTokens: usage['totalTokens'],
    cachedTokens: usage['cacheReadInputTokens'],
    cacheWriteTokens: usage['cacheWriteInputTokens'],
  })
}
