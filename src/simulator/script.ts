import type { Dialect, ScriptContext } from './dialects/types.ts'
import type { Draw } from './draw.ts'
import type { Http2Code } from './wire.ts'

/** One piece of a response's body. */
export interface Step {
  /** Provider milliseconds since the request came. */
  readonly at: number
  readonly kind: 'role' | 'token' | 'finish' | 'usage' | 'done' | 'lateness' | 'goaway' | 'other'
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
   * client goes; `rst`, `goaway`: by frames of HTTP/2.
   */
  readonly ending: 'end' | 'reset' | 'close' | 'hang' | { readonly rst: Http2Code } | { readonly goaway: Http2Code }
  /** Each step by a write of its own, with a turn of the event loop between. */
  readonly separate?: boolean
  /** With `headersAt: null`: the steps are all that is sent, status line and headers among them. */
  readonly raw?: true
  /** After the steps: this again and again, until the client goes. */
  readonly forever?: string | Uint8Array
  /** Real milliseconds of idleness after which the connection is closed, once the response has ended. */
  readonly closeIdleAfterMs?: number
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

function tokenSteps(draw: Draw, context: ScriptContext, dialect: Dialect): Step[] {
  return tokenEvents(draw).map(({ at, from, until }) => {
    let text = ''
    for (let i = from; i < until; i += 1) text += tokenText(i)
    const kind = from < draw.reasoningTokens ? 'reasoning' : 'answer'
    const first = from === 0 || from === draw.reasoningTokens
    return { at, kind: 'token', data: dialect.token({ text, kind, first }, context) }
  })
}

/** The response of a provider that does nothing wrong. */
export function healthyScript(
  draw: Draw,
  context: ScriptContext,
  shares: { readonly headersShare: number; readonly roleShare: number },
  dialect: Dialect,
): Script {
  const tokens = tokenSteps(draw, context, dialect)
  const end = tokens.at(-1)?.at ?? draw.ttftMs
  const step = (at: number, kind: Step['kind'], data = ''): Step[] => (data === '' ? [] : [{ at, kind, data }])
  return {
    status: 200,
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-request-id': context.id,
    },
    headersAt: draw.ttftMs * shares.headersShare,
    steps: [
      ...step(draw.ttftMs * Math.max(shares.headersShare, shares.roleShare), 'role', dialect.begin?.(context, draw)),
      ...tokens,
      ...step(end, 'finish', dialect.finish?.(draw, context)),
      ...step(end, 'usage', dialect.usage?.(draw, context)),
      { at: end, kind: 'lateness', data: '' },
      ...step(end, 'done', dialect.done?.(draw, context)),
    ],
    ending: 'end',
  }
}
