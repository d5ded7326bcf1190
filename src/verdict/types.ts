import type { CellKey, Operator, Severity, OnInconclusive, SourcePlace, Unit } from '../budget/types.ts'
import type { Sample } from '../sample/types.ts'
import type { Clumps } from './clumps.ts'

export type { Clumps } from './clumps.ts'

export type Verdict = 'pass' | 'fail' | 'inconclusive'

/** What there is to judge. */
export interface JudgeInput {
  /** In any order; those of other cells and aborted ones count nowhere. */
  readonly samples: readonly Sample[]
  /**
   * Samples of earlier runs, for windows; those of runs that stopped early are not among them. In any order; aborted ones and those of other
   * cells and models count nowhere.
   */
  readonly earlier?: readonly Sample[]
  /**
   * Runs to compare with, for `baseline: { file }` and `{ history }` (file `null`): passing runs only. Whole runs; a night is a run.
   */
  readonly baselines?: readonly { readonly file: string | null; readonly samples: readonly Sample[] }[]
  /** Cells that a filter, a shard or an interruption left out, wholly or partly. */
  readonly incomplete: readonly CellKey[]
  readonly interrupted: boolean
  /** IANA zone of days in acknowledgements. @default 'UTC' */
  readonly timezone?: string
  /** Where a price is given. */
  readonly currencies: readonly { readonly probe: string; readonly target: string; readonly currency: string }[]
}

/** What exact binomial bounds say; `null` in a finding on mean, min or max. */
export interface Evidence {
  readonly proven: 'pass' | 'fail' | null
  /** 0.95, unless the budget asks for another. */
  readonly confidence: number
  /** Where the value passes and nothing is proven: how many more clean samples a proof needs. */
  readonly samplesMissing: number | null
  /** There where exceedances clump by hour: n and K were divided by the design effect. */
  readonly clumps?: Clumps
}

/** One of the samples that a person would look at first. */
export interface WorstSample extends CellKey {
  readonly seq: number
  readonly started_at: string
  /** In the finding's unit; `null` where it failed without a number, and for rates and shares. */
  readonly value: number | null
  /** `value` (or `measured`) is where one of our timeouts cut it off. */
  readonly censored: boolean
  readonly error_kind: string | null
  readonly request_id: string | null
  /** For a share or `stall_rate`: the number that counted, in its own unit. */
  readonly measured?: { readonly value: number; readonly unit: Unit }
}

/** The comparison of a relative limit. Ratios are candidate by baseline. */
export interface Comparison {
  readonly kind: 'target' | 'file' | 'history'
  /** Target, file, or `'history'`. */
  readonly baseline: string
  /** `baseline + 10%`. */
  readonly margin: string
  /** The baseline's statistic in the finding's unit (of nights: their median); `null`: there is none yet. */
  readonly baselineValue: number | null
  /** Upper end of the worsening that the samples leave possible, as a ratio (an amount for an additive margin); `null` for nights. */
  readonly bound: number | null
  /** Of a regression beyond the margin, before and after Holm; `null` where nothing was tested. */
  readonly pValue: number | null
  readonly pAdjusted: number | null
  /** How many comparisons of the run share the level. */
  readonly comparisons: number
  /** Paired rounds, or nights of the baseline. */
  readonly pairs: number
}

/** What became of an acknowledgement of a breach. */
export interface Acknowledged {
  /** `holds`: the breach only warns. `exceeded`: the value is beyond `upTo`. `expired`: its last day is over. */
  readonly state: 'holds' | 'exceeded' | 'expired'
  readonly until: string
  readonly reason: string
  readonly upTo: number | null
  readonly source: SourcePlace
}

/** What a `window` added. */
export interface PooledWindow {
  /** Runs whose samples were pooled, this one included. */
  readonly runs: number
  /** Samples of earlier runs among `samples`, failed ones included. */
  readonly earlierSamples: number
  /** UTC, ISO 8601: how far back the window goes. */
  readonly since: string
}

