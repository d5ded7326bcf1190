import { filled, isObject } from './json.ts'
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

/** An error object as one line: its type, or else its code or status, and its message. */
export function errorText(error: unknown): string {
  if (typeof error === 'string') return error
  if (!isObject(error)) return stringify(error)
  const message = filled(error['message'])
  if (message === undefined) return stringify(error)
  const type = filled(error['type'])
  const kind =
    (type === 'error' ? undefined : type) ?? word(error['code']) ?? filled(error['status']) ?? filled(error['__type'])
  return kind === undefined ? message : `${kind}: ${message}`
}

function isError(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== ''
}

/** The error of an event: in `error`, whatever else stands beside it, or the event itself where its name says so. */
export function errorOf(json: Json, event: string | undefined): string | undefined {
  if (isError(json['error'])) return errorText(json['error'])
  if (event === 'error' || json['object'] === 'error') return errorText(json)
  return undefined
}
