/** The contract of the first stage: `slo.yaml` text becomes {@link Budget}s, or every problem at once. All plain JSON. */

/** Metrics that are a time; a limit on them needs a unit. The column is `<metric>_ms`. */
export type TimeMetric =
  | 'ttft'
  | 'first_answer'
  | 'headers'
  | 'first_chunk'
  | 'last_token'
  | 'total'
  | 'connect'
  | 'gap_p50'
  | 'gap_p99'
  | 'gap_max'
  | 'tpot'

/** Metrics that count something; the column has the metric's name. */
export type CountMetric =
  | 'token_events'
  | 'tokens_per_event'
  | 'prompt_tokens'
  | 'completion_tokens'
  | 'reasoning_tokens'
  | 'cached_tokens'

/** Metrics with one number a sample. */
export type ValueMetric = TimeMetric | CountMetric | 'decode_tps' | 'cost'

/** Metrics that are a share of the samples. */
export type RateMetric = 'error_rate' | 'answered_rate' | 'length_rate' | 'cache_hit_rate' | 'stall_rate'

export type Operator = '<' | '<=' | '>' | '>='

/** The unit that a value is kept in, whatever it was written in. */
export type Unit = 'ms' | 'ratio' | 'tok/s' | 'count' | 'currency'

/** `'p99'`, `'p99.9'`, `'p0'` … as written, without needless zeros. */
export type PercentileName = `p${number}`

/** An exact fraction, from the decimal text of the limit: p99 leaves 1/100 beyond. */
export interface Fraction {
  readonly numerator: number
  readonly denominator: number
}

interface LimitBase {
  readonly operator: Operator
  /** In {@link unit}: milliseconds, a ratio from 0 to 1, tokens per second, a count, or the target's currency. */
  readonly value: number
  readonly unit: Unit
  /** The limit in its canonical spelling: `p99 ttft < 10s`. */
  readonly text: string
  /**
   * e of the verdict: the share of samples that may lie beyond the limit. `null` for mean, min and max.
   * Percentile: 1 − q for `<`, q for `>`. Rate and share: the limit for `<`, 1 − limit for `>` (then the complement is counted).
   */
  readonly allowed: Fraction | null
  /** Samples needed where nobody says otherwise: ⌈1/e⌉, at least 10; mean, min, max: 10; `null` where e = 0 and the user must say. */
  readonly autoMinSamples: number | null
}

/** `p99 ttft < 10s`, `mean decode_tps > 20 tok/s`. */
export interface StatisticLimit extends LimitBase {
  readonly kind: 'statistic'
  readonly statistic: PercentileName | 'mean' | 'min' | 'max'
  /** The percentile as a number from 0 to 100; `null` for mean, min and max. */
  readonly percentile: number | null
  readonly metric: ValueMetric
  /** There where the limit is relative to a baseline: `baseline + 10%`. `value` is 0 then; only a verdict knows it. */
  readonly relative?: Relative
}

/** `baseline + 10%`: `by` is 0.1; `baseline - 50ms`: −50, in the metric's unit. */
export interface Relative {
  readonly kind: 'ratio' | 'amount'
  readonly by: number
}

/** `error_rate < 1%`. */
export interface RateLimit extends LimitBase {
  readonly kind: 'rate'
  readonly metric: RateMetric
}

/** `share(ttft > 60s) < 0.5%`. */
export interface ShareLimit extends LimitBase {
  readonly kind: 'share'
  readonly metric: ValueMetric
  /** The inner comparison, true of a sample that counts. */
  readonly threshold: { readonly operator: Operator; readonly value: number; readonly unit: Unit }
}

export type Limit = StatisticLimit | RateLimit | ShareLimit

