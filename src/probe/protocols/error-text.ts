import { filled, isObject, listIn } from './json.ts'
import type { Json } from './json.ts'

function stringify(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    // nested deeper than the stack is
    return 'an error that cannot be shown'
  }
}

function word(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : filled(value)
}

const MESSAGES = ['message', 'Message', 'msg', 'error_msg', 'status_msg', 'error_message', 'detail', 'error', 'title']
const CODES = ['code', 'Code', 'status', '__type', 'error_code', 'status_code', 'error_type', 'http_status_code']

/** An error may stand in another; deeper than this none does. */
const DEEPEST = 4

/** An error object as one line: its type, or else its code or status, and its message. */
export function errorText(error: unknown, depth = 0): string {
  if (typeof error === 'string') return error
  if (!isObject(error)) return stringify(error)
  const message = MESSAGES.map((name) => filled(error[name])).find((text) => text !== undefined)
  if (message === undefined) {
    const inner = [error['error'], error['detail']].find((value) => isObject(value) && isError(value))
    return inner === undefined || depth === DEEPEST ? stringify(error) : errorText(inner, depth + 1)
  }
  const type = filled(error['type'])
  const kind =
    (type === 'error' || type === 'response.error' ? undefined : type) ??
    CODES.map((name) => word(error[name])).find(Boolean)
  return kind === undefined ? message : `${kind}: ${message}`
}

/** Whether the value of a field `error` says that there is one: `{}`, `0` and an object of nothing but nulls do not. */
function isError(value: unknown, depth = 0): boolean {
  if (isObject(value)) return depth === DEEPEST || Object.values(value).some((each) => isError(each, depth + 1))
  if (Array.isArray(value)) return value.length > 0
  return value !== undefined && value !== null && value !== false && value !== '' && value !== 0
}

const FINE: ReadonlySet<unknown> = new Set([undefined, null, '', 0, 200, '0', '200', 'ok', 'OK', 'success', 'Success'])

/** An envelope's own code and sentence, where nothing of an answer stands beside them: the error of many a gateway. */
function envelopeError(json: Json): string | undefined {
  const base = json['base_resp']
  if (isObject(base) && !FINE.has(base['status_code'])) return errorText(base)
  if (json['choices'] !== undefined) return undefined
  const code = json['code'] ?? json['error_code'] ?? json['status_code']
  const message = filled(json['message']) ?? filled(json['error_msg'])
  if (message !== undefined && !FINE.has(code)) return errorText(json)
  const [first] = listIn(json, 'errors')
  return first === undefined ? undefined : errorText(first)
}

/** The error of an event: in `error`, whatever else stands beside it, or the event itself where its name or its code says so. */
export function errorOf(json: Json, event: string | undefined): string | undefined {
  const { error } = json
  if (error !== undefined && isError(error)) return errorText(error)
  if (event === 'error' || json['object'] === 'error') return errorText(json)
  return envelopeError(json)
}
