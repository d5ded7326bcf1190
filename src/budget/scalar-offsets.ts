import type { Scalar } from 'yaml'

const ESCAPE = /^\\(?:x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|U[\dA-Fa-f]{8}|[^\r\n])/
const LINE_END = /^[ \t]*\r?\n[ \t\r\n]*/
const ESCAPED_LINE_END = /^\\\r?\n[ \t]*/

/** Where the text of a scalar begins, behind its quote or its block header. */
function contentStart(text: string, start: number, type: Scalar['type'] | undefined): number {
  if (type === 'QUOTE_SINGLE' || type === 'QUOTE_DOUBLE') return start + 1
  if (type !== 'BLOCK_FOLDED' && type !== 'BLOCK_LITERAL') return start
  const header = text.indexOf('\n', start)
  if (header < 0) return start
  return header + 1 + (/^[ \t\r\n]*/.exec(text.slice(header + 1))?.[0].length ?? 0)
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
    const rest = text.slice(at, Math.min(text.length, at + 400))
    const folded = unit === ' ' || unit === '\n' ? LINE_END.exec(rest)?.[0] : undefined
    if (folded !== undefined) {
      offsets.push(at)
      at += folded.length
      continue
    }
    let length = unit.length
    if (scalar.type === 'QUOTE_SINGLE' && rest.startsWith("''")) length = 2
    if (scalar.type === 'QUOTE_DOUBLE') {
      const joined = ESCAPED_LINE_END.exec(rest)?.[0].length ?? 0
      at += joined
      length = ESCAPE.exec(text.slice(at, at + 12))?.[0].length ?? unit.length
    }
    for (let index = 0; index < unit.length; index += 1) offsets.push(Math.min(at + index, Math.max(0, end - 1)))
    at += length
  }
  return offsets
}
