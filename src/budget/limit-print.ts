import { decimalOfNumber, decimalText, shifted } from './decimal.ts'
import type { Limit, RateLimit, Relative, ShareLimit, StatisticLimit, Unit } from './types.ts'

type Unprinted = Omit<StatisticLimit, 'text'> | Omit<RateLimit, 'text'> | Omit<ShareLimit, 'text'>

/** A value as limits spell it: `850ms`, `10s`, `0.5%`, `5 tok/s`, `2000`. Times from one second on are in seconds. */
export function printValue(value: number, unit: Unit): string {
  const decimal = decimalOfNumber(value)
  switch (unit) {
    case 'ms':
      return value < 1000 ? `${decimalText(decimal)}ms` : `${decimalText(shifted(decimal, -3))}s`
    case 'ratio':
      return `${decimalText(shifted(decimal, 2))}%`
    case 'tok/s':
      return `${decimalText(decimal)} tok/s`
    case 'count':
    case 'currency':
      return decimalText(decimal)
  }
}

/** `baseline + 10%`, `baseline - 50ms`, `baseline`. */
export function printRelative({ kind, by }: Relative, unit: Unit): string {
  if (by === 0) return 'baseline'
  return `baseline ${by < 0 ? '-' : '+'} ${printValue(Math.abs(by), kind === 'ratio' ? 'ratio' : unit)}`
}

/** The canonical spelling of a limit; reading it back gives the same limit. */
export function printLimit(limit: Limit | Unprinted): string {
  if (limit.kind === 'statistic' && limit.relative !== undefined) {
    return `${limit.statistic} ${limit.metric} ${limit.operator} ${printRelative(limit.relative, limit.unit)}`
  }
  const end = `${limit.operator} ${printValue(limit.value, limit.unit)}`
  switch (limit.kind) {
    case 'statistic':
      return `${limit.statistic} ${limit.metric} ${end}`
    case 'rate':
      return `${limit.metric} ${end}`
    case 'share': {
      const { operator, value, unit } = limit.threshold
      return `share(${limit.metric} ${operator} ${printValue(value, unit)}) ${end}`
    }
  }
}
