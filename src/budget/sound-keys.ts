import type * as z from 'zod'
import { nearestWord } from './nearest-word.ts'

/** What can be taken from an entry that may hold mistakes. */
export interface SoundKeys<Entry> {
  readonly sound: Partial<Entry>
  /** Keys of which nobody knows the value that was meant; a misspelt key counts under its right word. */
  readonly unsure: ReadonlySet<string>
}

/** Checks an entry key by key, so that one mistake does not hide the next. */
export function soundKeys<Shape extends z.ZodRawShape>(
  shape: z.ZodObject<Shape>,
  entry: Readonly<Record<string, unknown>>,
): SoundKeys<z.infer<z.ZodObject<Shape>>> {
  const keys = Object.keys(shape.shape)
  const sound: Record<string, unknown> = {}
  const unsure = new Set<string>()
  for (const [key, value] of Object.entries(entry)) {
    const schema = Object.hasOwn(shape.shape, key) ? (shape.shape[key] as unknown as z.ZodType) : undefined
    if (schema?.safeParse(value).success === true) sound[key] = value
    else unsure.add(schema === undefined ? (nearestWord(key, keys) ?? key) : key)
  }
  return { sound: sound as Partial<z.infer<z.ZodObject<Shape>>>, unsure }
}
