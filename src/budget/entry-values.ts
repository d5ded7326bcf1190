import { durationMs } from '../units.ts'
import { WHERE_KEYS } from './glob.ts'
import type { WhereInput } from './structure.ts'
import type { BaselineInput, WindowInput } from './structure-history.ts'
import type { Baseline, BudgetWindow, Where } from './types.ts'

/** Values of an entry of `budgets:` as they are kept. */

/** A value of YAML that is a map. */
export type Entry = Readonly<Record<string, unknown>>

/** A value as a map; anything else is an empty one. */
export function record(value: unknown): Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

/** A value as a list; anything else is an empty one. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** One glob or a list of them, as a list. */
function globList(value: unknown): readonly string[] | undefined {
  return typeof value === 'string'
    ? [value]
    : Array.isArray(value)
      ? value.filter((item) => typeof item === 'string')
      : undefined
}

export function whereOf(input: WhereInput | undefined): Where {
  const entries = WHERE_KEYS.flatMap((key) => {
    const globs = globList(input?.[key])
    return globs === undefined ? [] : [[key, globs] as const]
  })
  return Object.fromEntries(entries)
}

export function windowOf(input: WindowInput | undefined): BudgetWindow | null {
  if (input === undefined) return null
  const { for: text, same = [] } = typeof input === 'string' ? { for: input } : input
  return { forMs: durationMs(text) ?? 0, same }
}

export function baselineOf(input: BaselineInput | undefined): Baseline | null {
  if (input === undefined) return null
  if (typeof input === 'string') return { kind: 'target', target: input }
  if ('target' in input) return { kind: 'target', target: input.target }
  if ('file' in input) return { kind: 'file', file: input.file }
  return { kind: 'history', forMs: durationMs(input.history) ?? 0 }
}
