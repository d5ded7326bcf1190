import type { Scalar } from 'yaml'

const ESCAPE = /^\\(?:x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|U[\dA-Fa-f]{8}|[^\r\n])/
const LINE_END = /^[ \t]*\r?\n[ \t\r\n]*/
/** Longer than any fold that a person writes. */
const LOOK_AHEAD = 400
const ESCAPED_LINE_END = /^\\\r?\n[ \t]*/

/** Where the text of a scalar begins, behind its quote or its block header. */
function contentStart(text: string, start: number, type: Scalar['type'] | undefined): number {
  if (type === 'QUOTE_SINGLE' || type === 'QUOTE_DOUBLE') return start + 1
  if (type !== 'BLOCK_FOLDED' && type !== 'BLOCK_LITERAL') return start
  const header = text.indexOf('\n', start)
  if (header < 0) return start
  return header + 1 + (/^[ \t\r\n]*/.exec(text.slice(header + 1))?.[0].length ?? 0)
}

/** How much of the source made one character of the value. */
function sourceLength(rest: string, character: string, type: Scalar['type'] | undefined): number {
  if (type === 'QUOTE_SINGLE' && rest.startsWith("''")) return 2
  const escape = type === 'QUOTE_DOUBLE' ? ESCAPE.exec(rest)?.[0] : undefined
  if (escape !== undefined) return escape.length
  if (character !== ' ' && character !== '\n') return character.length
  // A fold takes all blank lines at once; the further line ends that it left in the value have no source of their own.
  return LINE_END.exec(rest)?.[0].length ?? (rest.startsWith(character) ? 1 : 0)
}

/**
 * For each UTF-16 unit of a scalar's value, where it stands in the file. Follows quotes, escapes, folds and block indentation;
 * where it loses the track it stays at the last place that it knew.
 */
export function scalarOffsets(text: string, scalar: Scalar<string>): number[] {
  const end = scalar.range?.[1] ?? text.length
  let at = contentStart(text, scalar.range?.[0] ?? 0, scalar.type)
  const offsets: number[] = []
  for (const unit of scalar.value) {
    if (scalar.type === 'QUOTE_DOUBLE') at += ESCAPED_LINE_END.exec(text.slice(at, at + LOOK_AHEAD))?.[0].length ?? 0
    offsets.push(...Array.from({ length: unit.length }, (_, index) => Math.min(at + index, Math.max(0, end - 1))))
    at += sourceLength(text.slice(at, at + LOOK_AHEAD), unit, scalar.type)
  }
  return offsets
}
