/** One word of a limit; `start` counts UTF-16 units from the start of the text. */
export interface LimitToken {
  readonly kind: 'number' | 'word' | 'operator' | 'sign' | 'other' | 'end'
  readonly text: string
  readonly start: number
}

const TOKEN =
  /\s*(?:(?<number>\d+(?:\.\d+)?|\.\d+)|(?<word>[A-Za-z_µ$€][\w.]*(?:\/[A-Za-z]+)?)|(?<operator>[<>=!]=|=[<>]|[<>=≤≥])|(?<sign>[()%])|(?<other>[^\s]))/uy

const KINDS = ['number', 'word', 'operator', 'sign', 'other'] as const

/** Splits a limit into words; the last is always of kind `end`. Never fails: what it does not know is `other`. */
export function limitTokens(text: string): readonly [LimitToken, ...LimitToken[]] {
  const tokens: LimitToken[] = []
  const pattern = new RegExp(TOKEN)
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const end = pattern.lastIndex
    for (const kind of KINDS) {
      const found = match.groups?.[kind]
      if (found !== undefined) tokens.push({ kind, text: found, start: end - found.length })
    }
  }
  const last = { kind: 'end', text: '', start: text.trimEnd().length } as const
  const [first, ...rest] = [...tokens, last]
  return [first ?? last, ...rest]
}
