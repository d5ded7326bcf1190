import { cleanText, cutText, oneLine } from '../plain-text.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Any text, between tags or in a quoted attribute. */
export function escaped(text: string): string {
  return cleanText(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

/** A name from outside on one line, cut. */
export function named(text: string, max = 120): string {
  return escaped(cutText(oneLine(text).trim(), max))
}
