import type { Unit } from '../budget/types.ts'
import { formatMs, trim } from '../units.ts'

const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** A ratio as percent with as many decimals as tell it from zero: `0.12 %`, `0.00034 %`. */
export function percent(ratio: number): string {
  const inPercent = ratio * 100
  const digits = inPercent === 0 || inPercent >= 0.1 ? 2 : 1 - Math.floor(Math.log10(Math.abs(inPercent)))
  return `${trim(inPercent, Math.min(digits, 12))} %`
}

/** A value in the words of its unit: `13.65 s`, `0.12 %`, `59.4 tok/s`, `1,911`, `0.02 USD`. */
export function amount(value: number, unit: Unit, currency: string | null): string {
  switch (unit) {
    case 'ms':
      return formatMs(value)
    case 'ratio':
      return percent(value)
    case 'tok/s':
      return `${trim(value, 2)} tok/s`
    case 'count':
      return Number.isInteger(value) ? WHOLE.format(value) : trim(value, 2)
    case 'currency':
      return `${trim(value, 6)}${currency === null ? '' : ` ${currency}`}`
  }
}

/** All digits, for a value that rounding would put on its limit. */
export function exactAmount(value: number, unit: Unit, currency: string | null): string {
  switch (unit) {
    case 'ms':
      return `${value} ms`
    case 'ratio':
      return `${Number((value * 100).toPrecision(15))} %`
    case 'tok/s':
      return `${value} tok/s`
    case 'count':
      return String(value)
    case 'currency':
      return `${value}${currency === null ? '' : ` ${currency}`}`
  }
}

/** `1 sample`, `2 samples`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** `p = 0.012`; below a thousandth `p < 0.001`. */
export function pInWords(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${trim(p, 3)}`
}
