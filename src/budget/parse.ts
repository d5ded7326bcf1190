import { BudgetReader } from './budget-reader.ts'
import { BudgetDocument } from './document.ts'
import { list, record } from './entry-values.ts'
import { derivedId } from './identity.ts'
import { inOrder } from './problem-order.ts'
import { soundKeys } from './sound-keys.ts'
import { confidenceOf, defaultsShape, fileShape } from './structure.ts'
import type { DefaultsInput } from './structure.ts'
import { structureProblems } from './structure-problems.ts'
import { timezoneProblems } from './timezone.ts'
import type { Budget, BudgetDefaults, BudgetFile, ParsedBudgets } from './types.ts'

const DEFAULTS: BudgetDefaults = {
  severity: 'fail',
  onInconclusive: 'fail',
  per: 'cell',
  minSamples: null,
  failures: 'exclude',
  confidence: null,
}

/** What holds where there is no `slo.yaml`: the defaults, and no budget. */
export function emptyBudgetFile(file: string): BudgetFile {
  return { file, timezone: 'UTC', defaults: DEFAULTS, budgets: [] }
}

function defaultsOf(input: Partial<DefaultsInput>): BudgetDefaults {
  return {
    severity: input.severity ?? DEFAULTS.severity,
    onInconclusive: input.on_inconclusive ?? DEFAULTS.onInconclusive,
    per: input.per ?? DEFAULTS.per,
    minSamples: input.min_samples ?? DEFAULTS.minSamples,
    failures: input.failures ?? DEFAULTS.failures,
    confidence: confidenceOf(input.confidence ?? '') ?? null,
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
  const given = soundKeys(defaultsShape, record(root['defaults']))
  const defaults = defaultsOf(given.sound)
  const shape = fileShape.safeParse(document.value ?? undefined)
  const found =
    shape.success || (document.value === undefined && document.problems.length > 0)
      ? []
      : structureProblems(shape.error?.issues ?? [], document)
  const reader = new BudgetReader(document, defaults, given.unsure)
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
      ...(root['stop_early'] === true ? { stopEarly: true } : {}),
      budgets: budgets.filter((budget) => broken === undefined || budget.source.line < broken),
      ...(reader.unreadGlobs === undefined ? {} : { unreadGlobs: reader.unreadGlobs }),
    },
    problems: inOrder([...document.problems, ...trusted]),
  }
}