/** One budget on one cell or pool, judged. The fields up to `message` are those of `report.json`'s contract. */
export interface Finding {
  readonly budget: string
  readonly probe: string
  /** `'all'` where the budget pools. */
  readonly target: string
  readonly prompt: string
  readonly verdict: Verdict
  readonly severity: Severity
  readonly metric: string
  /** `'p99'` …, `'mean'`, `'min'`, `'max'`, `'rate'`, `'share'`. */
  readonly statistic: string
  readonly threshold: { readonly operator: string; readonly value: number; readonly unit: string } | null
  readonly operator: Operator
  readonly limit: number
  readonly value: number | null
  readonly unit: Unit
  readonly n: number
  /** K: samples beyond the limit, censored ones included. */
  readonly beyond: number
  readonly failed: number
  readonly censored: number
  readonly evidence: Evidence | null
  readonly source: SourcePlace
  /** One sentence for people: what was asked, what was found, on how many samples, what that proves. */
  readonly message: string
  /** What an inconclusive verdict does to the test. */
  readonly onInconclusive: OnInconclusive
  /** The limit as written, canonical: `p99 ttft < 10s`. */
  readonly text: string
  /** Why it is inconclusive; absent otherwise. */
  readonly reason?:
    | 'no-samples'
    | 'too-few-samples'
    /** Cells were not selected: by a filter, a shard. */
    | 'partial-selection'
    /** The run ended before its schedule did. */
    | 'ended-early'
    | 'censored'
    | 'client-delay'
    | 'not-proven'
    | 'no-baseline'
    | 'not-significant'
  /** The value is a lower bound only: shown as `≥ 240 s`. */
  readonly valueIsBound: boolean
  /** The five worst, worst first. */
  readonly worst: readonly WorstSample[]
  /** Failed samples of the pool by kind; `http_status` split by status, as `http_status 529`. */
  readonly failures: Readonly<Record<string, number>>
  readonly currency: string | null
  /** A selected cell without any sample though nobody interrupted the run: the gate is broken. */
  readonly broken: boolean
  /** There where the budget has a window. */
  readonly window?: PooledWindow
  /** There where the limit is relative to a baseline; `limit` is then what that came to, 0 where there is no baseline. */
  readonly comparison?: Comparison
  /** There where `fail_after` counts: `severity` is `warn` while `night` is below `of`. */
  readonly failAfter?: { readonly night: number; readonly of: number }
  /** There where the breach is acknowledged; `severity` (and `onInconclusive`) only warn while it holds. */
  readonly acknowledged?: Acknowledged
}

/** What a user of a cell would see, with a given policy. Times in milliseconds of the provider's time. */
export interface ServiceLevel {
  /** Time until the first token that counts, waits for failed attempts included; `null` where too few requests come to one. */
  readonly ttftP50: number | null
  readonly ttftP95: number | null
  readonly ttftP99: number | null
  /** The same until the end of the answer. */
  readonly totalP99: number | null
  /** Of requests that get an answer in the end, from 0 to 1. */
  readonly successRate: number
  /** Longest wait until the first token, or until giving up. */
  readonly worstWaitMs: number
}

/** What the samples say about timeouts and one retry, for one target and prompt (or all prompts of a target). Plain JSON. */
export interface Advice {
  readonly probe: string
  readonly target: string
  /** `'all'`: the prompts of the target together. */
  readonly prompt: string
  /** Samples it rests on, aborted ones left out. */
  readonly n: number
  readonly simulated: boolean
  /** p99 of TTFT plus 40 %, rounded up to 1, 2, 3, 5, 10, 15, 20, 30 … s; `null` with fewer than 100 samples that have one. */
  readonly firstTokenTimeoutMs: number | null
  readonly ttftP99: number | null
  /** The slowest answer seen plus 20 %, rounded up likewise; `null` where there is none. */
  readonly totalTimeoutMs: number | null
  readonly slowestTotalMs: number | null
  /** As sampled: no retry, the timeouts of the run. */
  readonly asSampled: ServiceLevel | null
  /** With the first-token timeout above and one retry; `null` where there is no such timeout. */
  readonly withRetry: ServiceLevel | null
  /** The retry that `withRetry` assumes. */
  readonly retry: {
    readonly on: readonly string[]
    readonly backoffMs: readonly [number, number]
    /** Requests that are retried, from 0 to 1: what a retry costs on top. */
    readonly extraRequests: number
    readonly resamples: number
  } | null
}
