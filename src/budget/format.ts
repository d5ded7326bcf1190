import { inOrder } from './problem-order.ts'
import type { BudgetProblem } from './types.ts'

const WIDTH = 80
/** A source line is shown with at least this much in front of the caret. */
const LEAD = 24

function wrapped(text: string, first: string, indent: string): string {
  const lines: string[] = []
  let line = first
  let empty = true
  for (const word of text.split(/\s+/)) {
    if (!empty && line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = indent
      empty = true
    }
    line += empty ? word : ` ${word}`
    empty = false
  }
  lines.push(line)
  return lines.join('\n')
}

/** A line of an example keeps its indentation. */
function hintLine(line: string): string {
  const indent = `  ${/^ */.exec(line)?.[0] ?? ''}`
  return wrapped(line.trimStart(), indent, indent)
}

/** The source line and the caret below it, cut to the width around the caret. */
function excerpt(source: string, line: number, column: number, length: number): string[] {
  const gutter = `  ${line} | `
  const room = WIDTH - gutter.length
  const shown = source.replaceAll('\t', ' ')
  const from = column - 1 + length <= room - 1 || shown.length <= room ? 0 : Math.max(0, column - 1 - LEAD)
  const head = from > 0 ? '…' : ''
  const tail = shown.length - from + head.length > room ? '…' : ''
  const part = shown.slice(from, from + room - head.length - tail.length)
  const caretAt = column - 1 - from + head.length
  const carets = Math.max(1, Math.min(length, room - caretAt))
  const blank = `${' '.repeat(gutter.length - 2)}| `
  return [`${gutter}${head}${part}${tail}`.trimEnd(), `${blank}${' '.repeat(caretAt)}${'^'.repeat(carets)}`]
}

/**
 * One problem for people, 80 columns, no colour: place, level and message, the line of the file with a caret, the hint.
 * @param text - the whole text of `slo.yaml`
 */
export function formatProblem(problem: BudgetProblem, text: string): string {
  const { source, level, message, hint } = problem
  const head = source === null ? `${level} ` : `${source.file}:${source.line}:${source.column} ${level} `
  const lines = [wrapped(message, head, '  ')]
  const line = source === null ? undefined : text.split(/\r\n|\n|\r/)[source.line - 1]
  if (source !== null && line !== undefined && line.trim() !== '') {
    lines.push(...excerpt(line, source.line, source.column, problem.length ?? 1))
  }
  if (hint !== undefined) lines.push(...hint.split('\n').map(hintLine))
  return lines.join('\n')
}

/** All problems in the order of the file, whoever found them, and how many there are; `''` for none. */
export function formatProblems(problems: readonly BudgetProblem[], text: string): string {
  if (problems.length === 0) return ''
  const counted = (['error', 'note'] as const).flatMap((level) => {
    const count = problems.filter((problem) => problem.level === level).length
    return count === 0 ? [] : [`${count} ${level}${count === 1 ? '' : 's'}`]
  })
  return [...inOrder(problems).map((problem) => formatProblem(problem, text)), counted.join(', ')].join('\n\n')
}
