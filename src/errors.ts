/** Every code that an {@link SloError} can carry. Callers match on the code, never on the message. */
export type SloErrorCode =
  | 'CONFIG_INVALID'
  | 'BUDGETS_INVALID'
  | 'BUDGETS_UNREADABLE'
  | 'PROBE_INVALID'
  | 'PROMPT_FAILED'
  | 'ENV_MISSING'
  | 'ENV_CONFLICT'
  | 'SAMPLES_UNREADABLE'
  | 'SAMPLES_VERSION'
  | 'SAMPLES_LOCKED'
  | 'SAMPLES_WRITE_FAILED'
  | 'SAMPLES_OUTSIDE_TEST'
  | 'LIMIT_INVALID'
  | 'PROFILE_INVALID'
  | 'SIMULATOR_FAILED'
  | 'CREDENTIAL_FAILED'
  | 'PROBER_FAILED'
  | 'REPORT_WRITE_FAILED'
  | 'RUNNER_DIED'
  | 'USAGE'

/** Plain facts of an error, for programs. */
export type SloErrorFacts = Readonly<Record<string, string | number | boolean | null | undefined>>

/**
 * A mistake of ours or of the configuration; a provider's failure is never one of these, it is a sample.
 * `message` says what is wrong and where, `hint` the way out.
 */
export class SloError extends Error {
  override readonly name = 'SloError'
  readonly code: SloErrorCode
  readonly hint: string | undefined
  readonly facts: SloErrorFacts

  constructor(
    code: SloErrorCode,
    message: string,
    options: {
      readonly hint?: string | undefined
      readonly facts?: SloErrorFacts | undefined
      readonly cause?: unknown
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint
    this.facts = options.facts ?? {}
  }
}

/** The message of anything thrown, without its stack. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
