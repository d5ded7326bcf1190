import { Buffer } from 'node:buffer'

/** Longer ones are no keys but files: looked for as they are, not in every coding. */
const LONGEST_CODED = 8192
/** Characters that show too much of a secret, as it stands or with some of it escaped. */
const FRAGMENT = 8
/** Characters of base64 and of hexadecimal that show as much. */
const BASE64_FRAGMENT = 11
const HEX_FRAGMENT = 16
/** So many characters show too much even where they are all words. */
export const LONG_FRAGMENT = 16
/** `production-`, `Bearer`, `https://`, `API KEY`: words stand in many texts, and in some secrets. */
const WORDS = /^(?:[A-Z]?[a-z]*|[A-Z]+)(?:[\s_.:/-]+(?:[A-Z]?[a-z]*|[A-Z]+))*$/

/** One way to write a secret, and how much of that may be seen: fewer characters than `fragment`. */
export interface SecretForm {
  readonly text: string
  readonly fragment: number
}

/** How base64 of a longer text shows a secret inside it: the characters that no neighbour byte shares. */
function insideBase64(secret: Buffer): readonly string[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), secret])
      .toString('base64')
      .replace(/=+$/, '')
    const bits = (offset + secret.length) * 8
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6))
  })
}

/** A secret as servers write it: as it is, URL-encoded, JSON- and HTML-escaped, as base64 (alone or in something longer), as hex. */
export function formsOf(secret: string): readonly SecretForm[] {
  if (secret.length > LONGEST_CODED) return [{ text: secret, fragment: FRAGMENT }]
  const bytes = Buffer.from(secret, 'utf8')
  const wellFormed = secret.toWellFormed()
  const json = JSON.stringify(secret).slice(1, -1)
  const plain = [
    secret,
    encodeURIComponent(wellFormed),
    encodeURIComponent(wellFormed).replaceAll('%20', '+'),
    encodeURI(wellFormed),
    bytes.toString('hex').replace(/../g, '%$&'),
    json,
    json.replaceAll('/', '\\/'),
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    bytes.toString('latin1'),
  ]
  const base64 = insideBase64(bytes).filter((form) => form.length >= 6)
  const coded = base64.flatMap((form) => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
    encodeURIComponent(form),
  ])
  return [
    ...[...new Set(plain)].map((text) => ({ text, fragment: FRAGMENT })),
    ...[...new Set(coded)].map((text) => ({ text, fragment: BASE64_FRAGMENT })),
    { text: bytes.toString('hex'), fragment: HEX_FRAGMENT },
  ]
}

/** Every piece of a form that shows too much, of the least length that does; words only where they are many. */
export function fragmentsOf({ text, fragment }: SecretForm): readonly string[] {
  const pieces: string[] = []
  for (let at = 0; at + fragment <= text.length; at += 1) {
    const piece = text.slice(at, at + fragment)
    if (!WORDS.test(piece)) pieces.push(piece)
    else if (at + LONG_FRAGMENT <= text.length) pieces.push(text.slice(at, at + LONG_FRAGMENT))
  }
  return pieces
}
