import { complementOf, decimalNumber, decimalOf, fractionOf, shifted } from './decimal.ts'
import { directionFault, isUpper } from './limit-direction.ts'
import { LimitFault } from './limit-fault.ts'
import { printLimit } from './limit-print.ts'
import { commaFault, fault, isBudgetKey, keyFault, spacedMetric, turnedPercentile } from './limit-slips.ts'
import { autoMinSamples, readStatistic } from './limit-statistic.ts'
import type { Statistic } from './limit-statistic.ts'
import { limitTokens } from './limit-tokens.ts'
import type { LimitToken } from './limit-tokens.ts'
import { metricValue, ratioValue } from './limit-value.ts'
import type { WrittenValue } from './limit-value.ts'
import { didYouMean, exampleOf, METRIC_WORDS, metricList, STATISTIC_WORDS } from './limit-words.ts'
import { isRateMetric, isValueMetric, OTHER_WORDS, VALUE_METRICS } from './metrics.ts'
import type { Limit, Operator, RateMetric, Relative, ValueMetric } from './types.ts'

const OPERATOR_SLIPS: Readonly<Record<string, string>> = { '=<': '<=', '=>': '>=', '≤': '<=', '≥': '>=' }

/** Reads a limit's tokens from left to right. */
export class LimitReader {
  readonly #text: string
  readonly #tokens: readonly [LimitToken, ...LimitToken[]]
  #next = 0

  constructor(text: string) {
    this.#text = text
    this.#tokens = limitTokens(text)
  }

  peek(ahead = 0): LimitToken {
    return this.#tokens[this.#next + ahead] ?? this.#tokens[this.#tokens.length - 1] ?? this.#tokens[0]
  }

  take(): LimitToken {
    const token = this.peek()
    this.#next += 1
    return token
  }

  /** Reads `limit`. */
  limit(): Limit {
    const first = this.peek()
    if (first.kind === 'end') throw fault(first, 'empty-limit', 'the limit is empty', 'write one like `p99 ttft < 10s`')
    const limit = this.#start(first)
    const rest = this.peek()
    if (isBudgetKey(rest)) throw keyFault(rest, this.peek(1))
    if (rest.kind !== 'end') {
      throw fault(rest, 'unexpected-text', `\`${rest.text}\` is too much here`, 'one budget takes one limit')
    }
    const printed = { ...limit, text: printLimit(limit) }
    const direction = directionFault(printed)
    if (direction !== undefined) {
      throw new LimitFault(direction.code, first.start, rest.start - first.start, direction.message, direction.hint)
    }
    return printed
  }

