import { durationMs } from '../units.ts'
import { KEPT_APART } from './cases.ts'
import { BudgetDocument } from './document.ts'
import { WHERE_KEYS } from './glob.ts'
import { derivedId } from './identity.ts'
import { LimitFault } from './limit-fault.ts'
import { readLimit } from './limit.ts'
import { inOrder } from './problem-order.ts'
import { budgetShape, fileShape } from './structure.ts'
import type { BudgetInput, WhereInput } from './structure.ts'
import { structureProblems } from './structure-problems.ts'
import { timezoneProblems } from './timezone.ts'
import type {
  Budget,
  BudgetDefaults,
  BudgetFile,
  BudgetOverride,
  BudgetProblem,
  GlobPlace,
  Limit,
  ParsedBudgets,
  Where,
} from './types.ts'

type Path = readonly PropertyKey[]

const DEFAULT_STALL_OVER_MS = 5000

const DEFAULTS: BudgetDefaults = {
  severity: 'fail',
  onInconclusive: 'fail',
  per: 'cell',
  minSamples: null,
  failures: 'exclude',
}

/** What holds where there is no `slo.yaml`: the defaults, and no budget. */
export function emptyBudgetFile(file: string): BudgetFile {
  return { file, timezone: 'UTC', defaults: DEFAULTS, budgets: [] }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function globList(value: unknown): readonly string[] | undefined {
  return typeof value === 'string'
    ? [value]
    : Array.isArray(value)
      ? value.filter((item) => typeof item === 'string')
      : undefined
}

function whereOf(input: WhereInput | undefined): Where {
  const entries = WHERE_KEYS.flatMap((key) => {
    const globs = globList(input?.[key])
    return globs === undefined ? [] : [[key, globs] as const]
  })
  return Object.fromEntries(entries)
}

class BudgetReader {
  readonly #document: BudgetDocument
  readonly problems: BudgetProblem[] = []
  readonly #defaults: BudgetDefaults

  constructor(document: BudgetDocument, defaults: BudgetDefaults) {
    this.#document = document
    this.#defaults = defaults
  }

  /** The limit at a path; a text that is none becomes a problem, anything but a text is the structure's matter. */
  limit(value: unknown, path: Path): Limit | undefined {
    if (typeof value !== 'string') return undefined
    try {
      return readLimit(value)
    } catch (thrown) {
      if (!(thrown instanceof LimitFault)) throw thrown
      const span = this.#document.insideSpan(path, thrown.offset, thrown.length)
      this.problems.push(this.#document.problem('error', thrown.code, thrown.message, span, thrown.hint))
      return undefined
    }
  }

  #globPlaces(value: unknown, path: Path): GlobPlace[] {
    return WHERE_KEYS.flatMap((key) => {
      const globs = record(value)[key]
      const at = (steps: Path, glob: string): GlobPlace => ({
        key,
        glob,
        ...this.#document.place(this.#document.valueSpan(steps)),
      })
      if (typeof globs === 'string') return [at([...path, key], globs)]
      return list(globs).flatMap((glob, index) => (typeof glob === 'string' ? [at([...path, key, index], glob)] : []))
    })
  }

  #override(value: unknown, path: Path, per: Budget['per']): BudgetOverride | undefined {
    const entry = record(value)
    const limit = this.limit(entry['limit'], [...path, 'limit'])
    if (typeof value !== 'object' || value === null) return undefined
    const replaces = ['limit', 'severity', 'min_samples'].some((key) => entry[key] !== undefined)
    if (!replaces) {
      const span = this.#document.valueSpan([...path, 'limit'])
      this.problems.push(
        this.#document.problem(
          'error',
          'override-replaces',
          'an override that replaces nothing',
          span,
          'give it a limit, a severity or min_samples',
        ),
      )
    }
    for (const key of WHERE_KEYS) {
      if (record(entry['where'])[key] === undefined || KEPT_APART[per].includes(key)) continue
      const span = this.#document.keySpan([...path, 'where'], key)
      const kept = KEPT_APART[per].join(' and ')
      this.problems.push(
        this.#document.problem(
          'error',
          'override-where',
          `\`per: ${per}\` pools over ${key}s, so an override cannot tell them apart`,
          span,
          `name ${kept} here, or take \`per: ${per}\` away`,
        ),
      )
    }
    const shape = budgetShape.shape.overrides.unwrap().element.safeParse(value)
    if (!shape.success || (shape.data.limit !== undefined && limit === undefined)) return undefined
    const place = this.#document.place(this.#document.valueSpan([...path, 'limit']))
    return {
      where: whereOf(shape.data.where),
      globPlaces: this.#globPlaces(entry['where'], [...path, 'where']),
      ...(limit === undefined ? {} : { limit }),
      ...(shape.data.severity === undefined ? {} : { severity: shape.data.severity }),
      ...(shape.data.min_samples === undefined ? {} : { minSamples: shape.data.min_samples }),
      source: place.source,
      sourceLength: place.length,
    }
  }

  /** The budget at `budgets[index]`, without an id of its own making; every problem of its limits and overrides is kept. */
  budget(value: unknown, index: number): { budget: Omit<Budget, 'id'>; id: string | undefined } | undefined {
    const path = ['budgets', index]
    const entry = record(value)
    const limit = this.limit(entry['limit'], [...path, 'limit'])
    const shape = budgetShape.safeParse(value)
    const per = budgetShape.shape.per.safeParse(entry['per'] ?? this.#defaults.per).data ?? this.#defaults.per
    const overrides = list(entry['overrides']).map((each, at) => this.#override(each, [...path, 'overrides', at], per))
    this.#needlessKeys(entry, limit, path)
    const whole = overrides.filter((override) => override !== undefined)
    if (!shape.success || limit === undefined || whole.length !== overrides.length) return undefined
    return { budget: this.#built(shape.data, limit, whole, entry, path), id: shape.data.id }
  }

  #built(
    input: BudgetInput,
    limit: Limit,
    overrides: BudgetOverride[],
    entry: Readonly<Record<string, unknown>>,
    path: Path,
  ) {
    const severity = input.severity ?? this.#defaults.severity
    const place = this.#document.place(this.#document.valueSpan([...path, 'limit']))
    return {
      limit,
      source: place.source,
      sourceLength: place.length,
      where: whereOf(input.where),
      globPlaces: this.#globPlaces(entry['where'], [...path, 'where']),
      overrides,
      per: input.per ?? this.#defaults.per,
      severity,
      onInconclusive: input.on_inconclusive ?? this.#defaults.onInconclusive,
      minSamples: input.min_samples ?? this.#defaults.minSamples,
      failures: input.failures ?? this.#defaults.failures,
      stallOverMs: durationMs(input.stall_over ?? '') ?? DEFAULT_STALL_OVER_MS,
    }
  }

  #needlessKeys(entry: Readonly<Record<string, unknown>>, limit: Limit | undefined, path: Path): void {
    if (limit === undefined || entry['stall_over'] === undefined || limit.metric === 'stall_rate') return
    const span = this.#document.keySpan(path, 'stall_over')
    this.problems.push(
      this.#document.problem(
        'note',
        'no-effect',
        `\`stall_over\` has no effect on ${limit.metric}`,
        span,
        'it belongs to stall_rate',
      ),
    )
  }
}

