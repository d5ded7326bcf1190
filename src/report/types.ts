import type { Finding } from '../verdict/types.ts'

/** Everything that a renderer draws; written to `report.json` as it is. */
export interface RunReport {
  readonly version: 1
  readonly run: RunSummary
  /** One per budget × cell, in the order of `slo.yaml`. */
  readonly findings: readonly Finding[]
  readonly cells: readonly CellSummary[]
  readonly notes: readonly Note[]
}

export interface RunSummary {
  readonly id: string
  /** UTC, ISO 8601. */
  readonly startedAt: string
  readonly endedAt: string
  readonly planned: number | null
  readonly sampled: number
  readonly missedRounds: number | null
  /** `null`: judged from a CSV alone, nobody can know; so is `interrupted`. */
  readonly complete: boolean | null
  readonly interrupted: boolean | null
  readonly simulated: boolean
  /** Largest and smallest time scale of the run's samples are the same number, as a rule; absent for real runs. */
  readonly timeScale?: number
  /** IANA zone for blocks of the day. */
  readonly timezone: string
}

/** The headline table's numbers of one cell. Times in milliseconds, cost in `currency`. */
export interface CellSummary {
  readonly probe: string
  readonly target: string
  readonly prompt: string
  /** Samples, failed ones included, aborted ones not. */
  readonly n: number
  readonly failed: number
  /** Some of its samples came from the built-in simulator; absent where none did. */
  readonly simulated?: true
  readonly ttft: { readonly p50: number | null; readonly p95: number | null; readonly p99: number | null }
  readonly firstAnswer: { readonly p50: number | null; readonly p95: number | null }
  readonly decodeTps: { readonly p5: number | null; readonly p50: number | null }
  readonly promptTokensP50: number | null
  readonly completionTokensP50: number | null
  /** By kind; `http_status` split by status. */
  readonly errors: Readonly<Record<string, number>>
  readonly cost: number | null
  readonly currency: string | null
}

/** Something a reader should know: served model changed, missed rounds, a run cut short … */
export interface Note {
  readonly code: string
  readonly message: string
  readonly probe?: string
  readonly target?: string
  readonly prompt?: string
}
