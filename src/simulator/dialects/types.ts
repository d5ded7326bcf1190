import type { Draw } from '../draw.ts'
import type { ChatBody } from '../request.ts'

/** What of a request shows up in its response. */
export interface ScriptContext {
  readonly id: string
  readonly model: string
  readonly includeUsage: boolean
  /** Seconds since 1970. */
  readonly created: number
}

/** Some tokens of one kind. */
export interface TokenText {
  readonly text: string
  readonly kind: 'reasoning' | 'answer'
  /** The first of its kind. */
  readonly first: boolean
}

/**
 * How a provider words its stream of server-sent events: pure, one file each. An absent part is never sent.
 * They are sent in this order, the last three at the time of the last token.
 */
export interface Dialect {
  /** The prober's name for it. */
  readonly name: string
  /** Of a request, without `/v1`; its first group is the model, where the path has it. */
  readonly path: RegExp
  /** The request as a chat completion would have asked it. @param model - that the path names */
  read(body: Readonly<Record<string, unknown>>, model: string | undefined): ChatBody
  begin?(context: ScriptContext, draw: Draw): string
  token(tokens: TokenText, context: ScriptContext): string
  finish?(draw: Draw, context: ScriptContext): string
  usage?(draw: Draw, context: ScriptContext): string
  /** The end marker. */
  done?(draw: Draw, context: ScriptContext): string
}

/** One SSE event with a JSON object. @param name - `event:` */
export function event(payload: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(payload)}\n\n`
}
