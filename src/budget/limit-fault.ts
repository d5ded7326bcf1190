/** What is wrong with a limit, and where in its text; inside this stage only, {@link parseLimit} throws `SloError`. */
export class LimitFault extends Error {
  /** Stable word, as in `BudgetProblem`. */
  readonly code: string
  /** From the start of the limit's text. */
  readonly offset: number
  /** At least 1. */
  readonly length: number
  readonly hint: string | undefined

  constructor(code: string, offset: number, length: number, message: string, hint?: string) {
    super(message)
    this.code = code
    this.offset = offset
    this.length = Math.max(1, length)
    this.hint = hint
  }
}