function defaultsOf(value: unknown): BudgetDefaults {
  const shape = fileShape.shape.defaults.safeParse(value)
  if (!shape.success) return DEFAULTS
  const input = shape.data
  return {
    severity: input.severity ?? DEFAULTS.severity,
    onInconclusive: input.on_inconclusive ?? DEFAULTS.onInconclusive,
    per: input.per ?? DEFAULTS.per,
    minSamples: input.min_samples ?? DEFAULTS.minSamples,
    failures: input.failures ?? DEFAULTS.failures,
  }
}

/** Explicit ids first, so that a derived one never takes the name of a budget further down. */
function identified(document: BudgetDocument, values: readonly unknown[], reader: BudgetReader): Budget[] {
  const taken = new Set<string>()
  const lines = new Map<string, number>()
  values.forEach((value, index) => {
    const id = record(value)['id']
    if (typeof id !== 'string' || id === '') return
    const span = document.valueSpan(['budgets', index, 'id'])
    const first = lines.get(id)
    if (first === undefined) lines.set(id, document.place(span).source.line)
    else
      reader.problems.push(
        document.problem(
          'error',
          'duplicate-id',
          `two budgets have the id \`${id}\``,
          span,
          `the other is in line ${first}`,
        ),
      )
    taken.add(id)
  })
  const budgets: Budget[] = []
  values.forEach((value, index) => {
    const read = reader.budget(value, index)
    if (read === undefined) return
    const id = read.id ?? derivedId(read.budget.limit.text, read.budget.where, taken)
    taken.add(id)
    budgets.push({ id, ...read.budget })
  })
  return budgets
}

/**
 * Reads `slo.yaml`: whatever can be understood, and every problem at once, each with its place.
 * Never throws for what the text says; a caller stops where any problem is an `error`.
 * @param file - the path as shown to people, relative to the project's root
 */
export function parseBudgets(text: string, file: string): ParsedBudgets {
  const document = new BudgetDocument(text, file)
  const root = record(document.value)
  const defaults = defaultsOf(root['defaults'])
  const shape = fileShape.safeParse(document.value ?? undefined)
  const found =
    shape.success || (document.value === undefined && document.problems.length > 0)
      ? []
      : structureProblems(shape.error?.issues ?? [], document)
  const reader = new BudgetReader(document, defaults)
  const budgets = identified(document, list(root['budgets']), reader)
  const timezone = root['timezone']
  const zoneProblems = timezoneProblems(timezone, document)
  const broken =
    document.brokenAt === Infinity
      ? undefined
      : document.place({ start: document.brokenAt, end: document.brokenAt }).source.line
  // Behind a break in the YAML everything may be misread: what the break itself causes is not worth a line.
  const trusted = [...found, ...reader.problems, ...zoneProblems].filter(
    (problem) => broken === undefined || (problem.code !== 'missing-key' && (problem.source?.line ?? 0) < broken),
  )
  return {
    file: {
      file,
      timezone: typeof timezone === 'string' && zoneProblems.length === 0 ? timezone : 'UTC',
      defaults,
      budgets,
    },
    problems: inOrder([...document.problems, ...trusted]),
  }
}
