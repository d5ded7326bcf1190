import type { Vitest } from 'vitest/node'

/** The parts of Vitest that we read and that its types keep to themselves (present in 5.1.2). */
export interface VitestInternals {
  /** File filters of the command line. */
  readonly filenamePattern?: readonly string[] | undefined
}

export function internals(vitest: Vitest): VitestInternals {
  return vitest as unknown as VitestInternals
}
