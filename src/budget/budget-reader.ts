import { durationMs } from '../units.ts'
import { KEPT_APART } from './cases.ts'
import type { BudgetDocument } from './document.ts'
import { baselineOf, list, record, whereOf, windowOf } from './entry-values.ts'
import type { Entry } from './entry-values.ts'
import { WHERE_KEYS } from './glob.ts'
import { isRelative, keyConflicts } from './key-conflicts.ts'
import { LimitFault } from './limit-fault.ts'
import { readLimit } from './limit-reader.ts'
import { readValue } from './limit.ts'
import { soundKeys } from './sound-keys.ts'
import { budgetShape, confidenceOf, overrideShape } from './structure.ts'
import type { AcknowledgementInput } from './structure-history.ts'
import type {
  Acknowledgement,
  Budget,
  BudgetDefaults,
  BudgetOverride,
  BudgetProblem,
  GlobPlace,
  Limit,
} from './types.ts'

type Path = readonly PropertyKey[]

const DEFAULT_STALL_OVER_MS = 5000

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
    const limits = [limit, ...overrides.map((each) => each.limit)]
    this.problems.push(...keyConflicts(this.#document, { entry, path, limits, per }))
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
}
