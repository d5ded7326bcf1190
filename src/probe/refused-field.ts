import { isObject } from './protocols/json.ts'
import type { Json } from './protocols/json.ts'

/** A field of ours that a provider does not take, and how to leave it out. */
export interface RefusedField {
  /** Its path in the body, with dots. */
  readonly field: string
  readonly advice: string
}

/** Without these there is no request: no setting leaves them out. */
const NEEDED = new Set(['model', 'messages', 'prompt', 'input', 'contents', 'system', 'stream'])
const CAP = /max.*tokens|num_?predict|max_new_tokens/i
const REFUSAL =
  /unsupported|not supported|(?:doesn't|does not|don't|do not) support|unrecogni[sz]ed|unknown|unexpected|extra (?:inputs?|fields?)|not (?:permitted|allowed|accepted|available)|forbidden|no longer|deprecated|cannot (?:be used|find field)|only the default|not compatible|incompatible/i

/** Every field of a body and of the objects in it, the inner ones first. */
function pathsOf(body: Json, above: readonly string[] = []): readonly (readonly string[])[] {
  return Object.entries(body).flatMap(([name, value]) => {
    if (above.length === 0 && NEEDED.has(name)) return []
    const path = [...above, name]
    return [...(isObject(value) ? pathsOf(value, path) : []), path]
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Names that an error gives as the culprit's: `param`, `loc`, and OpenAI's way of nesting both. */
function culprits(error: unknown, depth = 0): readonly string[] {
  if (depth > 4) return []
  if (Array.isArray(error)) return error.slice(0, 20).flatMap((each) => culprits(each, depth + 1))
  if (!isObject(error)) return []
  const { param, loc } = error
  const named = [param, ...(Array.isArray(loc) ? [loc.at(-1)] : [])].filter((name) => typeof name === 'string')
  return [...named, ...['error', 'detail', 'errors', 'details'].flatMap((inside) => culprits(error[inside], depth + 1))]
}

function mentions(text: string, name: string): boolean {
  const word = name.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(String.raw`(?<![\w-])${word}(?![\w-])`).test(text)
}

function adviceFor(path: readonly string[], text: string): string {
  const name = path.at(-1) ?? ''
  if (CAP.test(name)) {
    const other = ['max_completion_tokens', 'max_tokens', 'max_output_tokens'].find(
      (each) => each !== name && mentions(text, each),
    )
    return `name the field on the target: maxTokensField: '${other ?? (name === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens')}'`
  }
  const body = path.reduceRight((inner, field) => `{ ${field}: ${inner} }`, 'undefined')
  return `leave it out: request: { body: ${body} }, or body: ${body} on the target`
}

/**
 * Which of the fields that we sent an error refuses, if it is that.
 * @param answer - the error's body
 * @param sent - the request's body
 */
export function refusedField(status: number, answer: string, sent: string): RefusedField | undefined {
  if (status !== 400 && status !== 422) return undefined
  const body = parsed(sent)
  if (!isObject(body)) return undefined
  if (!REFUSAL.test(answer)) return undefined
  const named = culprits(parsed(answer))
  const paths = pathsOf(body)
  const nameOf = (path: readonly string[]): string => path.at(-1) ?? ''
  const path =
    paths.find((each) => named.some((name) => name === nameOf(each) || name === each.join('.'))) ??
    // an error that names another culprit is about that one
    (named.some((name) => !mentions(answer, name) || NEEDED.has(name.split(/[.[]/)[0] ?? ''))
      ? undefined
      : paths.find((each) => mentions(answer, nameOf(each))))
  return path === undefined ? undefined : { field: path.join('.'), advice: adviceFor(path, answer) }
}
