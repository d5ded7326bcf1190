import type { Advice } from '../verdict/types.ts'
import { formatMs } from '../units.ts'
import { markdownText } from './markdown.ts'
import { ABSENT, formatCount, formatShare, formatTableMs } from './numbers.ts'
import { tableSection } from './sections.ts'
import type { ListSection } from './sections.ts'
import type { RunReport } from './types.ts'

/** Columns of the advice, in the summary and on the page; the first two name the row. */
export const ADVICE_COLUMNS = [
  'Target',
  'Prompt',
  'n',
  'first-token timeout',
  'TTFT p99',
  'total timeout',
  'slowest',
  'success, as sampled',
  'with one retry',
  'TTFT p99 with one retry',
  'requests retried',
]

const ms = (value: number | null | undefined): string => ((value ?? null) === null ? ABSENT : formatMs(value ?? 0))
const share = (value: number | null | undefined): string =>
  (value ?? null) === null ? ABSENT : formatShare(value ?? 0, 1)

/** A row for {@link ADVICE_COLUMNS}, plain text. */
export function adviceRow(advice: Advice): string[] {
  const {
    target,
    prompt,
    n,
    firstTokenTimeoutMs,
    ttftP99,
    totalTimeoutMs,
    slowestTotalMs,
    asSampled,
    withRetry,
    retry,
  } = advice
  return [
    target,
    prompt,
    formatCount(n),
    ms(firstTokenTimeoutMs),
    formatTableMs(ttftP99),
    ms(totalTimeoutMs),
    ms(slowestTotalMs),
    share(asSampled?.successRate),
    share(withRetry?.successRate),
    formatTableMs(withRetry?.ttftP99 ?? null),
    share(retry?.extraRequests),
  ]
}

/** How to read it. */
export const ADVICE_METHOD =
  'First-token timeout: p99 of TTFT plus 40 %, rounded up, from 100 samples on; total timeout: the slowest seen plus 20 %. One retry with a short, bounded backoff on 529, a first-token timeout or an empty stream, by resampling: it assumes that a second attempt is as good as any.'

/** What the samples advise a client to set. */
export function adviceSections({ advice = [] }: RunReport): ListSection[] {
  if (
    advice.every(({ totalTimeoutMs, firstTokenTimeoutMs }) => totalTimeoutMs === null && firstTokenTimeoutMs === null)
  )
    return []
  const columns = ADVICE_COLUMNS.map((title, index) => ({ title, right: index > 1 }))
  const rows = advice.map((each) => adviceRow(each).map((cell) => markdownText(cell)))
  const left = (count: number): string => `${formatCount(count)} more rows are left out here; report.json has them all.`
  return [tableSection(['', '## Timeouts and a retry', '', ADVICE_METHOD], columns, rows, left)]
}
