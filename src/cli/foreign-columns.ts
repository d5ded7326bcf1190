import { isTimeMetric } from '../budget/index.ts'
import { SloError } from '../errors.ts'
import type { CsvFile } from '../sample/csv-file.ts'
import type { Cell } from '../sample/csv-rows.ts'
import type { ErrorKind, FailedSample, Sample } from '../sample/types.ts'
import { MS_PER } from '../units.ts'
import { usageError } from './arguments.ts'
import { instantOf } from './instant.ts'

/** How the columns of somebody else's CSV become samples. */

const TIMES =
  'ttft first_answer headers first_chunk last_token total connect gap_p50 gap_p99 gap_max tpot send dns tcp tls'.split(
    ' ',
  )
const COUNTS = 'token_events tokens_per_event prompt_tokens completion_tokens reasoning_tokens cached_tokens'.split(' ')
const PLAIN = [...COUNTS, 'decode_tps', 'cost', 'status', 'seq', 'round']
const WORDS =
  'probe target prompt model served_model region run_id started_at outcome error_kind error_message finish_reason request_id'.split(
    ' ',
  )
const SCALES: Readonly<Record<string, number>> = { ...MS_PER, us: 1e-3, µs: 1e-3, ns: 1e-6 }
const KINDS: ReadonlySet<string> = new Set<ErrorKind>([
  'dns',
  'connect',
  'tls',
  'connect_timeout',
  'http_status',
  'not_a_stream',
  'first_token_timeout',
  'stall_timeout',
  'total_timeout',
  'reset',
  'truncated',
  'error_event',
  'malformed',
  'empty',
  'oversize',
  'aborted',
])
const GOOD = new Set(['ok', 'success', 'succeeded', 'true', '1', 'yes', 'pass', 'completed', 'stop'])
const BAD = new Set(['error', 'failed', 'failure', 'fail', 'false', '0', 'no', 'timeout'])

/** One `--map column=field[:unit]`. */
export interface ColumnMap {
  readonly column: string
  readonly field: string
  /** What a number is multiplied by; 1 for words. */
  readonly scale: number
}

/** @throws SloError `USAGE` */
export function parseMap(text: string): ColumnMap {
  const equals = text.lastIndexOf('=')
  const column = text.slice(0, Math.max(0, equals))
  const [field = '', unit] = text.slice(equals + 1).split(':')
  const wrong = (why: string): SloError =>
    usageError(
      'report',
      `--map ${text}: ${why}`,
      'write column=metric:unit or column=word, as ttft_seconds=ttft:s, model=target',
    )
  if (column === '' || field === '') throw wrong('no column and field')
  if (isTimeMetric(field) || TIMES.includes(field)) {
    const scale = unit === undefined ? undefined : SCALES[unit]
    if (scale === undefined) throw wrong(`a time needs its unit: ${column}=${field}:s or :ms`)
    return { column, field: `${field}_ms`, scale }
  }
  if (PLAIN.includes(field)) {
    if (unit !== undefined && !(field === 'decode_tps' && unit === 'tok/s')) throw wrong(`${field} has no unit ${unit}`)
    return { column, field, scale: 1 }
  }
  if (!WORDS.includes(field)) throw wrong(`there is no ${field}; there are ${[...TIMES, ...PLAIN, ...WORDS].join(' ')}`)
  if (unit !== undefined) throw wrong(`${field} is a word and has no unit`)
  return { column, field, scale: 1 }
}

const GUESSES: readonly (readonly [RegExp, (unit: string) => string])[] = [
  [/ttft|first_?token|time_to_first/i, (unit) => `ttft:${unit}`],
  [/first_?(answer|content)/i, (unit) => `first_answer:${unit}`],
  [/^(total|e2e|latency|duration|elapsed)|total_?(time|s|ms|latency)/i, (unit) => `total:${unit}`],
  [/tok(en)?s?_?(per|\/)_?s(ec)?|tps|throughput/i, () => 'decode_tps'],
  [/reasoning_?tokens/i, () => 'reasoning_tokens'],
  [/(completion|output)_?tokens/i, () => 'completion_tokens'],
  [/(prompt|input)_?tokens/i, () => 'prompt_tokens'],
  [/^(model|target|endpoint)$/i, () => 'target'],
  [/prompt|length|size|scenario/i, () => 'prompt'],
  [/^(time|timestamp|started?|started_at|ts|date|datetime|created|when)/i, () => 'started_at'],
  [/region/i, () => 'region'],
  [/http_?status|status_?code/i, () => 'status'],
  [/^(ok|success|outcome|status)$/i, () => 'outcome'],
  [/error|^err$|exception|failure/i, () => 'error_kind'],
  [/finish/i, () => 'finish_reason'],
  [/cost|price|usd/i, () => 'cost'],
]

/** A map to start from, guessed by the names of the columns. */
export function guessMaps(header: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  return header.flatMap((column) => {
    const unit = /(_ms|millis|\(ms\))/i.test(column) || column.endsWith('ms') ? 'ms' : 's'
    const guess = GUESSES.find(([pattern]) => pattern.test(column))?.[1](unit)
    const field = guess?.split(':')[0] ?? ''
    if (guess === undefined || taken.has(field)) return []
    taken.add(field)
    return [`--map ${/[^\w.-]/.test(column) ? `'${column}=${guess}'` : `${column}=${guess}`}`]
  })
}

