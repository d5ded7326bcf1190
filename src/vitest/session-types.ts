import type { Clock } from '../clock.ts'
import type { RenderedPrompt, RunEnvironment } from '../spec/index.ts'
import type { Note, RunReport } from '../report/types.ts'
import type { CollectedPlan, RenderRequest, RunOutcome } from './messages.ts'
import type { LoadedBudgets } from './preflight.ts'
import type { ProgressPrinter } from './progress-printer.ts'

/** What a session is given by the plugin. */
export interface SessionOptions {
  readonly budgets: LoadedBudgets
  readonly environment: RunEnvironment
  /** Absolute. */
  readonly outDir: string
  readonly fresh: boolean
  /** Milliseconds; `null`: the larger of 1 h and 2 × `every`. */
  readonly resumeWithinMs: number | null
  readonly maxCost: number | null
  readonly junit: { readonly strict?: boolean | undefined }
  /** A file filter or `--shard` left spec files out. */
  readonly narrowed: boolean
  /** `--shard`: others ask what this run does not. */
  readonly sharded: boolean
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly versions: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly printer: ProgressPrinter
  /** Renders a prompt in the spec worker; rejects where the prompt's function throws. */
  readonly render: (request: RenderRequest) => Promise<RenderedPrompt>
}

/** Why a run ended before its schedule did. */
export type StopReason =
  | 'decided'
  | 'interrupted'
  | 'max-cost'
  | 'cannot-heal'
  | 'write-failed'
  | 'prober-died'
  | 'no-credential'
  | 'prompt-failed'
  | 'worker-died'

/** What came of a session. */
export type SessionResult =
  | { readonly kind: 'refused'; readonly message: string }
  | {
      readonly kind: 'done'
      readonly outcome: RunOutcome
      readonly report: RunReport
      readonly reason: StopReason | null
      readonly written: readonly string[]
      readonly failed: readonly { readonly file: string; readonly message: string }[]
      /** The gate itself is broken (2), or the run was interrupted (130). */
      readonly exit: 0 | 2 | 130
    }

/** A running session. */
export interface Session {
  run(plan: CollectedPlan): Promise<SessionResult>
  /** Ends the sampling as soon as possible: the request in flight is cut. */
  stop(reason: StopReason): void
}

export type SessionNote = Note
