import type { TokenKind, Usage } from '../../sample/types.ts'
import type { EventReading, Protocol } from '../types.ts'

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
    max_completion_tokens: request.maxTokens,
    ...(request.temperature === null ? {} : { temperature: request.temperature }),
    ...request.body,
  }),
  read,
}

type Json = Readonly<Record<string, unknown>>

const NOTHING: EventReading = { tokens: [], characters: 0 }
const END: EventReading = { tokens: [], characters: 0, end: true }

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function filled(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

/** Characters by kind of one event. */
interface Amounts {
  reasoning: number
  answer: number
  tool: number
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0
}

/** Content that comes in parts: `text`, `refusal`, and reasoning as `thinking` (a string, or parts of its own). */
function addParts(parts: readonly unknown[], amounts: Amounts): void {
  for (const part of parts) {
    if (typeof part === 'string') amounts.answer += part.length
    if (!isObject(part)) continue
    const { thinking } = part
    if (Array.isArray(thinking))
      for (const piece of thinking) amounts.reasoning += lengthOf(isObject(piece) ? piece['text'] : piece)
    else amounts.reasoning += lengthOf(thinking)
    const reasoned = part['type'] === 'reasoning' || part['type'] === 'thinking'
    amounts[reasoned ? 'reasoning' : 'answer'] += lengthOf(part['text']) + lengthOf(part['refusal'])
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

function callLength(call: unknown): number {
  if (!isObject(call)) return 0
  return lengthOf(call['name']) + lengthOf(call['arguments']) + lengthOf(call['input'])
}

function addDelta(delta: Json, amounts: Amounts): void {
  const { content } = delta
  if (Array.isArray(content)) addParts(content, amounts)
  else amounts.answer += lengthOf(content)
  amounts.answer += lengthOf(delta['refusal'])
  amounts.reasoning += reasoningOf(delta)
  const calls = delta['tool_calls']
  if (Array.isArray(calls))
    for (const call of calls)
      if (isObject(call)) amounts.tool += callLength(call['function']) + callLength(call['custom'])
  amounts.tool += callLength(delta['function_call'])
}

/**
 * `completionTokens` includes reasoning: where the provider's own total shows that it counts reasoning apart, it is added.
 * `undefined`: no number in it.
 */
function readUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined
  const promptDetails = isObject(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {}
  const completionDetails = isObject(usage['completion_tokens_details']) ? usage['completion_tokens_details'] : {}
  const promptTokens = count(usage['prompt_tokens'])
  let completionTokens = count(usage['completion_tokens'])
  const reasoningTokens = count(completionDetails['reasoning_tokens']) ?? count(usage['reasoning_tokens'])
  const cachedTokens =
    count(promptDetails['cached_tokens']) ?? count(usage['cached_tokens']) ?? count(usage['prompt_cache_hit_tokens'])
  const total = count(usage['total_tokens'])
  if (promptTokens === undefined && completionTokens === undefined) return undefined
  let inconsistent = false
  if (total !== undefined && promptTokens !== undefined && completionTokens !== undefined) {
    const apart = promptTokens + completionTokens + (reasoningTokens ?? 0)
    if (total !== promptTokens + completionTokens) {
      if (total === apart) completionTokens += reasoningTokens ?? 0
      else inconsistent = true
    }
  }
  if (completionTokens !== undefined && (reasoningTokens ?? 0) > completionTokens) inconsistent = true
  if (promptTokens !== undefined && (cachedTokens ?? 0) > promptTokens) inconsistent = true
  return {
    ...(promptTokens === undefined ? {} : { promptTokens }),
    ...(completionTokens === undefined ? {} : { completionTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    ...(inconsistent ? { inconsistent } : {}),
  }
}

function stringify(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    // nested deeper than the stack is
    return 'an error that cannot be shown'
  }
}

function errorText(error: unknown): string {
  if (typeof error === 'string') return error
  if (!isObject(error)) return stringify(error)
  const message = filled(error['message'])
  if (message === undefined) return stringify(error)
  const code =
    filled(error['code']) ?? (typeof error['code'] === 'number' ? String(error['code']) : filled(error['type']))
  return code === undefined ? message : `${code}: ${message}`
}

function isError(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== ''
}

function errorOf(json: Json, event: string | undefined): string | undefined {
  if (isError(json['error'])) return errorText(json['error'])
  if (event === 'error' || json['object'] === 'error') return errorText(json)
  const choices = json['choices']
  if (Array.isArray(choices))
    for (const choice of choices) if (isObject(choice) && isError(choice['error'])) return errorText(choice['error'])
  return undefined
}

function kindsOf(amounts: Amounts): readonly TokenKind[] {
  const kinds: TokenKind[] = []
  if (amounts.reasoning > 0) kinds.push('reasoning')
  if (amounts.answer > 0) kinds.push('answer')
  if (amounts.tool > 0) kinds.push('tool')
  return kinds
}

function read({
  data,
  event,
}: {
  readonly data: string
  readonly event: string | undefined
}): EventReading | 'malformed' {
  const text = data.trim()
  if (text === '[DONE]') return END
  if (text === '') return NOTHING
  let json: unknown
  try {
    json = JSON.parse(data)
  } catch {
    return event === 'error' ? { ...NOTHING, error: data } : 'malformed'
  }
  if (!isObject(json)) return event === 'error' ? { ...NOTHING, error: errorText(json) } : 'malformed'
  const amounts: Amounts = { reasoning: 0, answer: 0, tool: 0 }
  let finishReason: string | undefined
  let usage = readUsage(json['usage'])
  const choices = json['choices']
  if (Array.isArray(choices)) {
    for (const choice of choices) {
      if (!isObject(choice)) continue
      if (isObject(choice['delta'])) addDelta(choice['delta'], amounts)
      finishReason ??= filled(choice['finish_reason'])
      usage ??= readUsage(choice['usage'])
    }
  }
  usage ??= isObject(json['x_groq']) ? readUsage(json['x_groq']['usage']) : undefined
  const error = errorOf(json, event)
  const servedModel = filled(json['model'])
  const requestId = filled(json['id'])
  return {
    tokens: kindsOf(amounts),
    characters: amounts.reasoning + amounts.answer + amounts.tool,
    ...(usage === undefined ? {} : { usage }),
    ...(finishReason === undefined ? {} : { finishReason }),
    ...(servedModel === undefined ? {} : { servedModel }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(error === undefined ? {} : { error }),
  }
}
