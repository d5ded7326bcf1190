import { nameList } from './cell-names.ts'
import { cellMatches, globMatches, positiveGlob, WHERE_KEYS } from './glob.ts'
import { nearestWord } from './nearest-word.ts'
import type { Budget, BudgetFile, BudgetOverride, BudgetProblem, CellKey, CheckContext, GlobPlace } from './types.ts'

/** The existing name that a glob was probably meant to match: stars are held against the beginning of a name. */
function nearestName(glob: string, names: readonly string[]): string | undefined {
  const [literal = ''] = positiveGlob(glob).split(/[*?{]/)
  if (literal === positiveGlob(glob)) return nearestWord(literal, names)
  const beginnings = names.map((name) => name.slice(0, literal.length))
  const nearest = nearestWord(literal, beginnings)
  return nearest === undefined ? undefined : names[beginnings.indexOf(nearest)]
}

function placesOf(entry: Budget | BudgetOverride): readonly GlobPlace[] {
  const { globPlaces, where, source, sourceLength } = entry
  return (
    globPlaces ??
    WHERE_KEYS.flatMap((key) => (where[key] ?? []).map((glob) => ({ key, glob, source, length: sourceLength ?? 1 })))
  )
}

function unmatchedGlob(place: GlobPlace, cells: readonly CellKey[]): BudgetProblem | undefined {
  const names = [...new Set(cells.map((cell) => cell[place.key]))]
  if (names.some((name) => globMatches(positiveGlob(place.glob), name))) return undefined
  const nearest = nearestName(place.glob, names)
  const list = `${place.key}s are ${nameList(names)}`
  return {
    level: 'error',
    code: 'glob-matches-nothing',
    message: `no ${place.key} matches \`${place.glob}\``,
    hint: nearest === undefined ? list : `did you mean \`${nearest}\`? ${list}`,
    source: place.source,
    length: place.length,
  }
}

/** Globs of one `where` without a name, else the `where` as a whole without a cell. */
function whereProblems(
  entry: Budget | BudgetOverride,
  all: readonly CellKey[],
  within: readonly CellKey[],
): BudgetProblem[] {
  const places = placesOf(entry)
  const unmatched = places.map((place) => unmatchedGlob(place, all)).filter((problem) => problem !== undefined)
  if (unmatched.length > 0 || within.some((cell) => cellMatches(entry.where, cell))) return unmatched
  const first = places[0]
  return [
    {
      level: 'error',
      code: 'where-matches-nothing',
      message:
        within.length < all.length
          ? 'no cell of this budget matches the `where` of its override'
          : 'no cell matches this `where`, though each of its globs matches some name',
      hint: 'vitest-slo plan lists the cells',
      source: first?.source ?? entry.source,
      length: first?.length ?? entry.sourceLength ?? 1,
    },
  ]
}

/** In a narrowed run it is no wonder that a glob finds nothing: one note for all of them. */
function asNote(problems: readonly BudgetProblem[]): BudgetProblem[] {
  const [first] = problems
  if (first === undefined) return []
  const lines = [...new Set(problems.map((problem) => problem.source?.line))].map(String)
  return [
    {
      ...first,
      level: 'note',
      message: `nothing that is judged here matches the \`where\` in line${lines.length === 1 ? '' : 's'} ${nameList(lines)}`,
      hint: 'a whole run must find something there',
    },
  ]
}

/** Every glob must match a name, and every `where` a cell. */
export function checkWhere(file: BudgetFile, context: CheckContext): BudgetProblem[] {
  const { cells, narrowed } = context
  if (cells.length === 0) return []
  const problems = file.budgets.flatMap((budget) => {
    const own = whereProblems(budget, cells, cells)
    const within = cells.filter((cell) => cellMatches(budget.where, cell))
    if (within.length === 0) return own
    return [...own, ...budget.overrides.flatMap((override) => whereProblems(override, cells, within))]
  })
  const unread = (file.unreadGlobs ?? [])
    .map((place) => unmatchedGlob(place, cells))
    .filter((each) => each !== undefined)
  return narrowed ? asNote([...problems, ...unread]) : [...problems, ...unread]
}
