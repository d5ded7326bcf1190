/** Events of a chat completion, as text on the wire. */

export function sse(data: unknown): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

export function delta(delta: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}): string {
  return sse({ id: 'chatcmpl-1', model: 'served-1', choices: [{ index: 0, delta, finish_reason: null }], ...more })
}

export function finish(reason: string): string {
  return sse({ id: 'chatcmpl-1', model: 'served-1', choices: [{ index: 0, delta: {}, finish_reason: reason }] })
}

const usageCounts = {
  prompt_tokens: 100,
  completion_tokens: 4,
  total_tokens: 104,
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 1 },
}
export const usage = sse({ id: 'chatcmpl-1', choices: [], usage: usageCounts })
export const done = sse('[DONE]')
export const role = delta({ role: 'assistant', content: '' })

/** Role, reasoning, three tokens of answer (not all ASCII), finish reason, usage, end marker. */
export const goodStream = [
  role,
  delta({ reasoning_content: 'Hm' }),
  delta({ content: 'Grüße' }),
  delta({ content: ' 世界' }),
  delta({ content: ' 🌍' }),
  finish('stop'),
  usage,
  done,
].join('')
