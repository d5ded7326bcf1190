import type { Sample } from '../sample/types.ts'
import { isDecided } from '../verdict/index.ts'
import type { RunMaterial } from './judge-input.ts'
import { judgeInput } from './judge-input.ts'
import { cellsOf, inCell, isAborted, selectedCases } from './selected.ts'

/** After a check that came to nothing this share of new samples must come first: a check judges everything several times. */
const GROWTH = 1.02

/**
 * Tells after each sample whether the run may end: `stop_early` is set, and no missing request can change a verdict.
 * @returns `null` where it never may: not asked for, or the clock ends the run
 */
export function createEarlyEnd(material: RunMaterial): ((samples: readonly Sample[]) => boolean) | null {
  const { options, probes, start } = material
  const { file } = options.budgets.parsed
  if (file.stopEarly !== true || start.cells.some(({ planned }) => planned === null)) return null
  const cases = selectedCases(file, probes)
  const cells = cellsOf(probes)
  let nextCheck = cells.length
  return (all) => {
    if (all.length < nextCheck) return false
    nextCheck = Math.max(all.length + cells.length, Math.ceil(all.length * GROWTH))
    const samples = all.filter((sample) => !isAborted(sample))
    const missing = start.cells.map((cell) => ({
      ...cell,
      count: Math.max(0, (cell.planned ?? 0) - samples.filter((sample) => inCell(sample, cell)).length),
    }))
    if (missing.every(({ count }) => count === 0)) return false
    return isDecided(cases, judgeInput(material, samples, false), missing)
  }
}
