import { matchesGlob } from 'node:path'

/** What decides whether probes may ask. */
export interface AskedQuestion {
  /** `SLO_RUN=1`. */
  readonly run: boolean
  readonly watch: boolean
  readonly projectName: string
  /** `--project`. */
  readonly projectFilters: readonly string[]
  /** Words of the command line. */
  readonly fileFilters: readonly string[]
}

/**
 * Probes ask only when asked to: `SLO_RUN=1`, `--project slo`, or a filter that names a `*.probe.*` file. Watch mode asks
 * with `SLO_RUN=1` alone, so that no save of a file spends money.
 */
export function isAsked(question: AskedQuestion): boolean {
  const { run, watch, projectName, projectFilters, fileFilters } = question
  if (run) return true
  if (watch) return false
  const named = projectFilters.some(
    (filter) => !filter.startsWith('!') && filter.replace(/\*/g, '') !== '' && matchesGlob(projectName, filter),
  )
  return named || fileFilters.some((filter) => /\.probe(?:\.|:|$)/.test(filter))
}
