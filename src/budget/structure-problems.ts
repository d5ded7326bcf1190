import type * as z from 'zod'
import type { BudgetDocument } from './document.ts'
import { nearestWord } from './nearest-word.ts'
import { confidenceOf, levelAt } from './structure.ts'
import type { BudgetProblem } from './types.ts'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

const EXPECTED: Readonly<Record<string, string>> = {
  object: 'a map (`key: value` lines)',
  array: 'a list (`- item` lines)',
  string: 'a text',
  int: 'a whole number',
  number: 'a whole number',
  boolean: '`true` or `false`',
}

/** Lists of maps, whose dash is easily forgotten. */
const LISTS = {
  budgets: 'each budget starts with a dash:\n  - limit: p99 ttft < 10s\n    per: target',
  overrides: 'each override starts with a dash:\n  - where: { target: deepseek-* }\n    limit: p99 ttft < 30s',
} as const

/** Keys that take a word or a map. */
const FORMS: Readonly<Record<string, string>> = {
  acknowledge: '`acknowledge: { until: 2026-12-31, reason: why }`, and `where` and `up_to` if you like',
  baseline: '`baseline: TARGET`, `baseline: { file: last.csv }` or `baseline: { history: 30d }`',
  window: '`window: 7d` or `window: { for: 7d, same: [build] }`',
}

function nameOf(path: Path): string {
  const last = path.at(-1)
  if (last === undefined) return 'the file'
  if (typeof last === 'number')
    return path.at(-2) === 'budgets' ? 'a budget' : path.at(-2) === 'overrides' ? 'an override' : String(path.at(-2))
  return `\`${String(last)}\``
}

function valueAt(value: unknown, path: Path): unknown {
  let at = value
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<PropertyKey, unknown>)[step]
  }
  return at
}

function describe(value: unknown): string {
  if (value === null) return 'empty'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map'
  if (typeof value === 'string') return `the text ${value.slice(0, 40)}`
  return `${typeof value === 'boolean' ? 'the yes/no value' : 'the number'} ${JSON.stringify(value)}`
}

