import { durationMs } from '../units.ts'
import { KEPT_APART } from './cases.ts'
import type { BudgetDocument } from './document.ts'
import { WHERE_KEYS } from './glob.ts'
import { LimitFault } from './limit-fault.ts'
import { readLimit, readValue } from './limit.ts'
import { soundKeys } from './sound-keys.ts'
import { budgetShape, confidenceOf, overrideShape } from './structure.ts'
import type { WhereInput } from './structure.ts'
import type { AcknowledgementInput, BaselineInput, WindowInput } from './structure-history.ts'
import type {
  Acknowledgement,
  Baseline,
  Budget,
  BudgetDefaults,
  BudgetOverride,
  BudgetProblem,
  BudgetWindow,
  GlobPlace,
  Limit,
  Where,
} from './types.ts'

type Path = readonly PropertyKey[]
type Entry = Readonly<Record<string, unknown>>

const DEFAULT_STALL_OVER_MS = 5000

/** A value as a map; anything else is an empty one. */
export function record(value: unknown): Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

/** A value as a list; anything else is an empty one. */
export function list(value: unknown): readonly unknown[] {
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

function windowOf(input: WindowInput | undefined): BudgetWindow | null {
  if (input === undefined) return null
  const { for: text, same = [] } = typeof input === 'string' ? { for: input } : input
  return { forMs: durationMs(text) ?? 0, same }
}

function baselineOf(input: BaselineInput | undefined): Baseline | null {
  if (input === undefined) return null
  if (typeof input === 'string') return { kind: 'target', target: input }
  if ('target' in input) return { kind: 'target', target: input.target }
  if ('file' in input) return { kind: 'file', file: input.file }
  return { kind: 'history', forMs: durationMs(input.history) ?? 0 }
}

function isRelative(limit: Limit | undefined): boolean {
  return limit?.kind === 'statistic' && limit.relative !== undefined
}

/** A budget without an id of its own making. */
export interface ReadBudget {
  readonly budget: Omit<Budget, 'id'>
  readonly id: string | undefined
}

/** Mistakes in these leave a budget's cells or limit unknown: to check it further would report what nobody wrote. */
const ESSENTIAL = ['limit', 'where', 'per', 'min_samples', 'overrides'] as const

/** Reads the entries of `budgets:`; collects every problem of their limits and overrides, and what little is known of broken ones. */
export class BudgetReader {
  readonly #document: BudgetDocument
  readonly #defaults: BudgetDefaults
  readonly #unsureDefaults: ReadonlySet<string>
  readonly problems: BudgetProblem[] = []
  /** Globs of the budgets that were not understood; `undefined` where all were. */
  unreadGlobs: GlobPlace[] | undefined

  constructor(document: BudgetDocument, defaults: BudgetDefaults, unsureDefaults: ReadonlySet<string>) {
    this.#document = document
    this.#defaults = defaults
    this.#unsureDefaults = unsureDefaults
  }

  /** The limit at a path; a text that is none becomes a problem, anything but a text is the structure's matter. */
  #limit(value: unknown, path: Path): Limit | undefined {
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
    const limit = this.#limit(entry['limit'], [...path, 'limit'])
    if (typeof value !== 'object' || value === null) return undefined
    const { sound, unsure } = soundKeys(overrideShape, entry)
    this.#checkOverride(entry, path, per, unsure)
    if (unsure.size > 0 || sound.where === undefined || (sound.limit !== undefined && limit === undefined))
      return undefined
    const place = this.#document.place(this.#document.valueSpan([...path, 'limit']))
    return {
      where: whereOf(sound.where),
      globPlaces: this.#globPlaces(entry['where'], [...path, 'where']),
      ...(limit === undefined ? {} : { limit }),
      ...(sound.severity === undefined ? {} : { severity: sound.severity }),
      ...(sound.min_samples === undefined ? {} : { minSamples: sound.min_samples }),
      source: place.source,
      sourceLength: place.length,
    }
  }

  /** What the structure alone does not know of an override: that it does something, and where it may. */
  #checkOverride(entry: Entry, path: Path, per: Budget['per'], unsure: ReadonlySet<string>): void {
    const replaces = ['limit', 'severity', 'min_samples'].some((key) => entry[key] !== undefined)
    if (!replaces && unsure.size === 0) {
      const span = this.#document.valueSpan([...path, 'limit'])
      const hint = 'give it a limit, a severity or min_samples'
      this.problems.push(
        this.#document.problem('error', 'override-replaces', 'an override that replaces nothing', span, hint),
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
  }

  /** The budget at `budgets[index]`, if enough of it is sound. */
  budget(value: unknown, index: number): ReadBudget | undefined {
    const path = ['budgets', index]
    const entry = record(value)
    const limit = this.#limit(entry['limit'], [...path, 'limit'])
    const { sound, unsure } = soundKeys(budgetShape, entry)
    const per = sound.per ?? this.#defaults.per
    const entries = list(entry['overrides'])
    const overrides = entries
      .map((each, at) => this.#override(each, [...path, 'overrides', at], per))
      .filter((override) => override !== undefined)
    this.#needlessKeys(entry, limit, path)
    const limits = [limit, ...overrides.map((each) => each.limit)]
    this.#checkConfidence(entry, limits, path)
    this.#checkBaseline(entry, limits, per, path)
    const floor = this.#floor(sound.floor, limits, path)
    const doubtful = ESSENTIAL.some(
      (key) => unsure.has(key) || (this.#unsureDefaults.has(key) && entry[key] === undefined),
    )
    if (doubtful || limit === undefined || overrides.length !== entries.length) {
      this.#keepGlobs(entry, path)
      return undefined
    }
    const place = this.#document.place(this.#document.valueSpan([...path, 'limit']))
    const budget = {
      limit,
      source: place.source,
      sourceLength: place.length,
      where: whereOf(sound.where),
      globPlaces: this.#globPlaces(entry['where'], [...path, 'where']),
      overrides,
      per,
      severity: sound.severity ?? this.#defaults.severity,
      // What an unchanged model fails every other night must not fail a run by default.
      onInconclusive: sound.on_inconclusive ?? (isRelative(limit) ? 'warn' : this.#defaults.onInconclusive),
      minSamples: sound.min_samples ?? this.#defaults.minSamples,
      failures: sound.failures ?? this.#defaults.failures,
      stallOverMs: durationMs(sound.stall_over ?? '') ?? DEFAULT_STALL_OVER_MS,
      confidence: confidenceOf(sound.confidence ?? '') ?? this.#defaults.confidence ?? null,
      window: windowOf(sound.window),
      baseline: baselineOf(sound.baseline),
      ...(sound.baseline === undefined
        ? {}
        : { baselineSource: this.#document.place(this.#document.valueSpan([...path, 'baseline'])).source }),
      ...(floor === undefined ? {} : { floor }),
      ...(sound.fail_after === undefined ? {} : { failAfter: sound.fail_after }),
      ...(sound.acknowledge === undefined ? {} : { acknowledge: this.#acknowledged(sound.acknowledge, limit, path) }),
    }
    return { budget, id: sound.id }
  }

  #keepGlobs(entry: Entry, path: Path): void {
    const places = [
      ...this.#globPlaces(entry['where'], [...path, 'where']),
      ...list(entry['overrides']).flatMap((each, at) =>
        this.#globPlaces(record(each)['where'], [...path, 'overrides', at, 'where']),
      ),
    ]
    this.unreadGlobs = [...(this.unreadGlobs ?? []), ...places]
  }

  /** What can never be proven; a value from `defaults` holds only where it can. */
  #checkConfidence(entry: Entry, limits: readonly (Limit | undefined)[], path: Path): void {
    if (entry['confidence'] === undefined) return
    const unprovable = limits.find(
      (each) => each !== undefined && !isRelative(each) && (each.allowed === null || each.allowed.numerator === 0),
    )
    if (unprovable === undefined) return
    const why =
      unprovable.allowed === null
        ? 'there is no exact proof for a mean, min or max'
        : 'no number of samples proves that nothing lies beyond'
    this.problems.push(
      this.#document.problem(
        'error',
        'cannot-be-proven',
        `\`${unprovable.text}\` takes no \`confidence\`: ${why}`,
        this.#document.keySpan(path, 'confidence'),
        'take it out, or limit a percentile, a rate or a share',
      ),
    )
  }

  /** A limit with `baseline` and the key `baseline` need each other. */
  #checkBaseline(entry: Entry, limits: readonly (Limit | undefined)[], per: Budget['per'], path: Path): void {
    const relative = limits.some(isRelative)
    const error = (code: string, message: string, key: string, hint: string): void => {
      this.problems.push(this.#document.problem('error', code, message, this.#document.keySpan(path, key), hint))
    }
    if (relative && entry['baseline'] === undefined) {
      error('baseline-needed', 'a limit with `baseline` needs to know which', 'limit', 'add `baseline: TARGET`')
    }
    if (!relative && limits[0] !== undefined && entry['baseline'] !== undefined) {
      const hint = `write it in the limit: \`p50 ttft <= baseline + 10%\``
      error('no-effect', '`baseline` has no effect on a limit without it', 'baseline', hint)
    }
    if (!relative) return
    if (per === 'prompt' || per === 'probe') {
      const hint = 'take `per: cell` or `per: target`'
      error('baseline-per', `\`per: ${per}\` pools targets, so none is left to compare`, 'limit', hint)
    }
    if (entry['window'] !== undefined) {
      const hint = 'take it out; `baseline: { history: 30d }` compares with earlier runs'
      error('no-effect', '`window` has no effect on a comparison with a baseline', 'window', hint)
    }
  }

  #floor(text: string | undefined, limits: readonly (Limit | undefined)[], path: Path): number | undefined {
    const limit = limits.find(isRelative)
    const at = [...path, 'floor']
    if (text === undefined || limits[0] === undefined) return undefined
    if (limit === undefined) {
      const span = this.#document.keySpan(path, 'floor')
      this.problems.push(this.#document.problem('error', 'no-effect', '`floor` needs a baseline', span, 'take it out'))
      return undefined
    }
    return this.#value(text, limit, at)
  }

  #acknowledged(
    input: AcknowledgementInput | readonly AcknowledgementInput[],
    limit: Limit,
    path: Path,
  ): Acknowledgement[] {
    const entries = Array.isArray(input) ? input : [input as AcknowledgementInput]
    return (entries as readonly AcknowledgementInput[]).map((entry, index) => {
      const at = [...path, 'acknowledge', ...(Array.isArray(input) ? [index] : [])]
      const upTo = entry.up_to === undefined ? undefined : this.#value(entry.up_to, limit, [...at, 'up_to'])
      const { where, until, reason } = entry
      const { source } = this.#document.place(this.#document.valueSpan([...at, 'until']))
      return { where: whereOf(where), until, reason, upTo: upTo ?? null, source }
    })
  }

  /** A value of a limit's metric; what is none becomes a problem. */
  #value(text: string, limit: Limit, path: Path): number | undefined {
    try {
      return readValue(text, limit)
    } catch (thrown) {
      if (!(thrown instanceof LimitFault)) throw thrown
      const span = this.#document.insideSpan(path, thrown.offset, thrown.length)
      this.problems.push(this.#document.problem('error', thrown.code, thrown.message, span, thrown.hint))
      return undefined
    }
  }

  #needlessKeys(entry: Entry, limit: Limit | undefined, path: Path): void {
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
