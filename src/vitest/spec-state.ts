import type { RunnerTestFile } from 'vitest'
import { SloError } from '../errors.ts'
import type { DefinedProbe } from '../spec/index.ts'
import type { RunOutcome, SpecWorkerData } from './messages.ts'

/**
 * What the spec worker's thread knows. It lives on `globalThis`, since the worker's entry and a spec's import of the
 * package may be two instances of the same module.
 */
export interface SpecState {
  readonly data: SpecWorkerData
  phase: 'collect' | 'run'
  /** The file that is being evaluated, absolute. */
  file: string
  /** Probes of this pass by name. */
  probes: Map<string, DefinedProbe>
  /** The trees that the collecting pass found. */
  readonly files: RunnerTestFile[]
  /** Set before the second pass; one of the two. */
  outcome: RunOutcome | undefined
  refusal: string | undefined
  /** Spec files that failed in the collecting pass, relative to the root. */
  broken: ReadonlySet<string>
  /** Tells the coordinator of a test whose cell the collecting pass did not have. */
  stray: () => void
  /** A test function is running: samples may be read. */
  inTest: boolean
}

const KEY = Symbol.for('vitest-slo.spec-state')
const holder = globalThis as { [KEY]?: SpecState }

/** Called once by the worker's entry. */
export function createSpecState(data: SpecWorkerData): SpecState {
  const state: SpecState = {
    data,
    phase: 'collect',
    file: '',
    probes: new Map(),
    files: [],
    outcome: undefined,
    refusal: undefined,
    broken: new Set(),
    stray: () => undefined,
    inTest: false,
  }
  holder[KEY] = state
  return state
}

/**
 * The state of this thread.
 * @throws SloError `CONFIG_INVALID` outside the probe pool
 */
export function specState(): SpecState {
  const state = holder[KEY]
  if (state !== undefined) return state
  throw new SloError('CONFIG_INVALID', 'probe() was called outside the probe pool', {
    hint: "add slo() of 'vitest-slo/config' to the plugins of vitest.config.ts, and keep probes in files that its `include` matches (**/*.probe.ts)",
  })
}
