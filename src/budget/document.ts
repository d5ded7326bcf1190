import { isAlias, isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseDocument, Scalar, visit } from 'yaml'
import type { Document, Node, Pair, YAMLError } from 'yaml'
import { scalarOffsets } from './scalar-offsets.ts'
import type { BudgetProblem, SourcePlace } from './types.ts'

/** A stretch of the file's text. */
export interface Span {
  readonly start: number
  readonly end: number
}

type Step = PropertyKey

const HINTS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'keep one of them',
  BAD_ALIAS: 'what starts with * needs quotes: "*-flash"',
  TAG_RESOLVE_FAILED: "what starts with ! needs quotes: '!deepseek-*'",
  TAB_AS_INDENT: 'indent with spaces',
  MULTIPLE_DOCS: 'one file holds one document: take the `---` out',
}

/** The text of `slo.yaml`, what it says, and where in the text each part of it stands. */
export class BudgetDocument {
  readonly #text: string
  readonly #file: string
  readonly #lines = new LineCounter()
  readonly #document: Document.Parsed
  /** What the text says, as plain values; `undefined` where it is not YAML at all. */
  readonly value: unknown
  /** What is wrong with the YAML itself. */
  readonly problems: readonly BudgetProblem[]
  /** Where the YAML breaks for the first time; what follows may have been misunderstood. */
  readonly brokenAt: number

  constructor(text: string, file: string) {
    this.#text = text
    this.#file = file
    this.#document = parseDocument(text, {
      lineCounter: this.#lines,
      prettyErrors: false,
      merge: true,
      logLevel: 'error',
    })
    const faults = [
      ...this.#document.errors,
      ...this.#document.warnings.filter((warning) => warning.code === 'TAG_RESOLVE_FAILED'),
    ]
    const problems = faults.map((fault) => this.#syntaxProblem(fault))
    const breaking = faults.filter((fault) => fault.code !== 'DUPLICATE_KEY' && fault.code !== 'TAG_RESOLVE_FAILED')
    this.brokenAt = Math.min(Infinity, ...breaking.map((fault) => fault.pos[0]))
    problems.push(...this.#strayAliases())
    this.problems = problems
    try {
      this.value = this.#document.toJS()
    } catch (thrown) {
      // Aliases within aliases, so many that they would fill the memory.
      const message = thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : String(thrown)
      this.value = undefined
      problems.push(this.problem('error', 'yaml', message, { start: 0, end: 1 }))
    }
  }

  /** A problem at a stretch of the text. */
  problem(level: 'error' | 'note', code: string, message: string, span: Span, hint?: string): BudgetProblem {
    const { source, length } = this.place(span)
    return { level, code, message, ...(hint === undefined ? {} : { hint }), source, length }
  }

  /** Line and column of a stretch, and how much of it lies on its first line. */
  place(span: Span): { readonly source: SourcePlace; readonly length: number } {
    const { line, col } = this.#lines.linePos(span.start)
    const lineEnd = this.#text.slice(span.start, span.end).search(/[\r\n]/)
    const length = Math.max(1, lineEnd < 0 ? span.end - span.start : lineEnd)
    return { source: { file: this.#file, line: Math.max(1, line), column: Math.max(1, col) }, length }
  }

  /** Where the value at a path stands; where it is missing or empty, its key or the nearest thing around it. */
  valueSpan(path: readonly Step[]): Span {
    const { pair, node, depth } = this.#walk(path)
    const span = depth === path.length ? spanOf(node) : undefined
    const key = spanOf(pair?.key)
    // What is missing in an entry is shown at the entry's first word.
    return (
      (span !== undefined && span.end > span.start ? span : undefined) ??
      (depth === path.length ? key : firstWord(node)) ??
      key ?? { start: 0, end: 1 }
    )
  }

  /** Where a key of the map at a path stands. */
  keySpan(path: readonly Step[], key: string): Span {
    const { node } = this.#walk(path)
    return spanOf(pairOf(node, key)?.key) ?? this.valueSpan(path)
  }

  /** Where a stretch of the text at a path stands in the file, whatever quotes or folds are around it. */
  insideSpan(path: readonly Step[], offset: number, length: number): Span {
    const { node, depth } = this.#walk(path)
    const whole = this.valueSpan(path)
    if (depth !== path.length || !isScalar(node) || typeof node.value !== 'string') return whole
    const offsets = scalarOffsets(this.#text, node as Scalar<string>)
    const start = offsets[Math.min(offset, offsets.length - 1)]
    const last = offsets[Math.min(offset + length - 1, offsets.length - 1)]
    if (start === undefined || last === undefined) return whole
    return { start, end: Math.max(start, last) + 1 }
  }

  /**
   * `*-flash` without quotes is an alias to nothing: a problem each, and taken as the text that was meant. `!glob` is a tag, which
   * the parser has reported already.
   */
  #strayAliases(): BudgetProblem[] {
    const problems: BudgetProblem[] = []
    visit(this.#document, {
      Scalar: (_key, node) => {
        if (node.tag?.startsWith('!') === true) node.value = node.tag
      },
      Alias: (_key, node) => {
        if (node.resolve(this.#document) !== undefined) return undefined
        const span = spanOf(node) ?? { start: 0, end: 1 }
        const message = `\`*${node.source}\` is read as an alias of YAML, not as a text`
        problems.push(
          this.problem('error', 'yaml', message, span, `what starts with * needs quotes: "*${node.source}"`),
        )
        const text = new Scalar(`*${node.source}`)
        text.range = node.range ?? null
        return text
      },
    })
    return problems
  }

  #syntaxProblem(fault: YAMLError): BudgetProblem {
    const code = fault.code === 'DUPLICATE_KEY' ? 'duplicate-key' : 'yaml'
    const [start, end] = fault.pos
    const word = /^[^\s:]+/.exec(this.#text.slice(start))?.[0] ?? ''
    const message =
      fault.code === 'DUPLICATE_KEY'
        ? `\`${word}\` is given twice`
        : fault.code === 'TAG_RESOLVE_FAILED'
          ? `\`${word}\` is read as a tag, not as a text`
          : (fault.message.split('\n')[0] ?? fault.message)
    const span = { start, end: fault.code === 'DUPLICATE_KEY' ? start + word.length : end }
    return this.problem(
      'error',
      code,
      message,
      span,
      HINTS[fault.code] ?? 'look at the indentation, the quotes and the brackets here and above',
    )
  }

  #walk(path: readonly Step[]): { pair: Pair | undefined; node: unknown; depth: number } {
    let node: unknown = this.#document.contents
    let pair: Pair | undefined
    let depth = 0
    for (const step of path) {
      const container = this.#resolved(node)
      let next: unknown
      if (isMap(container)) {
        const found = pairOf(container, String(step))
        if (found === undefined) break
        pair = found
        next = found.value
      } else if (isSeq(container) && typeof step === 'number' && step < container.items.length) {
        next = container.items[step]
      } else break
      node = next
      depth += 1
    }
    return { pair, node: this.#resolved(node), depth }
  }

  #resolved(node: unknown): unknown {
    return isAlias(node) ? node.resolve(this.#document) : node
  }
}

function pairOf(node: unknown, key: string): Pair | undefined {
  return isMap(node) ? node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key) : undefined
}

function spanOf(node: unknown): Span | undefined {
  const range = isNode(node) ? (node as Node).range : undefined
  return range === undefined || range === null ? undefined : { start: range[0], end: range[1] }
}

function firstWord(node: unknown): Span | undefined {
  if (isMap(node) && isPair(node.items[0])) return spanOf(node.items[0].key)
  return spanOf(node)
}
