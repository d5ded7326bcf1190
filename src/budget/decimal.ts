import type { Fraction } from './types.ts'

/** An exact decimal: `digits / 10 ** places`. Limits never pass through binary fractions on their way to a count. */
export interface Decimal {
  readonly digits: bigint
  readonly places: number
}

/** Reads `12`, `0.5`, `.5`; the text must be digits with at most one point. */
export function decimalOf(text: string): Decimal {
  const [whole = '', part = ''] = text.split('.')
  return { digits: BigInt(`${whole}${part}`), places: part.length }
}

/** The shortest decimal that reads back as `value`, which must be finite and not negative. */
export function decimalOfNumber(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e')
  return shifted(decimalOf(mantissa), Number(exponent))
}

/** Moves the point: by 3, seconds become milliseconds; by −2, percent become a ratio. */
export function shifted(decimal: Decimal, by: number): Decimal {
  const places = decimal.places - by
  return places >= 0
    ? { digits: decimal.digits, places }
    : { digits: decimal.digits * 10n ** BigInt(-places), places: 0 }
}

/** Multiplies by a whole number. */
export function multiplied(decimal: Decimal, factor: number): Decimal {
  return { digits: decimal.digits * BigInt(factor), places: decimal.places }
}

/** Plain digits without needless zeros: `0.5`, `120`. */
export function decimalText(decimal: Decimal): string {
  if (decimal.places === 0) return decimal.digits.toString()
  const padded = decimal.digits.toString().padStart(decimal.places + 1, '0')
  const whole = padded.slice(0, -decimal.places)
  const part = padded.slice(-decimal.places).replace(/0+$/, '')
  return part === '' ? whole : `${whole}.${part}`
}

/** The double nearest to it. */
export function decimalNumber(decimal: Decimal): number {
  return Number(decimalText(decimal))
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b)
}

/** `decimal` as a fraction in lowest terms. */
export function fractionOf(decimal: Decimal): Fraction {
  const denominator = 10n ** BigInt(decimal.places)
  const divisor = greatestCommonDivisor(decimal.digits, denominator)
  return { numerator: Number(decimal.digits / divisor), denominator: Number(denominator / divisor) }
}

/** 1 − fraction, exactly. */
export function complementOf(fraction: Fraction): Fraction {
  return { numerator: fraction.denominator - fraction.numerator, denominator: fraction.denominator }
}

/** The least number of samples in which a share of `allowed` is at least one: ⌈1/e⌉; `null` for e = 0. */
export function exactMinimum(allowed: Fraction): number | null {
  return allowed.numerator === 0 ? null : Math.ceil(allowed.denominator / allowed.numerator)
}
