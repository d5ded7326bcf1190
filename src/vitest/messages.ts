import type { BudgetFile, CellKey } from '../budget/types.ts'
import type { Sample } from '../sample/types.ts'
import type { Probe, RenderedPrompt } from '../spec/types.ts'
import type { Finding } from '../verdict/types.ts'

/** What crosses the private port between the coordinator and the spec worker. Plain JSON; no secret. */

/** Given to the spec worker's thread when it starts. */
export interface SpecWorkerData {
  /** Project root, for relative paths. */
  readonly root: string
  readonly budgets: BudgetFile
  /** Whether somebody asked for requests; else every test of the probe files is skipped. */
  readonly asked: boolean
  /** Path or URL of the runner's module. */
  readonly runner: string
}

/** A budget's test that was selected. */
export interface SelectedCase extends CellKey {
  readonly budget: string
}

/** One probe of which something was selected. */
export interface SelectedProbe {
  readonly probe: Probe
  /** In declaration order. */
  readonly cells: readonly CellKey[]
  /** Budget tests that will run. */
  readonly cases: readonly SelectedCase[]
}

/** Result of the collecting pass. */
export interface CollectedPlan {
  /** Spec files that were read. */
  readonly files: number
  readonly probes: readonly SelectedProbe[]
  /** `-t`, `.only`, `.skip` or a line filter left tests of a probe out. */
  readonly narrowed: boolean
  /** Spec files that could not be read; nothing is asked then. */
  readonly broken: readonly { readonly file: string; readonly message: string }[]
}

/** What the tests are told of the run. */
export interface RunOutcome {
  readonly samples: readonly Sample[]
  readonly findings: readonly Finding[]
  readonly interrupted: boolean
}

export interface RenderRequest {
  readonly probe: string
  readonly target: string
  readonly prompt: string
  readonly round: number
  readonly nonce: string
  readonly seed: number
}

/** Main thread → spec worker. */
export type ToSpecWorker =
  | { readonly type: 'render'; readonly id: number; readonly request: RenderRequest }
  | { readonly type: 'outcome'; readonly outcome: RunOutcome }
  | { readonly type: 'refused'; readonly message: string }

/** Spec worker → main thread. */
export type FromSpecWorker =
  | { readonly type: 'plan'; readonly plan: CollectedPlan }
  /** A test of the second pass belongs to no cell of the first one. */
  | { readonly type: 'stray' }
  | { readonly type: 'rendered'; readonly id: number; readonly prompt: RenderedPrompt }
  | { readonly type: 'render-failed'; readonly id: number; readonly message: string; readonly hint: string | null }
