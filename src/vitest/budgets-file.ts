import { existsSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { emptyBudgetFile, parseBudgets } from '../budget/index.ts'
import type { BudgetProblem } from '../budget/types.ts'
import { messageOf } from '../errors.ts'
import type { LoadedBudgets } from './preflight.ts'

const DEFAULT_FILE = 'slo.yaml'
/** Somebody meant the default file. */
const NEAR_MISSES = ['slo.yml', 'slo.yaml.txt', '.slo.yaml', 'SLO.yaml'] as const

function unreadable(file: string, dir: string, problem: Omit<BudgetProblem, 'source'>): LoadedBudgets {
  return { text: '', dir, parsed: { file: emptyBudgetFile(file), problems: [{ ...problem, source: null }] } }
}

/**
 * Reads and parses the budgets' file. A file that was asked for and is not there is an error; without any, nothing is
 * judged but the spec's own tests, and a note says so.
 * @param asked - path of `SLO_BUDGETS` or of the plugin's option; `null` for the default
 */
export function loadBudgets(root: string, asked: string | null): LoadedBudgets {
  const path = resolve(root, asked ?? DEFAULT_FILE)
  const shown = relative(root, path).startsWith('..') ? path : relative(root, path)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path))
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    const other = missing && asked === null ? NEAR_MISSES.find((name) => existsSync(resolve(root, name))) : undefined
    if (other !== undefined) {
      const message = `there is ${other}, and no ${DEFAULT_FILE}: rename it, or name it: slo({ budgets: '${other}' })`
      return unreadable(shown, dirname(path), { level: 'error', code: 'budgets-misnamed', message })
    }
    if (missing && asked === null) {
      const message = `there is no ${shown}: nothing is judged but the tests of the spec files`
      return unreadable(shown, dirname(path), { level: 'note', code: 'no-budgets', message })
    }
    return unreadable(shown, dirname(path), {
      level: 'error',
      code: 'budgets-unreadable',
      message: `cannot read ${path}: ${messageOf(error)}`,
    })
  }
  return { text, dir: dirname(path), parsed: parseBudgets(text, shown) }
}
