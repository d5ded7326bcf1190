import { createHash } from 'node:crypto'

import type { CellKey } from '../budget/types.ts'
import type { Probe } from '../spec/types.ts'

/** Everything that makes two runs the same run. */
export interface HashedPlan {
  /** As they will run: overrides and simulated twins already in place. */
  readonly probes: readonly Probe[]
  /** The selected cells. */
  readonly cells: readonly CellKey[]
  /** `SLO_ROUNDS` and the like, as set. */
  readonly overrides?: Readonly<Record<string, string>>
}

/** JSON whose object keys are sorted and whose undefined fields are gone: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`)
  return `{${fields.sort().join(',')}}`
}

/**
 * 16 hex digits of SHA-256 over the probes (targets with URL, model and body or profile and time scale, prompts by their fingerprints,
 * schedule, timeouts, labels) and the selected cells. The order in which any of them was declared does not matter, nor do the
 * names of spec files; budgets are no part of it.
 */
export function planHash(plan: HashedPlan): string {
  const probes = plan.probes.map(({ file: _file, targets, prompts, ...probe }) =>
    canonicalJson({
      ...probe,
      targets: targets.map((target) => canonicalJson(target)).sort(),
      prompts: prompts.map((prompt) => canonicalJson(prompt)).sort(),
    }),
  )
  const cells = plan.cells.map((cell) => canonicalJson([cell.probe, cell.target, cell.prompt]))
  const text = canonicalJson({ probes: probes.sort(), cells: cells.sort(), overrides: plan.overrides ?? {} })
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
