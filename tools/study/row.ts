import { parse } from 'csv-parse/sync'

/** What the study's figures are made of, of one sample; unscaled milliseconds. What does not exist is absent. */
export interface StudyRow {
  readonly target: string
  readonly prompt: string
  readonly ok: boolean
  readonly status?: number
  readonly errorKind?: string
  readonly ttft?: number
  readonly firstAnswer?: number
  readonly total?: number
  readonly tps?: number
  readonly tokensPerEvent?: number
  readonly promptTokens?: number
  readonly completionTokens?: number
  readonly finishReason?: string
  /** Time scale. */
  readonly simulated?: number
}

/** Names of the columns that hold numbers. */
export type NumberColumn =
  | 'ttft'
  | 'firstAnswer'
  | 'total'
  | 'tps'
  | 'tokensPerEvent'
  | 'promptTokens'
  | 'completionTokens'

const NUMBERS: Readonly<Record<NumberColumn | 'status' | 'simulated', string>> = {
  status: 'status',
  ttft: 'ttft_ms',
  firstAnswer: 'first_answer_ms',
  total: 'total_ms',
  tps: 'decode_tps',
  tokensPerEvent: 'tokens_per_event',
  promptTokens: 'prompt_tokens',
  completionTokens: 'completion_tokens',
  simulated: 'simulated',
}

/** Reads the newest run of a `samples.csv`; samples that we cut off ourselves (`aborted`) are left out. */
export function readRows(csv: string): StudyRow[] {
  const records = parse<Record<string, string>>(csv, { columns: true, bom: true, skip_empty_lines: true })
  const newest = records.at(-1)?.['run_id']
  return records
    .filter((record) => record['run_id'] === newest && record['error_kind'] !== 'aborted')
    .map((record) => {
      const numbers = Object.entries(NUMBERS).flatMap(([key, column]) => {
        const text = record[column] ?? ''
        return text === '' ? [] : [[key, Number(text)]]
      })
      return {
        target: record['target'] ?? '',
        prompt: record['prompt'] ?? '',
        ok: record['outcome'] === 'ok',
        ...(record['error_kind'] ? { errorKind: record['error_kind'] } : {}),
        ...(record['finish_reason'] ? { finishReason: record['finish_reason'] } : {}),
        ...(Object.fromEntries(numbers) as Partial<Record<NumberColumn, number>>),
      }
    })
}
