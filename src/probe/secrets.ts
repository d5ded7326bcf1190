import { formsOf, fragmentsOf, LONG_FRAGMENT } from './secret-forms.ts'

/** Shorter values are words rather than secrets, and would be struck out everywhere. */
const SHORTEST = 4
/** Of longer texts only the beginning is looked at, characters. */
const LONGEST = 65_536
const STRUCK = '[secret]'
/** A shorter secret that is all letters is a word, too: `ollama`, `EMPTY`, `none`. */
const SHORTEST_UNLIKE_A_WORD = 8
/** Characters around a word in which a text speaks of credentials, or does not; `tokens` are mostly those of a model. */
const AROUND = 40
const OF_CREDENTIALS = /key|token(?!s)|secret|passw|auth|credential|bearer|basic|signature|cookie/
const BEARER = /\bBearer(?:\s|%20|\+)+[^\s"'\\,;<>]+/gi
/** What calls itself a credential, and a token that nobody can take for anything else. */
const NAMED = /((?:token|key|secret|passw(?:or)?d)["']?\s*[=:]\s*["']?)[^\s"'&,;]{8,}/gi
const JSON_WEB_TOKEN = /\beyJ[\w-]{8,}(?:\.[\w-]+){0,2}/g
// eslint-disable-next-line no-control-regex -- control characters of a server's text are what it removes
const UNPRINTABLE = /[\u0000-\u0008\u000E-\u001F\u007F-\u009F\u200B-\u200F\u202A-\u202E\u2060]+/g

const SENSITIVE = /auth|key|token|secret|cookie|password|credential|signature/i

/** What stands under this name, of a header or a variable, is likely a secret. */
export function isSensitive(name: string): boolean {
  return SENSITIVE.test(name)
}

/** One line of visible characters, `\\u` escapes of ASCII undone: a secret may hide in them, or be put together by what goes. */
function normalised(text: string): string {
  return text
    .toWellFormed()
    .replace(/\\u00([2-7][0-9a-f])/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(UNPRINTABLE, '')
    .replace(/\s+/g, ' ')
}

/** Lower case, character by character: nothing moves. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z\u0080-\uFFFF]/g, (character) => {
    const lower = character.toLowerCase()
    return lower.length === 1 ? lower : character
  })
}

/** What is looked for, in lower case: words where credentials are spoken of, forms as a whole, and fragments by their length. */
interface Index {
  readonly words: readonly string[]
  readonly forms: readonly string[]
  readonly fragments: ReadonlyMap<number, ReadonlySet<string>>
}

function isWord(secret: string): boolean {
  return secret.length < SHORTEST_UNLIKE_A_WORD && /^[a-z]+$/i.test(secret)
}

/** Where a short word stands for itself, and the text around it speaks of credentials. */
function placesOf(word: string, lower: string): readonly number[] {
  return Array.from(lower.matchAll(new RegExp(`(?<![a-z0-9])${word}(?![a-z0-9])`, 'g')), ({ index }) => index).filter(
    (at) => {
      const end = at + word.length
      return OF_CREDENTIALS.test(`${lower.slice(Math.max(0, at - AROUND), at)} ${lower.slice(end, end + AROUND)}`)
    },
  )
}

function indexOf(secrets: Iterable<string>, sparesWords: boolean): Index {
  const all = [...secrets]
  const words = new Set(sparesWords ? all.filter(isWord).map(lowerCase) : [])
  const forms = all
    .flatMap(formsOf)
    .map((form) => ({ ...form, text: normalised(form.text) }))
    .filter(({ text }) => !words.has(lowerCase(text)))
  const fragments = new Map<number, Set<string>>()
  for (const piece of forms.flatMap(fragmentsOf)) {
    const sameLength = fragments.get(piece.length) ?? new Set()
    fragments.set(piece.length, sameLength.add(lowerCase(piece)))
  }
  const whole = forms.map(({ text }) => lowerCase(text)).filter((text) => text.length >= SHORTEST)
  return { words: [...words], forms: [...new Set(whole)], fragments }
}

/** Marks the characters that belong to a secret. */
function marked(text: string, { words, forms, fragments }: Index): Uint8Array {
  const lower = lowerCase(text)
  const marks = new Uint8Array(text.length)
  for (const word of words) for (const at of placesOf(word, lower)) marks.fill(1, at, at + word.length)
  for (const form of forms) {
    for (let at = lower.indexOf(form); at >= 0; at = lower.indexOf(form, at + form.length))
      marks.fill(1, at, at + form.length)
  }
  for (const [length, pieces] of fragments) {
    for (let at = 0; at + length <= lower.length; at += 1)
      if (pieces.has(lower.slice(at, at + length))) marks.fill(1, at, at + length)
  }
  return marks
}

/**
 * Every secret that this prober has read, and the text of servers without them: in all {@link formsOf forms}, in any case of letters,
 * whole or a fragment that shows too much; and whatever follows `Bearer`. A secret of at most 7 letters goes only as a whole word near
 * one that speaks of credentials: elsewhere nobody can tell that it is one, and a message without the word says nothing.
 */
export class Secrets {
  readonly #known = new Set<string>()
  readonly #sparesWords: boolean
  #index: Index | undefined

  /** @param options.sparesWords - `false`: the texts are about secrets, and short words go everywhere, too. @default true */
  constructor({ sparesWords = true }: { readonly sparesWords?: boolean } = {}) {
    this.#sparesWords = sparesWords
  }

  /** From now on struck out of every text. Values under 4 characters are no secrets. */
  add(value: string): void {
    const secret = value.trim()
    if (secret.length < SHORTEST || this.#known.has(secret)) return
    this.#known.add(secret)
    this.#index = undefined
  }

  /** A token that nothing was sent with any more for a while: a night's worth of them would make every text slow to read. */
  forget(value: string): void {
    if (this.#known.delete(value.trim())) this.#index = undefined
  }

  #strike(text: string): string {
    this.#index ??= indexOf(this.#known, this.#sparesWords)
    const marks = marked(text, this.#index)
    let struck = ''
    for (let at = 0, end = 0; at < text.length; at = end) {
      const mark = marks[at]
      end = at + 1
      while (end < text.length && marks[end] === mark) end += 1
      struck += mark === 1 ? STRUCK : text.slice(at, end)
    }
    const told = struck.replace(BEARER, `Bearer ${STRUCK}`).replace(JSON_WEB_TOKEN, STRUCK)
    return this.#sparesWords ? told : told.replace(NAMED, `$1${STRUCK}`)
  }

  /**
   * One line of at most `limit` characters, without secrets and control characters.
   * @param options.cut - the text was cut off: its last characters may be the first ones of a secret and go too
   */
  scrub(text: string, limit: number, options: { readonly cut?: boolean } = {}): string {
    if (text.length > LONGEST) return this.scrub(text.slice(0, LONGEST), limit, { cut: true })
    let plain = this.#strike(normalised(text).trim())
    if (options.cut === true && this.#known.size > 0) plain = plain.slice(0, -(LONG_FRAGMENT - 1))
    return plain.length <= limit ? plain : `${plain.slice(0, limit - 1).toWellFormed()}…`
  }
}
