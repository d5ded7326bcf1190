/** Edits between two words, a swap of neighbours counting one (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1
      let least = Math.min((last[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + same)
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        least = Math.min(least, (before[column - 2] ?? 0) + 1)
      }
      next.push(least)
    }
    before = last
    last = next
  }
  return last[b.length] ?? 0
}

/** Case and separators are the commonest slips: `firstAnswer`, `min-samples`. */
function bare(word: string): string {
  return word.toLowerCase().replace(/[-_ ]/g, '')
}

/**
 * The candidate that `word` was probably meant to be: at most a third of its letters away, else one that contains it or
 * is contained in it. `undefined` where nothing is near. Ties go to the earlier candidate.
 */
export function nearestWord(word: string, candidates: readonly string[]): string | undefined {
  const wanted = bare(word)
  if (wanted === '') return undefined
  let best: string | undefined
  let least = Math.max(1, Math.floor(Math.max(wanted.length, 3) / 3)) + 1
  for (const candidate of candidates) {
    const edits = distance(wanted, bare(candidate))
    if (edits < least) {
      best = candidate
      least = edits
    }
  }
  if (best !== undefined || wanted.length < 3) return best
  return candidates.find((candidate) => {
    const other = bare(candidate)
    return other.includes(wanted) || (other.length >= 3 && wanted.includes(other))
  })
}
