import type { Unit } from '../budget/types.ts'
import { durationMs, formatMs, trim } from '../units.ts'
import { amount, exactAmount, percent } from '../verdict/index.ts'
import type { Finding } from '../verdict/types.ts'
import type { BudgetHistory, Night } from './types.ts'

const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const ONE_DECIMAL = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** What a table shows for a number that does not exist. */
export const ABSENT = '–'

/** A whole number with thousands separators: `1,049`. */
export function formatCount(count: number): string {
  return WHOLE.format(count)
}

/** Milliseconds as the headline table prints them: `1,049 ms`; one decimal below 100 ms. */
export function formatTableMs(ms: number | null): string {
  if (ms === null) return ABSENT
  return `${Math.abs(ms) < 100 ? ONE_DECIMAL.format(ms) : WHOLE.format(ms)} ms`
}

/** Tokens per second with one decimal: `59.4`. */
export function formatTableSpeed(tps: number | null): string {
  return tps === null ? ABSENT : ONE_DECIMAL.format(tps)
}

/** `part` of `whole` as percent, or a dash where there is no whole. */
export function formatShare(part: number, whole: number): string {
  return whole === 0 ? ABSENT : percent(part / whole)
}

/** Money: two decimals from 1 on, else enough to see two digits: `11.20 USD`, `0.0042 USD`. */
export function formatCost(cost: number | null, currency: string | null): string {
  if (cost === null) return ABSENT
  const digits = cost === 0 || Math.abs(cost) >= 1 ? 2 : Math.max(2, 1 - Math.floor(Math.log10(Math.abs(cost))))
  const text = new Intl.NumberFormat('en-US', {
    minimumFractionDigits: 2,
    maximumFractionDigits: Math.min(20, digits),
  }).format(cost)
  return currency === null ? text : `${text} ${currency}`
}

type Valued = Pick<Finding, 'value' | 'limit' | 'unit' | 'currency' | 'valueIsBound'>

/** The finding's value for people, `≥` before a lower bound, a dash where there is none; never rounded onto the limit. */
export function formatFindingValue(finding: Valued): string {
  const { value, limit, unit, currency, valueIsBound } = finding
  if (value === null) return ABSENT
  const rounded = amount(value, unit, currency)
  const text =
    value !== limit && rounded === amount(limit, unit, currency) ? exactAmount(value, unit, currency) : rounded
  return valueIsBound ? `≥ ${text}` : text
}

/** The value of one run of a history, as a finding's. */
export function nightValue(
  night: Pick<Night, 'value' | 'valueIsBound'> | undefined,
  { unit, currency }: Pick<BudgetHistory, 'unit' | 'currency'>,
): string {
  if (night === undefined || night.value === null) return ABSENT
  return `${night.valueIsBound === true ? '≥ ' : ''}${amount(night.value, unit, currency)}`
}

/** Decimals behind which a number that programs read is only noise of floating point. */
const DECIMALS: Readonly<Record<Unit, number>> = { ms: 6, ratio: 8, 'tok/s': 6, count: 6, currency: 12 }

/**
 * A value or limit for programs, in its unit: `3474.5978`, not `3474.5977999999977`. Exact where rounding would put it onto the limit, or on
 * zero; what was judged is in `report.json`.
 */
export function plainNumber(value: number, { unit, limit }: Pick<Finding, 'unit' | 'limit'>): string {
  const text = trim(value, DECIMALS[unit])
  const rounded = Number(text)
  const hides = value !== rounded && (rounded === 0 || rounded === Number(trim(limit, DECIMALS[unit])))
  return hides && value !== limit ? String(value) : text
}

/** Whether the text of a value still says all of it. */
function saysAll(value: number, unit: Unit): boolean {
  switch (unit) {
    case 'ms': {
      const said = durationMs(formatMs(value))
      return said === undefined ? value % 60_000 === 0 : said === value
    }
    case 'ratio':
      return Math.abs(Number.parseFloat(percent(value)) - value * 100) < 1e-12
    case 'currency':
      return Number(trim(value, 6)) === value
    default:
      return Number(trim(value, 2)) === value
  }
}

/** A limit for people, with all its digits: `10 s`, `12345 ms`. */
export function formatLimit(limit: number, unit: Unit, currency: string | null): string {
  return saysAll(limit, unit) ? amount(limit, unit, currency) : exactAmount(limit, unit, currency)
}

type Limited = Pick<Finding, 'operator' | 'limit' | 'unit' | 'currency' | 'comparison'>

/** The limit for people: `10 s`; of a comparison what the margin came to, or `baseline + 10%` where there is no baseline yet. */
export function formatFindingBound({ comparison, limit, unit, currency }: Omit<Limited, 'operator'>): string {
  if (comparison === undefined) return formatLimit(limit, unit, currency)
  // what a margin came to is nobody's round number
  return comparison.baselineValue === null ? comparison.margin : amount(limit, unit, currency)
}

/** {@link formatFindingBound} with its operator: `< 10 s`. */
export function formatFindingLimit(finding: Limited): string {
  return `${finding.operator} ${formatFindingBound(finding)}`
}

/** A ratio as whole percent for confidence: `95 %`. */
export function formatConfidence(confidence: number): string {
  return `${trim(confidence * 100, 1)} %`
}
