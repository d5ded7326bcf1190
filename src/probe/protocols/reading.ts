import type { TokenKind } from '../../sample/types.ts'
import type { EventReading, UsageCounts, WireEvent } from '../types.ts'
import { errorText } from './error-text.ts'
import { isObject } from './json.ts'
import type { Json } from './json.ts'

/** An event that means nothing. */
export const NOTHING: EventReading = { tokens: [], characters: 0 }
const END: EventReading = { tokens: [], characters: 0, end: true }

const KINDS: readonly (readonly TokenKind[])[] = [
  [],
  ['reasoning'],
  ['answer'],
  ['reasoning', 'answer'],
  ['tool'],
  ['reasoning', 'tool'],
  ['answer', 'tool'],
  ['reasoning', 'answer', 'tool'],
]

/** Reasons to finish that are failures of the provider's: it says so, though not in an error. We never cancel and go on reading. */
const FAILED =
  /^(?:error|abort(?:ed)?|(?:user_?)?cancel(?:l?ed)?|timeout|network_error|engine_error|internal_error|insufficient_system_resource)$/i

/** What one event carries, while it is being read. */
export class Draft {
  /** Characters by kind; those of a tool are its name, those of arguments its arguments. */
  reasoning = 0
  answer = 0
  tool = 0
  toolArguments = 0
  usage: UsageCounts | undefined
  finishReason: string | undefined
  servedModel: string | undefined
  requestId: string | undefined
  error: string | undefined
  end = false

  done(): EventReading {
    const tool = this.tool + this.toolArguments
    const kinds = (this.reasoning > 0 ? 1 : 0) + (this.answer > 0 ? 2 : 0) + (tool > 0 ? 4 : 0)
    const { usage, finishReason, servedModel, requestId } = this
    const failed = finishReason !== undefined && FAILED.test(finishReason)
    const error = this.error ?? (failed ? `${finishReason}: what the stream finished with` : undefined)
    return {
      tokens: KINDS[kinds] ?? [],
      characters: this.reasoning + this.answer + tool,
      ...(this.toolArguments > 0 ? { toolArguments: true } : {}),
      ...(usage === undefined ? {} : { usage }),
      ...(finishReason === undefined ? {} : { finishReason }),
      ...(servedModel === undefined ? {} : { servedModel }),
      ...(requestId === undefined ? {} : { requestId }),
      ...(this.end ? { end: true } : {}),
      ...(error === undefined ? {} : { error }),
    }
  }
}

/**
 * The part that every format shares: `[DONE]`, events without data, JSON that is none, an `error` event that is not JSON.
 * @param interpret - puts what the object says into the draft
 */
export function reader(
  interpret: (json: Json, draft: Draft, event: string | undefined) => void,
): (event: WireEvent) => EventReading | 'malformed' {
  return ({ data, event }) => {
    if (data.length < 16) {
      const text = data.trim()
      if (text === '[DONE]') return END
      if (text === '') return NOTHING
    }
    let json: unknown
    try {
      json = JSON.parse(data)
    } catch {
      return event === 'error' ? { ...NOTHING, error: data } : 'malformed'
    }
    if (!isObject(json)) return event === 'error' ? { ...NOTHING, error: errorText(json) } : 'malformed'
    const draft = new Draft()
    interpret(json, draft, event)
    return draft.done()
  }
}
