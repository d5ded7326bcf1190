/** An element as parsed: what the tests look at. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  /** Its own text, references resolved. */
  readonly text: string
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const NAME = /[A-Za-z_][\w.-]*/y
// Char of XML 1.0 (fifth edition), production 2
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u

/**
 * Parses the part of XML 1.0 that needs no DTD, and throws at the first thing that is not well formed: wrong nesting, two
 * attributes of one name, a bare `&` or `<`, `]]>` in text, characters that XML forbids, lone surrogates.
 */
export function parseXml(source: string): XmlElement {
  let at = 0
  const fail = (what: string): never => {
    throw new Error(`not well formed at ${at}: ${what}: ${JSON.stringify(source.slice(at, at + 40))}`)
  }
  const found = FORBIDDEN.exec(source)
  if (found !== null) {
    at = found.index
    fail('forbidden character')
  }
  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const match = pattern.exec(source)?.[0] ?? ''
    at += match.length
    return match
  }
  const expectText = (text: string): void => {
    if (!source.startsWith(text, at)) fail(`expected ${text}`)
    at += text.length
  }
  const name = (): string => skip(NAME) || fail('expected a name')
  const resolved = (text: string): string =>
    text
      .replaceAll('\r\n', '\n')
      .replaceAll('\r', '\n')
      .replace(/&([^;&]*;?)/g, (_, reference: string) => {
        const [, decimal] = /^#(\d+);$/.exec(reference) ?? []
        const character = decimal === undefined ? NAMED[reference.slice(0, -1)] : String.fromCodePoint(Number(decimal))
        if (character === undefined || !reference.endsWith(';') || FORBIDDEN.test(character))
          return fail(`reference &${reference}`)
        return character
      })

  function attributes(): Record<string, string> {
    const values: Record<string, string> = {}
    for (;;) {
      const space = skip(/[ \t\r\n]*/y)
      if (source[at] === '>' || source[at] === '/' || source[at] === '?') return values
      if (space === '') fail('expected white space before an attribute')
      const key = name()
      expectText('="')
      const raw = skip(/[^"]*/y)
      if (raw.includes('<')) fail('< in an attribute')
      expectText('"')
      if (Object.hasOwn(values, key)) fail(`two attributes ${key}`)
      // an attribute's raw white space is normalised to spaces; only references survive
      values[key] = resolved(raw.replace(/[\t\n\r]/g, ' '))
    }
  }

  function element(): XmlElement {
    expectText('<')
    const tag = name()
    const given = attributes()
    if (source.startsWith('/>', at)) {
      at += 2
      return { name: tag, attributes: given, children: [], text: '' }
    }
    expectText('>')
    const children: XmlElement[] = []
    let text = ''
    for (;;) {
      const raw = skip(/[^<]*/y)
      if (raw.includes(']]>')) fail(']]> in text')
      text += resolved(raw)
      if (source.startsWith('</', at)) break
      if (at >= source.length) fail(`${tag} is not closed`)
      children.push(element())
    }
    expectText(`</${tag}`)
    skip(/[ \t\r\n]*/y)
    expectText('>')
    return { name: tag, attributes: given, children, text }
  }

  expectText('<?xml')
  attributes()
  expectText('?>')
  skip(/\s*/y)
  const root = element()
  skip(/\s*/y)
  if (at < source.length) fail('text after the root element')
  return root
}

/** Every element of that name below (and with) `root`, in document order. */
export function elements(root: XmlElement, name: string): XmlElement[] {
  return [...(root.name === name ? [root] : []), ...root.children.flatMap((child) => elements(child, name))]
}
