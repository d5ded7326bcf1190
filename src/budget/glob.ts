import type { CellKey, Where } from './types.ts'

/** The keys of a `where`, in the order of a cell's name. */
export const WHERE_KEYS = ['probe', 'target', 'prompt'] as const
export type WhereKey = (typeof WHERE_KEYS)[number]

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

function alternatives(body: string): string {
  return `(?:${body.split(',').map(pattern).join('|')})`
}

/** `*`: any characters, a slash too; `?`: one; `{a,b}`: either; anything else is itself. */
function pattern(glob: string): string {
  return glob.replace(/\{([^{}]*,[^{}]*)\}|\*+|\?|[^{*?]+|\{/g, (part, body: string | undefined) => {
    if (body !== undefined) return alternatives(body)
    if (part.startsWith('*')) return '.*'
    return part === '?' ? '.' : escaped(part)
  })
}

/** Whether a name matches one glob without its `!`. Case counts. */
export function globMatches(glob: string, name: string): boolean {
  return new RegExp(`^${pattern(glob)}$`, 'su').test(name)
}

/** The glob of an entry of a `where`, without its `!`. */
export function positiveGlob(glob: string): string {
  return glob.startsWith('!') ? glob.slice(1) : glob
}

function nameMatches(globs: readonly string[], name: string): boolean {
  const positive = globs.filter((glob) => !glob.startsWith('!'))
  const negative = globs.filter((glob) => glob.startsWith('!'))
  return (
    (positive.length === 0 || positive.some((glob) => globMatches(glob, name))) &&
    !negative.some((glob) => globMatches(positiveGlob(glob), name))
  )
}

/** Whether a `where` picks the cell: on each key that it names, some glob matches (or only `!` ones are given) and no `!` glob does. */
export function cellMatches(where: Where, cell: CellKey): boolean {
  return WHERE_KEYS.every((key) => {
    const globs = where[key]
    return globs === undefined || nameMatches(globs, cell[key])
  })
}
