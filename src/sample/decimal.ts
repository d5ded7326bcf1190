const EXPONENT = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/

/**
 * A finite number as a plain decimal without an exponent, the fewest digits that read back as the same number: `1e-7` is
 * `'0.0000001'`. Minus zero is `'0'`.
 */
export function plainDecimal(value: number): string {
  const text = String(value)
  const match = EXPONENT.exec(text)
  if (match === null) return text
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return `${sign}${digits.padEnd(point, '0')}`
}