/** A place in `slo.yaml`; line and column count from 1. `file` as shown to people, relative to the project's root. */
export interface SourcePlace {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Globs on names; a name matches where any positive glob does (or none is given) and no `!glob` does. */
export interface Where {
  readonly probe?: readonly string[]
  readonly target?: readonly string[]
  readonly prompt?: readonly string[]
}

export type Severity = 'fail' | 'warn'
export type OnInconclusive = 'fail' | 'warn' | 'skip'
export type Per = 'cell' | 'target' | 'prompt' | 'probe'
export type FailuresRule = 'exclude' | 'exceed'

/** Where one glob of a `where` stands, for the caret of a glob that matches nothing. */
export interface GlobPlace {
  readonly key: keyof Where
  readonly glob: string
  readonly source: SourcePlace
  readonly length: number
}

export interface BudgetOverride {
  readonly where: Where
  /** Of its `where`; the parser always gives them. */
  readonly globPlaces?: readonly GlobPlace[]
  readonly limit?: Limit
  readonly severity?: Severity
  readonly minSamples?: number
  /** Place of the override's limit, or of the override where it replaces none. */
  readonly source: SourcePlace
  /** How many columns the place covers; the parser always gives it. */
  readonly sourceLength?: number
}

/** What a relative limit is compared with. */
export type Baseline =
  /** Another target of the same probe, in the same run. */
  | { readonly kind: 'target'; readonly target: string }
  /** Runs of a CSV; the path as written, relative to the file of the budgets. */
  | { readonly kind: 'file'; readonly file: string }
  /** The passing runs of the history, milliseconds back. */
  | { readonly kind: 'history'; readonly forMs: number }

/** A breach that somebody accepts for a while. */
export interface Acknowledgement {
  readonly where: Where
  /** `2026-12-31`: the last day, in the file's time zone. */
  readonly until: string
  readonly reason: string
  /** In the limit's unit; `null`: whatever the value. */
  readonly upTo: number | null
  readonly source: SourcePlace
}

/** Which rows of earlier runs count beside those of the run. */
export interface BudgetWindow {
  /** Milliseconds back from the run's last sample. */
  readonly forMs: number
  /** Labels that must be the same, too. */
  readonly same: readonly string[]
}

/** How a budget is judged, wherever it applies. */
export interface JudgingRules {
  readonly failures: FailuresRule
  /** Milliseconds; a longer gap is a stall for `stall_rate`. */
  readonly stallOverMs: number
  /** From 0.5 to 1: a pass needs the proof. `null` (or absent): the value decides. */
  readonly confidence?: number | null
  /** `null` (or absent): the run alone. */
  readonly window?: BudgetWindow | null
  /** Given where a limit is relative. */
  readonly baseline?: Baseline | null
  /** Differences below this never fail, in the metric's unit. */
  readonly floor?: number
  /** Runs in a row that must breach before one fails. @default 1 */
  readonly failAfter?: number
  readonly acknowledge?: readonly Acknowledgement[]
}

/** One entry of `budgets:`, defaults already applied. */
export interface Budget extends JudgingRules {
  /** Unique in the file; derived from the limit (and `where`) where the user gives none. */
  readonly id: string
  readonly limit: Limit
  /** Place of the limit. */
  readonly source: SourcePlace
  /** How many columns the limit covers; the parser always gives it. */
  readonly sourceLength?: number
  readonly where: Where
  /** Of its `where`; the parser always gives them. */
  readonly globPlaces?: readonly GlobPlace[]
  readonly overrides: readonly BudgetOverride[]
  readonly per: Per
  readonly severity: Severity
  readonly onInconclusive: OnInconclusive
  /** `null`: the limit's own `autoMinSamples`. */
  readonly minSamples: number | null
  /** Place of the `baseline` key's value. */
  readonly baselineSource?: SourcePlace
}

/** What `defaults:` gives to budgets, and to `toMeet`. */
export interface BudgetDefaults {
  readonly severity: Severity
  readonly onInconclusive: OnInconclusive
  readonly per: Per
  readonly minSamples: number | null
  readonly failures: FailuresRule
  /** Holds where a budget can be proven at all: not on mean, min and max. */
  readonly confidence?: number | null
}

export interface BudgetFile {
  /** As shown to people. */
  readonly file: string
  /** IANA name; `'UTC'` if left out. */
  readonly timezone: string
  readonly defaults: BudgetDefaults
  /** End the run as soon as every verdict is certain. @default false */
  readonly stopEarly?: boolean
  readonly budgets: readonly Budget[]
  /** There only where some budget was not understood: its globs, which are checked with all others. */
  readonly unreadGlobs?: readonly GlobPlace[]
}

/** Something wrong (`error`) or worth knowing (`note`) about `slo.yaml`, found before any request. */
export interface BudgetProblem {
  readonly level: 'error' | 'note'
  /** Stable word in kebab-case: `unknown-metric`, `missing-unit`, `glob-matches-nothing`, `too-few-samples` … */
  readonly code: string
  readonly message: string
  /** The way out, often the nearest right word. */
  readonly hint?: string
  /** `null` where it concerns the file as a whole. */
  readonly source: SourcePlace | null
  /** How many columns the caret underlines, from `source.column`. */
  readonly length?: number
}

/** The result of parsing: whatever could be understood, and every problem; no budget of a wrong limit is in it. */
export interface ParsedBudgets {
  readonly file: BudgetFile
  readonly problems: readonly BudgetProblem[]
}

/** A cell is probe × target × prompt. */
export interface CellKey {
  readonly probe: string
  readonly target: string
  readonly prompt: string
}

/** What the checks before the first request know of one cell. */
export interface CellFacts extends CellKey {
  /** Samples that the schedule plans for this cell in this run; `null` where nobody can know (`for:` with `every: '0s'`). */
  readonly planned: number | null
  /** Samples that the schedule as written in the spec gives, without `SLO_ROUNDS`, `SLO_EVERY` and `SLO_FOR`; `null` as above. */
  readonly plannedByItself: number | null
  /** Milliseconds. */
  readonly timeouts: Timeouts
  readonly currency: string | null
}

/** All in milliseconds of the provider's (unscaled) time. */
export interface Timeouts {
  readonly connect: number
  readonly firstToken: number
  readonly stall: number
  readonly total: number
}

/** What {@link CheckBudgets} is given beside the budgets. */
export interface CheckContext {
  readonly cells: readonly CellFacts[]
  /** A file filter, `-t`, `--shard` or `.only` narrowed the collection: a glob that matches nothing is a note then. */
  readonly narrowed: boolean
  /** Samples of earlier runs that the case's window would take, as far as they are known. */
  readonly earlier?: (budgetCase: BudgetCase) => number
}

/**
 * One verdict to reach, and one Vitest test: a budget on one cell or on the pool of several. Its `baseline` is there only where its own limit
 * is relative, its `acknowledge` holds those of its cells only.
 */
export interface BudgetCase extends CellKey, JudgingRules {
  /** `target` and `prompt` are `'all'` where the budget pools over them. */
  readonly budget: string
  /** The limit after overrides. */
  readonly limit: Limit
  readonly severity: Severity
  /** Capped by severity: a warning cannot fail for want of data. */
  readonly onInconclusive: OnInconclusive
  /** Resolved: explicit or automatic; `null` only where neither exists, which is an error at load. */
  readonly minSamples: number | null
  /** Where the baseline is a target: its cells, one for each of `cells`, in the same order. */
  readonly baselineCells?: readonly CellKey[]
  /** Place of the limit that decides. */
  readonly source: SourcePlace
  /** The cells that it judges, never empty. */
  readonly cells: readonly CellKey[]
}