  #start(first: LimitToken): Limit {
    if (first.kind === 'number') {
      const turned = turnedPercentile(first, this.peek(1), this.peek(2))
      if (turned !== undefined) throw turned
    }
    if (first.kind !== 'word') {
      throw fault(first, 'syntax', `a limit does not start with \`${first.text}\``, 'write one like `p99 ttft < 10s`')
    }
    if (first.text === 'share') return this.#share()
    if (isRateMetric(first.text)) return this.#rate(first.text)
    const statistic = readStatistic(first)
    if (statistic !== undefined) return this.#statistic(statistic)
    this.#refuseSpaced()
    const second = this.peek(1)
    if (isValueMetric(first.text)) {
      throw fault(
        first,
        'missing-statistic',
        `${first.text} is a number of each request: which statistic of it?`,
        `write one of p0 … p100, mean, min, max before it, as in \`${exampleOf(first.text)}\``,
      )
    }
    if (second.kind === 'word') {
      throw fault(
        first,
        'unknown-statistic',
        `\`${first.text}\` is no statistic`,
        didYouMean(first.text, STATISTIC_WORDS, 'statistics are p0 … p100, mean, min, max'),
      )
    }
    const other = Object.hasOwn(OTHER_WORDS, first.text) ? OTHER_WORDS[first.text] : undefined
    if (second.text === '(' && other !== undefined && STATISTIC_WORDS.includes(other)) throw this.#bracketed(other, 1)
    if (second.text === '(')
      throw fault(first, 'unknown-function', `\`${first.text}\` is no function`, 'did you mean `share`?')
    throw fault(
      first,
      'unknown-metric',
      `\`${first.text}\` is no metric`,
      didYouMean(first.text, METRIC_WORDS, metricList()),
    )
  }

  #statistic(statistic: Statistic): Limit {
    this.take()
    const word = this.peek()
    if (word.text === '(') throw this.#bracketed(statistic.statistic, 0)
    if (word.text === 'share' || isRateMetric(word.text)) {
      throw fault(
        word,
        'needless-statistic',
        `${word.text} is one number of all requests and takes no statistic`,
        `write \`${word.text}\` alone`,
      )
    }
    const metric = this.#valueMetric()
    const { unit } = VALUE_METRICS[metric]
    const operator = this.#operator()
    const { percentile } = statistic
    const baseline = this.peek()
    const relative = baseline.text === 'baseline' ? this.#relative(statistic, metric) : undefined
    const value = relative === undefined ? metricValue(this.value(), metric, unit) : decimalOf('0')
    const below = percentile === null ? null : fractionOf(shifted(decimalOf(statistic.statistic.slice(1)), -2))
    const allowed = below === null ? null : isUpper(operator) ? complementOf(below) : below
    const extreme = percentile === 0 || percentile === 100
    return {
      kind: 'statistic',
      ...statistic,
      metric,
      operator,
      value: decimalNumber(value),
      unit,
      ...(relative === undefined ? {} : { relative }),
      text: '',
      allowed,
      autoMinSamples: extreme ? null : autoMinSamples(allowed),
    }
  }

  /** `p95(ttft) < 3s`, with the limit that was meant if it is one. */
  #bracketed(statistic: string, ahead: number): LimitFault {
    const bracket = this.peek(ahead)
    const rest = this.#text.slice(bracket.start + 1).replace(')', ' ')
    const meant = `${statistic} ${rest.trim().split(/\s+/).join(' ')}`
    const hint = isLimit(meant) ? `did you mean \`${meant}\`?` : 'write it as in `p99 ttft < 10s`'
    return fault(bracket, 'syntax', 'a statistic takes no brackets', hint)
  }

  /** Reads `baseline`, `baseline + 10%`, `baseline - 50ms`. */
  #relative({ statistic, percentile }: Statistic, metric: ValueMetric): Relative {
    const word = this.take()
    if (percentile === null ? statistic !== 'mean' : percentile === 0 || percentile === 100) {
      throw fault(
        word,
        'no-baseline-for',
        `${statistic} has no baseline: it is one sample`,
        'take a percentile or the mean',
      )
    }
    const sign = this.peek()
    if (sign.kind === 'end' || isBudgetKey(sign)) return { kind: 'ratio', by: 0 }
    if (sign.text !== '+' && sign.text !== '-') {
      throw fault(sign, 'syntax', `\`${sign.text}\` should be + or -`, 'write `baseline + 10%` or `baseline - 50ms`')
    }
    this.take()
    const written = this.value()
    const plus = sign.text === '+' ? 1 : -1
    if (written.unit?.text !== '%') {
      return { kind: 'amount', by: plus * decimalNumber(metricValue(written, metric, VALUE_METRICS[metric].unit)) }
    }
    const percent = Number(written.number.text)
    if (plus < 0 && percent >= 100) {
      throw fault(written.number, 'out-of-range', 'nothing is left of the baseline', 'take away less than 100%')
    }
    return { kind: 'ratio', by: plus * decimalNumber(shifted(decimalOf(written.number.text), -2)) }
  }

  #rate(metric: RateMetric): Limit {
    this.take()
    return { kind: 'rate', metric, ...this.#ratio(metric) }
  }

  #share(): Limit {
    this.take()
    this.#sign('(', 'share takes a comparison in brackets: `share(ttft > 60s) < 0.5%`')
    const metric = this.#valueMetric()
    const { unit } = VALUE_METRICS[metric]
    const operator = this.#operator()
    const value = decimalNumber(metricValue(this.value(), metric, unit))
    this.#sign(')', 'close the bracket: `share(ttft > 60s) < 0.5%`')
    return { kind: 'share', metric, threshold: { operator, value, unit }, ...this.#ratio('share()') }
  }

  #ratio(what: string) {
    const operator = this.#operator()
    const ratio = ratioValue(this.value(), what)
    const written = fractionOf(ratio)
    const allowed = isUpper(operator) ? written : complementOf(written)
    const value = decimalNumber(ratio)
    return { operator, value, unit: 'ratio', text: '', allowed, autoMinSamples: autoMinSamples(allowed) } as const
  }

  /** A metric whose name is written in several words: `error rate`, `first-answer`. */
  #refuseSpaced(): void {
    const spaced = spacedMetric(this.#tokens.slice(this.#next), METRIC_WORDS)
    if (spaced === undefined) return
    const { start, length, written, meant } = spaced
    throw new LimitFault('unknown-metric', start, length, `\`${written}\` is no metric`, `did you mean \`${meant}\`?`)
  }

  #valueMetric(): ValueMetric {
    const token = this.peek()
    if (token.kind === 'word' && isValueMetric(token.text)) {
      this.take()
      return token.text
    }
    this.#refuseSpaced()
    this.take()
    if (token.kind === 'word') {
      throw fault(
        token,
        'unknown-metric',
        `\`${token.text}\` is no metric`,
        didYouMean(token.text, METRIC_WORDS, metricList()),
      )
    }
    throw fault(token, 'syntax', `a metric is missing here`, metricList())
  }

  #operator(): Operator {
    const token = this.take()
    switch (token.text) {
      case '<':
      case '<=':
      case '>':
      case '>=':
        return token.text
      default: {
        if (isBudgetKey(token)) throw keyFault(token, this.peek())
        const slip = OPERATOR_SLIPS[token.text]
        const hint = slip === undefined ? 'write one of <, <=, >, >=' : `did you mean \`${slip}\`?`
        const message = token.kind === 'end' ? 'the comparison is missing' : `\`${token.text}\` is no comparison`
        throw fault(token, token.kind === 'end' ? 'syntax' : 'unknown-operator', message, hint)
      }
    }
  }

  value(): WrittenValue {
    const number = this.take()
    if (number.kind === 'word' && number.text === 'baseline') {
      throw fault(
        number,
        'no-baseline-for',
        'a rate or share has no baseline',
        'write a fixed value, as in `error_rate < 1%`',
      )
    }
    if (number.text === '-') throw fault(number, 'out-of-range', 'a limit is not negative', 'write a value above 0')
    if (number.kind !== 'number') {
      const message =
        number.kind === 'end' ? 'the value is missing' : `a number should stand here, not \`${number.text}\``
      throw fault(number, 'syntax', message, 'write a number and its unit: 850ms, 10s, 1%, 5 tok/s, 2000')
    }
    if (this.peek().text === ',') throw commaFault(this.peek(), number, this.peek(1), this.peek(2))
    const unit = this.peek()
    const isUnit = (unit.kind === 'word' && !isBudgetKey(unit)) || unit.text === '%'
    return { number, unit: isUnit ? this.take() : null }
  }

  #sign(sign: '(' | ')', hint: string): void {
    const token = this.take()
    if (token.text !== sign) throw fault(token, 'syntax', `\`${sign}\` is missing here`, hint)
  }
}

function isLimit(text: string): boolean {
  try {
    readLimit(text)
    return true
  } catch (thrown) {
    if (!(thrown instanceof LimitFault)) throw thrown
    return false
  }
}

/**
 * Reads a limit.
 * @throws LimitFault
 */
export function readLimit(text: string): Limit {
  return new LimitReader(text).limit()
}
