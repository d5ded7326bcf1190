import { BadRequest, readChatBody } from '../request.ts'
import type { ChatBody } from '../request.ts'

/** All text in a prompt, whatever it is wrapped in; roles and types are none. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => (key === 'role' || key === 'type' ? [] : textsIn(part)))
}

/**
 * The chat completion that asks for the same.
 * @param cap - on the answer's tokens
 * @throws BadRequest
 */
export function chatOf(
  body: Readonly<Record<string, unknown>>,
  prompt: unknown,
  cap: unknown,
  model = body['model'],
): ChatBody {
  const messages = textsIn(prompt).map((content) => ({ role: 'user', content }))
  if (messages.length === 0) throw new BadRequest('there is no prompt')
  return readChatBody({
    model,
    messages,
    stream: true,
    stream_options: body['stream_options'],
    max_tokens: cap,
    slo_fault: body['slo_fault'],
  })
}
