/** A JSON object of which nothing is known. */
export type Json = Readonly<Record<string, unknown>>

/** An object that is no list. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object in a field; an empty one where there is none. */
export function objectIn(json: Json, field: string): Json {
  const value = json[field]
  return isObject(value) ? value : NONE
}

/** The list in a field; an empty one where there is none. */
export function listIn(json: Json, field: string): readonly unknown[] {
  const value = json[field]
  return Array.isArray(value) ? value : NOTHING
}

/** Text that is not empty. */
export function filled(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A number of tokens. */
export function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

/** Characters of a text; 0 for anything else. */
export function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0
}

/** Characters of generated text: of a string, or of one that is wrapped in an object under whatever name. */
export function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length
  return isObject(value) ? lengthOf(value['text']) || lengthOf(value['content']) || lengthOf(value['value']) : 0
}

/** Characters of a call's arguments: a piece of JSON as text, or all of them as an object. */
export function argumentsLength(value: unknown): number {
  if (typeof value !== 'object' || value === null) return lengthOf(value)
  try {
    return JSON.stringify(value).length
  } catch {
    // nested deeper than the stack is: there are some
    return 1
  }
}

/** The same where a call begins and pieces follow: there `{}` only holds their place. */
export function firstArgumentsLength(value: unknown): number {
  return isObject(value) && Object.keys(value).length === 0 ? 0 : argumentsLength(value)
}

/** The counts of tokens that are numbers; `undefined` where none is. */
export function countsOf<Name extends string>(
  fields: Readonly<Record<Name, unknown>>,
): { readonly [Key in Name]?: number } | undefined {
  const counts: { [Key in Name]?: number } = {}
  let any = false
  for (const name of Object.keys(fields) as Name[]) {
    const value = count(fields[name])
    if (value === undefined) continue
    counts[name] = value
    any = true
  }
  return any ? counts : undefined
}

const NONE: Json = {}
const NOTHING: readonly unknown[] = []
