import { Buffer } from 'node:buffer'

/** Shorter values are words rather than secrets, and would be struck out everywhere. */
const SHORTEST = 4
/** Of longer texts only the beginning is looked at, characters. */
const LONGEST = 65_536
const STRUCK = '[secret]'
const BEARER = /\bBearer(?:\s|%20|\+)+[^\s"'\\,;<>]+/gi
// eslint-disable-next-line no-control-regex -- control characters of a server's text are what it removes
const UNPRINTABLE = /[\u0000-\u0008\u000E-\u001F\u007F-\u009F\u200B-\u200F\u202A-\u202E\u2060]+/g

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

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8')
  const base64 = insideBase64(bytes).filter((form) => form.length >= 6)
  return [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    encodeURIComponent(secret.toWellFormed()).replaceAll('%20', '+'),
    encodeURI(secret.toWellFormed()),
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    bytes.toString('latin1'),
    bytes.toString('hex'),
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
    ...base64.map((form) => encodeURIComponent(form)),
  ]
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)
}

/**
 * Every secret that this prober has read, and the text of servers without them: as they are, URL-encoded, JSON-escaped, as base64
 * (alone or inside something longer) and as hex, in any case of letters; and whatever follows `Bearer`.
 */
export class Secrets {
  readonly #known = new Set<string>()
  #pattern: RegExp | undefined
  #longest = 0

  /** From now on struck out of every text. Values under 4 characters are no secrets. */
  add(value: string): void {
    const secret = value.trim()
    if (secret.length < SHORTEST || this.#known.has(secret)) return
    this.#known.add(secret)
    this.#compile()
  }

  /** A token that nothing was sent with any more for a while: a night's worth of them would make every text slow to read. */
  forget(value: string): void {
    if (this.#known.delete(value.trim())) this.#compile()
  }

  #compile(): void {
    const forms = [...new Set([...this.#known].flatMap(formsOf))].filter((form) => form.length >= SHORTEST)
    forms.sort((a, b) => b.length - a.length)
    this.#longest = forms[0]?.length ?? 0
    this.#pattern = forms.length === 0 ? undefined : new RegExp(forms.map(escaped).join('|'), 'gi')
  }

  #strike(text: string): string {
    const struck = this.#pattern === undefined ? text : text.replace(this.#pattern, STRUCK)
    return struck.replace(BEARER, `Bearer ${STRUCK}`)
  }

  /**
   * One line of at most `limit` characters, without secrets and control characters.
   * @param options.cut - the text was cut off: its last characters may be the first ones of a secret and go too
   */
  scrub(text: string, limit: number, options: { readonly cut?: boolean } = {}): string {
    if (text.length > LONGEST) return this.scrub(text.slice(0, LONGEST), limit, { cut: true })
    // a secret may hide in \u escapes, or be put together by what normalising leaves out: struck before and after
    let plain = this.#strike(text.toWellFormed())
    plain = plain.replace(/\\u00([2-7][0-9a-f])/gi, (_all, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    plain = this.#strike(plain.replace(UNPRINTABLE, '').replace(/\s+/g, ' ').trim())
    if (options.cut === true && this.#longest > 0) plain = plain.slice(0, Math.max(0, plain.length - this.#longest))
    return plain.length <= limit ? plain : `${plain.slice(0, limit - 1).toWellFormed()}…`
  }
}
