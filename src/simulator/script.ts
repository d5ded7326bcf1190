import type { Draw } from './draw.ts'

/** One piece of a response's body. */
export interface Step {
  /** Provider milliseconds since the request came. */
  readonly at: number
  readonly kind: 'role' | 'token' | 'finish' | 'usage' | 'done' | 'lateness' | 'other'
  readonly data: string | Uint8Array
}

/** What a response will do, before a byte of it is sent. Faults are functions from script to script. */
export interface Script {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** `null`: the headers never come. */
  readonly headersAt: number | null
  /** Ascending by `at`. */
  readonly steps: readonly Step[]
  /**
   * `end`: as HTTP asks; `reset`: RST; `close`: the socket is closed without the body's end; `hang`: silence until the
   * client goes.
   */
  readonly ending: 'end' | 'reset' | 'close' | 'hang'
  /** Each step by a write of its own, with a turn of the event loop between. */
  readonly separate?: boolean
  /** With `headersAt: null`: the steps are all that is sent, status line and headers among them. */
  readonly raw?: true
  /** After the steps: this again and again, until the client goes. */
  readonly forever?: string | Uint8Array
  /** Real milliseconds of idleness after which the connection is closed, once the response has ended. */
  readonly closeIdleAfterMs?: number
}

/** What of a request shows up in its response. */
export interface ScriptContext {
  readonly id: string
  readonly model: string
  readonly includeUsage: boolean
  /** Seconds since 1970. */
  readonly created: number
}

const WORDS = [
  ' the',
  ' queue',
  ' is',
  ' growing',
  ',',
  ' check',
  ' retries',
  ' first',
  ' and',
  ' then',
  ' cache',
  ' hits',
  '.',
]

/** Text of the i-th token; tokens are words here, so that a reader sees prose. */
function tokenText(i: number): string {
  return WORDS[i % WORDS.length] ?? ' word'
}

/** One SSE event with a JSON object. */
function event(payload: unknown): string {
  return `data: ${JSON.stringify(payload)}\n\n`
}

/** A chunk of a chat completion. */
function chunk(context: ScriptContext, delta: Record<string, unknown>, finishReason: string | null = null): string {
  const { id, model, created } = context
  const choices = [{ index: 0, delta, finish_reason: finishReason }]
  return event({ id, object: 'chat.completion.chunk', created, model, choices })
}

/** The `usage` object of a draw. */
export function usageOf(draw: Draw): Record<string, unknown> {
  const completion = draw.reasoningTokens + draw.answerTokens
  return {
    prompt_tokens: draw.promptTokens,
    completion_tokens: completion,
    total_tokens: draw.promptTokens + completion,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: draw.reasoningTokens },
  }
}

/** One event with tokens `from` to `until` of a reply, at provider milliseconds. */
export interface TokenEvent {
  readonly at: number
  readonly from: number
  readonly until: number
}

/**
 * The events of a reply: reasoning first, then the answer; on average `tokensPerEvent` in each, never both kinds in one.
 * An event comes with the last of its tokens, so that the last one of all ends the drawn window exactly.
 */
export function tokenEvents(draw: Draw): TokenEvent[] {
  const completion = draw.reasoningTokens + draw.answerTokens
  const perEvent = Math.max(1, draw.tokensPerEvent)
  const events: TokenEvent[] = []
  for (let from = 0, due = 1; from < completion; due += perEvent) {
    const boundary = from < draw.reasoningTokens ? draw.reasoningTokens : completion
    const until = Math.min(boundary, Math.max(from + 1, Math.round(due)))
    events.push({ at: draw.ttftMs + ((from === 0 ? 0 : until - 1) / draw.tokensPerSecond) * 1000, from, until })
    from = until
  }
  return events
}

function tokenSteps(draw: Draw, context: ScriptContext): Step[] {
  return tokenEvents(draw).map(({ at, from, until }) => {
    let text = ''
    for (let i = from; i < until; i += 1) text += tokenText(i)
    const delta = from < draw.reasoningTokens ? { reasoning_content: text } : { content: text }
    return { at, kind: 'token', data: chunk(context, delta) }
  })
}

/** The response of a provider that does nothing wrong. */
export function healthyScript(
  draw: Draw,
  context: ScriptContext,
  shares: { readonly headersShare: number; readonly roleShare: number },
): Script {
  const tokens = tokenSteps(draw, context)
  const end = tokens.at(-1)?.at ?? draw.ttftMs
  const usage = {
    ...(JSON.parse(chunk(context, {}).slice(6)) as Record<string, unknown>),
    choices: [],
    usage: usageOf(draw),
  }
  return {
    status: 200,
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-request-id': context.id,
    },
    headersAt: draw.ttftMs * shares.headersShare,
    steps: [
      {
        at: draw.ttftMs * Math.max(shares.headersShare, shares.roleShare),
        kind: 'role',
        data: chunk(context, { role: 'assistant', content: '' }),
      },
      ...tokens,
      { at: end, kind: 'finish', data: chunk(context, {}, draw.finishReason) },
      ...(context.includeUsage ? [{ at: end, kind: 'usage', data: event(usage) } as const] : []),
      { at: end, kind: 'lateness', data: '' },
      { at: end, kind: 'done', data: 'data: [DONE]\n\n' },
    ],
    ending: 'end',
  }
}
