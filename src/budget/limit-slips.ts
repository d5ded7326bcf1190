import { LimitFault } from './limit-fault.ts'
import type { LimitToken } from './limit-tokens.ts'
import { isValueMetric, OTHER_WORDS } from './metrics.ts'

/** A fault at one word. */
export function fault(token: LimitToken, code: string, message: string, hint?: string): LimitFault {
  return new LimitFault(code, token.start, token.text.length, message, hint)
}

/** `3,5s` as `3.5s`; three digits behind the comma may be thousands as well. */
export function commaFault(comma: LimitToken, whole: LimitToken, part: LimitToken, unit: LimitToken): LimitFault {
  const message = 'a comma is no decimal point'
  if (part.kind !== 'number' || part.text.includes('.') || unit.text === ',') {
    return fault(comma, 'syntax', message, 'write decimals as in `1.5`, and thousands without a sign')
  }
  const behind = unit.kind === 'word' || unit.text === '%' ? unit.text : ''
  const gap = behind.includes('/') ? ' ' : ''
  const decimal = `\`${whole.text}.${part.text}${gap}${behind}\``
  const thousands = part.text.length === 3 ? `\`${whole.text}${part.text}${gap}${behind}\` or ` : ''
  return fault(comma, 'syntax', message, `did you mean ${thousands}${decimal}?`)
}

/** Keys of a budget that people write behind its limit. */
const BUDGET_KEYS: ReadonlySet<string> = new Set([
  'per',
  'where',
  'severity',
  'on_inconclusive',
  'min_samples',
  'failures',
  'confidence',
  'window',
  'floor',
  'fail_after',
  'stall_over',
])
const POOLS: ReadonlySet<string> = new Set(['cell', 'target', 'prompt', 'probe'])

/** Whether a word of a limit is a key of the budget. */
export function isBudgetKey({ kind, text }: LimitToken): boolean {
  return kind === 'word' && BUDGET_KEYS.has(text)
}

/** `p95 ttft < 10s per target`: the key belongs below the limit. */
export function keyFault(key: LimitToken, next: LimitToken): LimitFault {
  const pool = POOLS.has(next.text) ? next.text : 'target'
  const line = key.text === 'per' ? `per: ${pool}` : `${key.text}:`
  return fault(
    key,
    'unexpected-text',
    `\`${key.text}\` is a key of its own, and no part of the limit`,
    `write \`${line}\` in a line of its own, below the limit`,
  )
}

/** `time to first token` has four words; none of ours has more. */
const MOST_WORDS = 4

/** The metric that the next words name together; `undefined` where they name none. */
export function spacedMetric(
  tokens: readonly LimitToken[],
  metrics: readonly string[],
): { readonly start: number; readonly length: number; readonly written: string; readonly meant: string } | undefined {
  const [first] = tokens
  if (first?.kind !== 'word') return undefined
  let name = first.text.toLowerCase()
  let written = first.text
  let found: ReturnType<typeof spacedMetric>
  let words = 1
  let dash = ''
  for (const token of tokens.slice(1)) {
    if (token.text === '-' && dash === '') {
      dash = '-'
      continue
    }
    if (token.kind !== 'word' || words === MOST_WORDS) break
    words += 1
    name += `_${token.text.toLowerCase()}`
    written += `${dash === '' ? ' ' : dash}${token.text}`
    dash = ''
    const meant = metrics.includes(name) ? name : Object.hasOwn(OTHER_WORDS, name) ? OTHER_WORDS[name] : undefined
    if (meant !== undefined) {
      found = { start: first.start, length: token.start + token.text.length - first.start, written, meant }
    }
  }
  return found
}

const PERCENTILE_MARKS: ReadonlySet<string> = new Set(['p', 'th', 'st', 'nd', 'rd', '%', 'percentile'])

/** `95p ttft`, `95th ttft`, `95 ttft` for `p95 ttft`; `undefined` where the number is no percentile. */
export function turnedPercentile(number: LimitToken, mark: LimitToken, next: LimitToken): LimitFault | undefined {
  const percentile = Number(number.text)
  const marked = PERCENTILE_MARKS.has(mark.text.toLowerCase())
  const named = isValueMetric(mark.text) || (marked && next.kind === 'word')
  if (percentile > 100 || !named) return undefined
  const written = marked ? `${number.text}${mark.text}` : number.text
  const end = marked ? mark.start + mark.text.length : number.start + number.text.length
  const hint = `did you mean \`p${percentile}\`?`
  return new LimitFault('unknown-statistic', number.start, end - number.start, `\`${written}\` is no statistic`, hint)
}
