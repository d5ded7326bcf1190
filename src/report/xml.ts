import { cleanText } from './plain-text.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** Text between tags: every `>` is escaped, so `]]>` cannot stand there; what XML 1.0 forbids becomes U+FFFD. */
export function xmlText(text: string): string {
  return cleanText(text).replace(/[&<>\r]/g, (character) => ENTITIES[character] ?? character)
}

/** Attributes of a tag, each with a space before it; `undefined` ones are left out. Line breaks and tabs survive as references. */
export function xmlAttributes(attributes: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) =>
        ` ${name}="${cleanText(String(value)).replace(/[&<>"\t\n\r]/g, (character) => ENTITIES[character] ?? character)}"`,
    )
    .join('')
}
