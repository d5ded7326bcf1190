import { WHERE_KEYS } from './glob.ts'
import type { Where } from './types.ts'

/** `target: glm-*, prompt: long|short`; empty where nothing is named. */
function printWhere(where: Where): string {
  return WHERE_KEYS.flatMap((key) => {
    const globs = where[key]
    return globs === undefined ? [] : [`${key}: ${globs.join('|')}`]
  }).join(', ')
}

/**
 * The id of a budget without one: the limit; where that is taken, the limit and `where`; where that is taken too, a counter.
 * So an id stays when budgets are added behind it.
 */
export function derivedId(limitText: string, where: Where, taken: ReadonlySet<string>): string {
  if (!taken.has(limitText)) return limitText
  const named = printWhere(where)
  const long = named === '' ? limitText : `${limitText} (${named})`
  if (!taken.has(long)) return long
  let count = 2
  while (taken.has(`${long} #${count}`)) count += 1
  return `${long} #${count}`
}
