import type { CellKey } from './types.ts'

/** A list in a sentence never gets longer than this. */
const MOST_NAMES = 6

/** `a`, `b` and `c`; a long list ends in `and 9 more`. */
export function nameList(names: readonly string[]): string {
  const shown = names.length > MOST_NAMES ? names.slice(0, MOST_NAMES - 1) : names
  const rest = names.length - shown.length
  const parts = rest > 0 ? [...shown, `${rest} more`] : shown
  const last = parts.at(-1) ?? ''
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`
}

/** One key per cell, for maps. */
export function cellId(cell: CellKey): string {
  return JSON.stringify([cell.probe, cell.target, cell.prompt])
}

/** A cell or a pool for people: `serverless › glm-5.3 › short`, pooled parts left out. */
export function cellName(cell: CellKey): string {
  return [cell.probe, cell.target, cell.prompt].filter((part, index) => index === 0 || part !== 'all').join(' › ')
}

/** Some of all cells for people: `every cell`, else whole targets by their name, then single cells. */
export function cellsName(some: readonly CellKey[], all: readonly CellKey[]): string {
  if (some.length === all.length)
    return all.length === 1 ? cellName(some[0] ?? all[0] ?? ANY) : `every cell (${all.length})`
  const ids = new Set(some.map(cellId))
  const names = new Set<string>()
  for (const cell of some) {
    const siblings = all.filter((each) => each.probe === cell.probe && each.target === cell.target)
    const whole = siblings.length > 1 && siblings.every((each) => ids.has(cellId(each)))
    names.add(cellName(whole ? { ...cell, prompt: 'all' } : cell))
  }
  return nameList([...names])
}

const ANY: CellKey = { probe: 'all', target: 'all', prompt: 'all' }
