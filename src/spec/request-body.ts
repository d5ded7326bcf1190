import type { RequestSettings } from './types.ts'

type Fields = Readonly<Record<string, unknown>>

function isPlain(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

/** A body as a user writes it, made plain JSON: fields that are `undefined` become paths to be left out. */
export function plainBody(body: Fields | undefined): Pick<RequestSettings, 'body' | 'omit'> {
  const omit: string[][] = []
  const plain = (fields: Fields, above: readonly string[]): Record<string, unknown> => {
    const kept: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) omit.push([...above, name])
      else kept[name] = isPlain(value) ? plain(value, [...above, name]) : value
    }
    return kept
  }
  const kept = plain(body ?? {}, [])
  return { body: kept, ...(omit.length === 0 ? {} : { omit }) }
}
