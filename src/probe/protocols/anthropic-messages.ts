import type { Protocol, UsageCounts } from '../types.ts'
import { errorOf } from './error-text.ts'
import { firstArgumentsLength, countsOf, filled, isObject, lengthOf, listIn, objectIn } from './json.ts'
import type { Json } from './json.ts'
import { systemApart } from './prompt-text.ts'
import { reader } from './reading.ts'
import type { Draft } from './reading.ts'

/**
 * Anthropic's messages: typed events, blocks that start, grow and stop.
 * @see https://docs.anthropic.com/en/api/messages-streaming
 */
export const anthropicMessages: Protocol = {
  name: 'anthropic-messages',
  keyHeader: 'x-api-key',
  headers: { 'anthropic-version': '2023-06-01' },
  usage: { cacheApart: true },
  path: () => '/messages',
  body: ({ model, messages, request }) => {
    const { system, turns } = systemApart(messages)
    return {
      model,
      ...(system === undefined ? {} : { system }),
      messages: turns,
      stream: true,
      [request.maxTokensField ?? 'max_tokens']: request.maxTokens,
      ...(request.temperature === null ? {} : { temperature: request.temperature }),
    }
  },
  read: reader((json, draft, event) => {
    const delta = objectIn(json, 'delta')
    switch (filled(json['type']) ?? event) {
      case 'message_start': {
        const message = objectIn(json, 'message')
        draft.servedModel = filled(message['model'])
        draft.requestId = filled(message['id'])
        draft.usage = usageOf(message['usage'])
        // a turn that goes on after a tool of the provider's may be all there
        draft.finishReason = filled(message['stop_reason'])
        for (const block of listIn(message, 'content')) if (isObject(block)) startBlock(block, draft)
        break
      }
      case 'content_block_start':
        startBlock(objectIn(json, 'content_block'), draft)
        break
      case 'content_block_delta':
        draft.answer += lengthOf(delta['text'])
        draft.reasoning += lengthOf(delta['thinking'])
        draft.toolArguments += lengthOf(delta['partial_json'])
        break
      case 'message_delta':
        draft.finishReason = filled(delta['stop_reason'])
        draft.usage = usageOf(json['usage'])
        break
      case 'message_stop':
        draft.end = true
        break
      default:
        draft.error = errorOf(json, filled(json['type']) ?? event)
    }
  }),
}

/** A block may start with its first text; a call starts with its name, and may be whole. What a tool answers is no token. */
function startBlock(block: Json, draft: Draft): void {
  const type = filled(block['type']) ?? ''
  if (type === 'text') draft.answer += lengthOf(block['text'])
  else if (type === 'thinking') draft.reasoning += lengthOf(block['thinking'])
  else if (type.endsWith('tool_use')) {
    draft.tool += lengthOf(block['name'])
    draft.toolArguments += firstArgumentsLength(block['input'])
  }
}

function usageOf(usage: unknown): UsageCounts | undefined {
  if (!isObject(usage)) return undefined
  return countsOf({
    promptTokens: usage['input_tokens'],
    completionTokens: usage['output_tokens'],
    reasoningTokens: objectIn(usage, 'output_tokens_details')['thinking_tokens'],
    cachedTokens: usage['cache_read_input_tokens'],
    cacheWriteTokens: usage['cache_creation_input_tokens'],
  })
}