/** A glob as YAML takes it in braces and brackets. */
function globText(glob: string): string {
  return /^[\p{L}\p{N}][\p{L}\p{N}_./*?-]*$/u.test(glob) && Number.isNaN(Number(glob)) ? glob : JSON.stringify(glob)
}

/** The globs of a `where` without a key, with the key that most of them belong to. */
function whereHint(value: unknown): string {
  const globs = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string' && each !== '')
  const texts = globs.map((each) => globText(String(each)))
  const written = texts.length === 0 ? 'glm-*' : Array.isArray(value) ? `[${texts.join(', ')}]` : texts.join('')
  return `did you mean \`where: { target: ${written} }\`? where takes probe, target, prompt`
}

/** `0.95`, `"0.95"` and `95` as the `95%` that was meant. */
function confidenceHint(value: unknown): string {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  const percent = typeof number === 'number' ? Number((number < 1 ? number * 100 : number).toPrecision(12)) : Number.NaN
  return confidenceOf(`${percent}%`) === undefined ? 'write `confidence: 95%`' : `did you mean \`${percent}%\`?`
}

/** Turns what the structure check found into problems with a place in the file. */
class StructureReader {
  readonly #document: BudgetDocument

  constructor(document: BudgetDocument) {
    this.#document = document
  }

  problemsOf(issue: Issue): BudgetProblem[] {
    if (issue.path.at(-1) === 'confidence') return [this.#wrongConfidence(issue.path)]
    const at = issue.path.findIndex((step) => typeof step === 'string' && Object.hasOwn(FORMS, step))
    if (at !== -1 && issue.path.includes('budgets')) return [this.#wrongForm(issue.path.slice(0, at + 1))]
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys.map((key) => this.#unknownKey(issue.path, key))
      case 'invalid_type':
        return [this.#wrongType(issue.path, EXPECTED[issue.expected] ?? issue.expected)]
      case 'invalid_union':
        return [this.#wrongGlob(issue)]
      case 'invalid_value':
        return [this.#wrongWord(issue.path, issue.values.map(String))]
      case 'too_small':
        return [this.#tooSmall(issue)]
      default:
        return [this.#at(issue.path, 'wrong-value', `${nameOf(issue.path)}: ${issue.message}`)]
    }
  }

  #at(path: Path, code: string, message: string, hint?: string): BudgetProblem {
    return this.#document.problem('error', code, message, this.#document.valueSpan(path), hint)
  }

  #missing(path: Path): boolean {
    const value = valueAt(this.#document.value, path)
    return value === undefined || (path.length === 0 && value === null)
  }

  #unknownKey(path: Path, key: string): BudgetProblem {
    const level = levelAt(path)
    const span = this.#document.keySpan(path, key)
    if (level.later.includes(key)) {
      return this.#document.problem(
        'error',
        'not-in-this-version',
        `\`${key}\` is not in this version`,
        span,
        'take it out',
      )
    }
    const list = `${level.name} takes ${level.keys.join(', ')}`
    if (level.name === 'an override' && levelAt(['budgets', 0]).keys.includes(key)) {
      return this.#document.problem(
        'error',
        'override-replaces',
        `an override cannot replace \`${key}\``,
        span,
        'it may replace limit, severity and min_samples; write a budget of its own',
      )
    }
    const nearest = nearestWord(key, level.keys)
    const hint = nearest === undefined ? list : `did you mean \`${nearest}\`? ${list}`
    return this.#document.problem('error', 'unknown-key', `\`${key}\` is no key of ${level.name}`, span, hint)
  }

  #wrongType(path: Path, expected: string): BudgetProblem {
    if (this.#missing(path)) return this.#missingKey(path)
    const value = valueAt(this.#document.value, path)
    if (value === null && path.length === 1 && path[0] === 'budgets') return this.#noBudgets(path)
    const last = path.at(-1)
    if (!Array.isArray(value) && value !== null && (last === 'budgets' || last === 'overrides')) {
      return this.#at(path, 'wrong-type', `${nameOf(path)} must be ${expected}, and is ${describe(value)}`, LISTS[last])
    }
    if (last === 'where' && value !== null) {
      const message = `\`where\` must be ${expected}, and is ${describe(value)}`
      return this.#at(path, 'wrong-type', message, whereHint(value))
    }
    const quote = expected === EXPECTED['string'] && (typeof value === 'number' || typeof value === 'boolean')
    const unquote = /number/.test(expected) && typeof value === 'string' && /^\d+$/.test(value)
    const hint = quote ? `put it in quotes: "${String(value)}"` : unquote ? `write ${value} without quotes` : undefined
    return this.#at(path, 'wrong-type', `${nameOf(path)} must be ${expected}, and is ${describe(value)}`, hint)
  }

  #missingKey(path: Path): BudgetProblem {
    const key = String(path.at(-1))
    if (path.length === 0) {
      return this.#at(path, 'empty-file', 'the file is empty', 'start with `version: 1` and `budgets:`')
    }
    const span = this.#document.valueSpan(path)
    const hints: Record<string, string> = {
      version: 'write `version: 1` at the top',
      budgets: 'write `budgets:` and below it `- limit: p99 ttft < 10s`',
      limit: 'write one like `limit: p99 ttft < 10s`',
      where: 'say where the exception holds: `where: { target: deepseek-* }`',
    }
    return this.#document.problem('error', 'missing-key', `\`${key}\` is missing`, span, hints[key])
  }

  #wrongConfidence(path: Path): BudgetProblem {
    const value = valueAt(this.#document.value, path)
    const code = typeof value === 'string' ? 'wrong-value' : 'wrong-type'
    const message = `\`confidence\` must be a percentage from 50% to 99.9999%, and is ${describe(value)}`
    return this.#at(path, code, message, confidenceHint(value))
  }

  #wrongForm(path: Path): BudgetProblem {
    return this.#at(path, 'wrong-value', `${nameOf(path)} has no such form`, `write ${FORMS[String(path.at(-1))]}`)
  }

  #wrongGlob(issue: Extract<Issue, { code: 'invalid_union' }>): BudgetProblem {
    const value = valueAt(this.#document.value, issue.path)
    if (Array.isArray(value) && value.length > 0) {
      const index = value.findIndex((item) => typeof item !== 'string' || item === '')
      const path = [...issue.path, Math.max(0, index)]
      return this.#at(
        path,
        'wrong-type',
        `a glob must be a text, and is ${describe(value[index])}`,
        this.#globHint(value[index]),
      )
    }
    const is = Array.isArray(value) || value === '' ? 'empty' : describe(value)
    return this.#at(
      issue.path,
      'wrong-type',
      `${nameOf(issue.path)} must be a glob or a list of globs, and is ${is}`,
      this.#globHint(value),
    )
  }

  #globHint(value: unknown): string {
    return typeof value === 'number'
      ? `put it in quotes: "${value}"`
      : 'write a name, or a glob as in glm-*; what starts with * or ! needs quotes'
  }

  #wrongWord(path: Path, words: readonly string[]): BudgetProblem {
    if (this.#missing(path)) return this.#missingKey(path)
    const value = valueAt(this.#document.value, path)
    if (path.length === 1 && path[0] === 'version') {
      const quoted = value === '1' ? 'write 1 without quotes' : 'this version reads version 1 of the format'
      return this.#at(path, 'wrong-version', 'version must be 1', quoted)
    }
    const nearest = typeof value === 'string' ? nearestWord(value, words) : undefined
    const list = `it is one of ${words.join(', ')}`
    return this.#at(
      path,
      'wrong-value',
      `${nameOf(path)} cannot be ${describe(value)}`,
      nearest === undefined ? list : `did you mean \`${nearest}\`? ${list}`,
    )
  }

  #noBudgets(path: Path): BudgetProblem {
    return this.#at(path, 'no-budgets', 'there is no budget', 'write one: `- limit: p99 ttft < 10s`')
  }

  #tooSmall(issue: Extract<Issue, { code: 'too_small' }>): BudgetProblem {
    if (issue.path.length === 1 && issue.path[0] === 'budgets') return this.#noBudgets(issue.path)
    const least =
      issue.origin === 'int' || issue.origin === 'number' ? `must be at least ${String(issue.minimum)}` : 'is empty'
    return this.#at(issue.path, 'wrong-value', `${nameOf(issue.path)} ${least}`)
  }
}

/** A key that is missing because it was misspelt is one mistake, not two. */
function isMisspelt(issue: Issue, issues: readonly Issue[]): boolean {
  const key = String(issue.path.at(-1))
  const around = JSON.stringify(issue.path.slice(0, -1).map(String))
  return issues.some(
    (other) =>
      other.code === 'unrecognized_keys' &&
      JSON.stringify(other.path.map(String)) === around &&
      other.keys.some((each) => nearestWord(each, levelAt(other.path).keys) === key),
  )
}

/** Every problem of the file's structure. */
export function structureProblems(issues: readonly Issue[], document: BudgetDocument): BudgetProblem[] {
  const reader = new StructureReader(document)
  return issues
    .flatMap((issue) => reader.problemsOf(issue).map((problem) => ({ issue, problem })))
    .filter(({ issue, problem }) => problem.code !== 'missing-key' || !isMisspelt(issue, issues))
    .map(({ problem }) => problem)
}
