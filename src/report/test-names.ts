import { createHash } from 'node:crypto'

type Cell = { readonly probe: string; readonly target: string; readonly prompt: string }

function slug(name: string): string {
  return name.replace(/[^\p{L}\p{N}_-]+/gu, '-') || '-'
}

const keyOf = (cell: Cell): string => JSON.stringify([cell.probe, cell.target, cell.prompt])

/**
 * `slo.<probe>.<target>.<prompt>`, each part slugged, for every cell or pool given. Two cells that slug alike are told apart by a
 * hash of their names, not by their order, so that histories line up from night to night.
 * @returns a function from a cell to its class name
 */
export function classNames(cells: readonly Cell[]): (cell: Cell) => string {
  const plain = (cell: Cell): string => `slo.${slug(cell.probe)}.${slug(cell.target)}.${slug(cell.prompt)}`
  const sharers = new Map<string, Set<string>>()
  for (const cell of cells) {
    const name = plain(cell)
    sharers.set(name, (sharers.get(name) ?? new Set()).add(keyOf(cell)))
  }
  return (cell) => {
    const name = plain(cell)
    const isItself = `slo.${cell.probe}.${cell.target}.${cell.prompt}` === name
    if (isItself || (sharers.get(name)?.size ?? 0) < 2) return name
    return `${name}-${createHash('sha256').update(keyOf(cell)).digest('hex').slice(0, 8)}`
  }
}

/** Makes names unique: the second `name` of a scope becomes `name (2)`. */
export function uniqueNames(): (scope: string, name: string) => string {
  const taken = new Set<string>()
  return (scope, name) => {
    let unique = name
    for (let count = 2; taken.has(`${scope}\n${unique}`); count += 1) unique = `${name} (${count})`
    taken.add(`${scope}\n${unique}`)
    return unique
  }
}
