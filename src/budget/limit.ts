import { SloError } from '../errors.ts'
import { decimalNumber } from './decimal.ts'
import { LimitFault } from './limit-fault.ts'
import { LimitReader, readLimit } from './limit-reader.ts'
import { fault } from './limit-slips.ts'
import { metricValue, ratioValue } from './limit-value.ts'
import type { Limit } from './types.ts'

/**
 * Reads a value of a limit's metric on its own, as `50ms` of `floor`, in the unit that it is kept in.
 * @throws LimitFault
 */
export function readValue(text: string, limit: Limit): number {
  const reader = new LimitReader(text)
  const written = reader.value()
  const rest = reader.peek()
  if (rest.kind !== 'end') throw fault(rest, 'unexpected-text', `\`${rest.text}\` is too much here`)
  const value =
    limit.kind === 'statistic' ? metricValue(written, limit.metric, limit.unit) : ratioValue(written, limit.metric)
  return decimalNumber(value)
}

/**
 * Reads a limit.
 *
 * ```text
 * limit     := statistic metric op value        p99 ttft < 10s, mean decode_tps > 20 tok/s
 *            | rate op percent                  error_rate < 1%
 *            | 'share' '(' metric op value ')' op percent    share(ttft > 60s) < 0.5%
 * statistic := 'p' number (0 to 100) | 'mean' | 'min' | 'max'
 * op        := '<' | '<=' | '>' | '>='
 * value     := 'baseline' (('+' | '-') (percent | number unit?))?    p50 ttft <= baseline + 10%, of percentiles and the mean
 *            | number unit?                     a time: ms s m h d; a speed: tok/s or nothing; a count, a cost: nothing
 * percent   := number '%'
 * number    := digits ('.' digits)?
 * ```
 *
 * Space between words is free. A limit that can hardly fail is refused with a question.
 * @throws SloError `LIMIT_INVALID`; facts: `offset` and `length` of the offending word, `problem` as in `BudgetProblem.code`
 */
export function parseLimit(text: string): Limit {
  try {
    return readLimit(text)
  } catch (thrown) {
    if (!(thrown instanceof LimitFault)) throw thrown
    const { offset, length, code, hint } = thrown
    const line = text.replace(/\s/g, ' ')
    throw new SloError('LIMIT_INVALID', `${thrown.message}\n  ${line}\n  ${' '.repeat(offset)}${'^'.repeat(length)}`, {
      hint,
      facts: { limit: text, offset, length, problem: code },
    })
  }
}
