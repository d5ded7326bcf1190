import type { Unit } from '../budget/types.ts'
import type { Advice, Finding, Verdict } from '../verdict/types.ts'

/** Everything that a renderer draws; written to `report.json` as it is. */
export interface RunReport {
  readonly version: 1
  readonly run: RunSummary
  /** One per budget × cell, in the order of `slo.yaml`. */
  readonly findings: readonly Finding[]
  readonly cells: readonly CellSummary[]
  readonly notes: readonly Note[]
  /** The study's tables, one entry a target. */
  readonly study?: readonly StudyTarget[]
  /** Where the file holds earlier runs: each budget over the nights. */
  readonly history?: readonly BudgetHistory[]
  /** Timeouts and a retry, for each target and prompt, and for all prompts of a target. */
  readonly advice?: readonly Advice[]
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
  /** There where `stop_early` ended it: every verdict was certain, so it is complete. */
  readonly stoppedEarly?: true
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

/** A block of the day in the run's zone. */
export interface StudyBlock {
  readonly fromHour: number
  readonly toHour: number
  readonly n: number
  readonly failed: number
  /** Milliseconds. */
  readonly ttftP50: number | null
}

/** One prompt of a target; times in milliseconds. */
export interface StudyPrompt {
  readonly prompt: string
  /** Successes. */
  readonly ok: number
  readonly promptTokensP50: number | null
  readonly ttftP50: number | null
  readonly firstAnswerP50: number | null
  readonly firstAnswerP95: number | null
  /** Successes that ended at the token cap. */
  readonly capped: number
  /** Successes without one token of an answer. */
  readonly neverAnswered: number
  /** Successes whose first token was reasoning. */
  readonly reasoned: number
}

/** What one region saw of a target, over all prompts; milliseconds. */
export interface StudyRegion {
  /** `''`: the samples name none. */
  readonly region: string
  readonly n: number
  readonly failed: number
  readonly ttftP50: number | null
  readonly ttftP95: number | null
  readonly ttftP99: number | null
}

/** What the study tells of one target beside the headline; counts are of successes. */
export interface StudyTarget {
  readonly probe: string
  readonly target: string
  readonly ok: number
  readonly prompts: readonly StudyPrompt[]
  /** Milliseconds of median TTFT per 1,000 more prompt tokens; `null` for one prompt length. */
  readonly msPerThousandTokens: number | null
  readonly blocks: readonly StudyBlock[]
  /** In the order of their names; absent where all samples come from one. */
  readonly regions?: readonly StudyRegion[]
  /** A ratio: (slowest block's median TTFT − fastest's) / fastest's. */
  readonly largestShift: number | null
  readonly tail: {
    readonly ttftOver10s: number
    readonly ttftOver30s: number
    readonly ttftOver60s: number
    readonly totalOver30s: number
    readonly totalOver60s: number
    readonly slowestTtft: number | null
    readonly slowestTotal: number | null
  }
  readonly tokensPerEventP50: number | null
  /** Pearson's r of tokens per event and decode speed. */
  readonly speedCorrelation: number | null
}

/** One budget on one cell or pool over the runs of a file, oldest first. */
export interface BudgetHistory {
  readonly budget: string
  readonly probe: string
  readonly target: string
  readonly prompt: string
  readonly text: string
  readonly unit: Unit
  readonly limit: number
  readonly currency: string | null
  readonly nights: readonly Night[]
  /** Where the level changed (Pettitt's test at 1 %, from ten nights on); `null`: it did not, as far as can be told. */
  readonly change: LevelChange | null
}

/** One run, judged by itself. */
export interface Night {
  readonly run: string
  readonly startedAt: string
  readonly value: number | null
  /** The value is a lower bound only: shown as `≥ 240 s`. */
  readonly valueIsBound?: true
  readonly verdict: Verdict
  readonly n: number
}

/** The first night of a new level, and the medians on both sides. */
export interface LevelChange {
  readonly run: string
  readonly startedAt: string
  readonly before: number
  readonly after: number
  readonly p: number
}