/** @throws SloError `USAGE`: no map, or a map of a column that is not there */
export function checkMaps(file: CsvFile, maps: readonly ColumnMap[]): void {
  const columns = `columns of ${file.name}: ${file.header.join(', ')}`
  if (maps.length === 0) {
    const guess = guessMaps(file.header)
    throw new SloError(
      'USAGE',
      `${file.name} is no samples.csv of vitest-slo: say which of its columns is what\n  ${columns}`,
      {
        hint: `a map to start from: ${guess.length === 0 ? '--map COLUMN=ttft:s --map COLUMN=target' : guess.join(' ')}`,
      },
    )
  }
  const missing = maps.filter(({ column }) => !file.header.includes(column))
  if (missing.length > 0) {
    throw new SloError('USAGE', `${file.name} has no column ${missing.map(({ column }) => column).join(', ')}`, {
      hint: columns,
    })
  }
  if (
    !maps.some(
      ({ field }) => /_ms$|^(decode_tps|cost|outcome|error_kind|status)$/.test(field) || COUNTS.includes(field),
    )
  ) {
    throw new SloError('USAGE', `no column of ${file.name} is mapped to a metric`, { hint: columns })
  }
}

function wordOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** What a failure is called: one of our own words, a status, a timeout, or an error of the stream. */
function failureOf(
  fields: Readonly<Record<string, unknown>>,
): { readonly kind: ErrorKind; readonly status?: number } | null {
  const said = wordOf(fields['error_kind']).trim()
  const outcome = wordOf(fields['outcome']).trim().toLowerCase()
  const status = fields['status'] as number | undefined
  if (status !== undefined && status !== 200 && status !== 0) return { kind: 'http_status', status }
  const isEmptyWord = said === '' || /^(none|null|nan|false|0)$/i.test(said)
  if (isEmptyWord && (GOOD.has(outcome) || outcome === '')) {
    // with nothing else to tell, a request without its first token is no success
    return outcome === '' && 'ttft_ms' in fields && fields['ttft_ms'] === undefined ? { kind: 'empty' } : null
  }
  if (isEmptyWord && !BAD.has(outcome) && outcome === '') return null
  const words = `${isEmptyWord ? '' : said} ${outcome}`
  if (KINDS.has(said)) return { kind: said as ErrorKind }
  const code = /\b([45]\d\d)\b/.exec(words)?.[1]
  if (code !== undefined) return { kind: 'http_status', status: Number(code) }
  if (/time.?out|timed out/i.test(words))
    return { kind: fields['ttft_ms'] === undefined ? 'first_token_timeout' : 'total_timeout' }
  return { kind: 'error_event' }
}

/** Turns rows of one foreign file into samples, in the order of the file. */
export function foreignReader(
  file: CsvFile,
  maps: readonly ColumnMap[],
): (cells: readonly Cell[], line: number) => Sample {
  const places = maps.map((map) => ({ ...map, at: file.header.indexOf(map.column) }))
  let seq = 0
  return (cells, line) => {
    const fields: Record<string, unknown> = {}
    for (const { field, scale, at, column } of places) {
      const cell = cells[at] ?? null
      fields[field] = cell === null || cell.trim() === '' ? undefined : cell
      if (WORDS.includes(field) || fields[field] === undefined) continue
      if (/^(nan|none|null|n\/a|-)$/i.test(String(cell).trim())) {
        fields[field] = undefined
        continue
      }
      const value = Number(cell)
      if (!Number.isFinite(value)) {
        throw new SloError(
          'SAMPLES_UNREADABLE',
          `${file.name}:${line}: ${column} is ${JSON.stringify(cell)}, not a number`,
          {
            hint: 'correct or remove that row, or map another column',
          },
        )
      }
      // 1.049 s is 1049 ms, and not 1048.9999999999998
      fields[field] = scale === 1 ? value : Number((value * scale).toPrecision(15))
    }
    const failure = failureOf(fields)
    const startedAt = instantOf(fields['started_at'] as string | undefined, `${file.name}:${line}`)
    const text = (name: string, otherwise: string): string => wordOf(fields[name]) || otherwise
    const { outcome: _outcome, error_kind: said, error_message: message, ...known } = fields
    const model = text('model', text('target', 'foreign'))
    const sample = {
      ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
      run_id: text('run_id', file.name),
      plan: '',
      seq: (fields['seq'] as number | undefined) ?? seq,
      round: (fields['round'] as number | undefined) ?? 0,
      probe: text('probe', 'foreign'),
      target: text('target', text('model', 'foreign')),
      prompt: text('prompt', 'foreign'),
      model,
      protocol: 'foreign',
      labels: {},
      due_at: startedAt,
      started_at: startedAt,
      lateness_ms: 0,
      stale_retries: 0,
      client_lag_ms: 0,
      flags: [],
      prompt_bytes: 0,
      nonce: '',
    }
    seq += 1
    if (failure === null) return { ...sample, outcome: 'ok' } satisfies Sample
    return {
      ...sample,
      ...(failure.status === undefined ? {} : { status: failure.status }),
      outcome: 'error',
      error_kind: failure.kind,
      error_message: wordOf(message) || wordOf(said),
    } satisfies FailedSample
  }
}
