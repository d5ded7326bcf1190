import type { RequestSettings } from '../spec/types.ts'
import { isObject } from './protocols/json.ts'
import type { Json } from './protocols/json.ts'
import type { AskOrder, Protocol } from './types.ts'

/** Objects are laid over each other field by field; anything else takes the place of what was there. */
function laidOver(below: Json, above: Json): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...below }
  for (const [name, value] of Object.entries(above)) {
    const under = Object.hasOwn(below, name) ? below[name] : undefined
    merged[name] = isObject(value) && isObject(under) ? laidOver(under, value) : value
  }
  return merged
}

function without(fields: Json, [name, ...rest]: readonly string[]): Json {
  if (name === undefined || !Object.hasOwn(fields, name)) return fields
  const { [name]: value, ...others } = fields
  if (rest.length === 0) return others
  return isObject(value) ? { ...fields, [name]: without(value, rest) } : fields
}

function withSettings(fields: Json, { body, omit = [] }: Pick<RequestSettings, 'body' | 'omit'>): Json {
  return omit.reduce<Json>((left, path) => without(left, path), laidOver(fields, body))
}

/** The body of a request: what the protocol makes of it, then the probe's own fields, then the target's. */
export function requestBody(protocol: Protocol, order: AskOrder): Json {
  const { target, messages, request } = order
  const own = target.kind === 'real' ? target.request : undefined
  const settings: RequestSettings =
    own?.maxTokensField === undefined ? request : { ...request, maxTokensField: own.maxTokensField }
  const made = protocol.body({ model: target.model, messages, request: settings })
  const asked = withSettings(made, request)
  return own === undefined ? asked : withSettings(asked, own)
}
