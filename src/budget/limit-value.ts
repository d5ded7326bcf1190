import { decimalOf, decimalText, multiplied, shifted } from './decimal.ts'
import type { Decimal } from './decimal.ts'
import type { LimitToken } from './limit-tokens.ts'
import { LimitFault } from './limit-fault.ts'
import { nearestWord } from './nearest-word.ts'
import { MS_PER } from '../units.ts'
import type { Unit } from './types.ts'

/** More would not survive the way through a double, and no latency is known so well. */
const MAX_DIGITS = 15
const MAX_RATIO_PLACES = 6

const TIME_WORDS: Readonly<Record<string, string>> = {
  msec: 'ms',
  millis: 'ms',
  milliseconds: 'ms',
  sec: 's',
  secs: 's',
  second: 's',
  seconds: 's',
  min: 'm',
  mins: 'm',
  minute: 'm',
  minutes: 'm',
  hour: 'h',
  hours: 'h',
  day: 'd',
  days: 'd',
}

/** A number and the unit that stood behind it, if any. */
export interface WrittenValue {
  readonly number: LimitToken
  readonly unit: LimitToken | null
}

/** Decimals of 15 significant digits survive the way through a double and back. */
function isTooLong(value: Decimal): boolean {
  const text = decimalText(value)
  const significant = text.replace('.', '').replace(/^0+|0+$/g, '')
  return significant.length > MAX_DIGITS || (text.split('.')[0] ?? '').length > MAX_DIGITS
}

function unitFault(
  written: WrittenValue,
  code: 'missing-unit' | 'wrong-unit' | 'unknown-unit',
  message: string,
  hint: string,
): LimitFault {
  const { number, unit } = written
  return unit === null
    ? new LimitFault(code, number.start, number.text.length, message, hint)
    : new LimitFault(code, unit.start, unit.text.length, message, hint)
}

function timeValue(written: WrittenValue, metric: string): Decimal {
  const { number, unit } = written
  if (unit === null) {
    throw unitFault(
      written,
      'missing-unit',
      `${metric} is a time, and a time needs a unit`,
      `did you mean \`${number.text}s\` or \`${number.text}ms\`?`,
    )
  }
  const factor = Object.hasOwn(MS_PER, unit.text) ? MS_PER[unit.text] : undefined
  if (factor === undefined) {
    const word = unit.text.toLowerCase()
    const right = Object.hasOwn(MS_PER, word) ? word : TIME_WORDS[nearestWord(word, Object.keys(TIME_WORDS)) ?? '']
    const ask = right === undefined ? '' : `did you mean \`${number.text}${right}\`? `
    throw unitFault(written, 'unknown-unit', `\`${unit.text}\` is no unit of time`, `${ask}units are ms, s, m, h, d`)
  }
  return multiplied(decimalOf(number.text), factor)
}

/** Who writes 0.01 without a sign mostly means 1 %. */
function percentHint(number: string): string {
  const asRatio = Number(number) < 1 ? `\`${decimalText(shifted(decimalOf(number), 2))}%\` or ` : ''
  return `did you mean ${asRatio}\`${number}%\`?`
}

/** Percent as a ratio, exactly. */
export function ratioValue(written: WrittenValue, metric: string): Decimal {
  const { number, unit } = written
  if (unit === null) {
    throw unitFault(written, 'missing-unit', `${metric} is a share, and a share needs a %`, percentHint(number.text))
  }
  if (unit.text !== '%') {
    throw unitFault(
      written,
      'wrong-unit',
      `${metric} is a share, \`${unit.text}\` is no unit of it`,
      `did you mean \`${number.text}%\`?`,
    )
  }
  if ((number.text.split('.')[1] ?? '').length > MAX_RATIO_PLACES) {
    throw new LimitFault(
      'too-precise',
      number.start,
      number.text.length,
      'too many decimals',
      `a percentage takes at most ${MAX_RATIO_PLACES}`,
    )
  }
  if (Number(number.text) > 100) {
    throw new LimitFault(
      'out-of-range',
      number.start,
      number.text.length,
      'a share cannot be above 100 %',
      `${metric} lies between 0% and 100%`,
    )
  }
  return shifted(decimalOf(number.text), -2)
}

const SPEED_UNIT = 'tok/s'

/** The value in the unit that it is kept in, exactly. */
export function metricValue(written: WrittenValue, metric: string, kept: Unit): Decimal {
  const value = keptValue(written, metric, kept)
  if (!isTooLong(value)) return value
  const { start, text } = written.number
  throw new LimitFault('too-precise', start, text.length, 'too many digits', `a value takes at most ${MAX_DIGITS}`)
}

function keptValue(written: WrittenValue, metric: string, kept: Unit): Decimal {
  const { number, unit } = written
  switch (kept) {
    case 'ms':
      return timeValue(written, metric)
    case 'ratio':
      return ratioValue(written, metric)
    case 'tok/s':
      if (unit === null || unit.text === SPEED_UNIT) return decimalOf(number.text)
      throw unitFault(
        written,
        'wrong-unit',
        `${metric} is a speed, \`${unit.text}\` is no unit of it`,
        `did you mean \`${number.text} ${SPEED_UNIT}\`?`,
      )
    case 'count':
      if (unit === null) return decimalOf(number.text)
      throw unitFault(
        written,
        'wrong-unit',
        `${metric} is a count, and a count takes no unit`,
        `did you mean \`${number.text}\`?`,
      )
    case 'currency':
      if (unit === null) return decimalOf(number.text)
      throw unitFault(
        written,
        'wrong-unit',
        `${metric} is in the currency of the target's price, and takes no unit`,
        `did you mean \`${number.text}\`?`,
      )
  }
}
