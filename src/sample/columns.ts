import type { ErrorClass, ErrorKind, FailedSample, Flag, OkSample, TokenKind } from './types.ts'

/** How a cell is written and read. `words` is a list with spaces between, `labels` a JSON object. */
export type CellKind = 'text' | 'number' | 'boolean' | 'labels' | 'words'

interface Column {
  readonly name: string
  readonly kind: CellKind
  /** Every sample has it. */
  readonly required: boolean
  /** The only words that may stand here. */
  readonly among?: readonly string[]
}

function text<const Name extends string>(name: Name, among?: readonly string[]) {
  return { name, kind: 'text' as const, required: true, ...(among === undefined ? {} : { among }) }
}

function number<const Name extends string>(name: Name) {
  return { name, kind: 'number' as const, required: true }
}

function optional<const Of extends Column>(column: Of): Omit<Of, 'required'> & { readonly required: false } {
  return { ...column, required: false }
}

const ERROR_KINDS: Readonly<Record<ErrorKind, true>> = {
  dns: true,
  connect: true,
  tls: true,
  connect_timeout: true,
  http_status: true,
  not_a_stream: true,
  first_token_timeout: true,
  stall_timeout: true,
  total_timeout: true,
  reset: true,
  truncated: true,
  error_event: true,
  malformed: true,
  empty: true,
  oversize: true,
  aborted: true,
}
const ERROR_CLASSES: Readonly<Record<ErrorClass, true>> = {
  auth: true,
  bad_request: true,
  content_filter: true,
  context_length: true,
  gateway: true,
  not_found: true,
  overloaded: true,
  quota: true,
  rate_limit: true,
  server_error: true,
}
const TOKEN_KINDS: Readonly<Record<TokenKind, true>> = { reasoning: true, answer: true, tool: true }
const FLAGS: Readonly<Record<Flag, true>> = {
  lag: true,
  cached: true,
  batched: true,
  buffered: true,
  malformed: true,
  usage_inconsistent: true,
}

/** The columns behind `format`, in the order of the file. */
export const sampleColumns = [
  text('run_id'),
  text('plan'),
  number('seq'),
  number('round'),
  text('probe'),
  text('target'),
  text('prompt'),
  text('model'),
  optional(text('served_model')),
  text('protocol'),
  optional(text('region')),
  { name: 'labels', kind: 'labels', required: true },
  optional(number('simulated')),
  text('due_at'),
  text('started_at'),
  number('lateness_ms'),
  text('outcome', ['ok', 'error']),
  optional(text('error_kind', Object.keys(ERROR_KINDS))),
  optional(number('status')),
  optional(text('error_message')),
  optional(number('retry_after_ms')),
  { name: 'reused', kind: 'boolean', required: false },
  number('stale_retries'),
  optional(text('http_version', ['1.1', '2'])),
  optional(number('dns_ms')),
  optional(number('tcp_ms')),
  optional(number('tls_ms')),
  optional(number('connect_ms')),
  optional(number('send_ms')),
  optional(number('headers_ms')),
  optional(number('first_chunk_ms')),
  optional(number('ttft_ms')),
  optional(number('ttft_error_ms')),
  optional(text('first_token_kind', Object.keys(TOKEN_KINDS))),
  optional(number('first_answer_ms')),
  optional(number('last_token_ms')),
  optional(number('total_ms')),
  optional(number('decode_tps')),
  optional(number('tpot_ms')),
  optional(number('gap_p50_ms')),
  optional(number('gap_p99_ms')),
  optional(number('gap_max_ms')),
  optional(number('token_events')),
  optional(number('tokens_per_event')),
  optional(number('prompt_tokens')),
  optional(number('completion_tokens')),
  optional(number('reasoning_tokens')),
  optional(number('cached_tokens')),
  optional(text('finish_reason')),
  optional(number('cost')),
  number('client_lag_ms'),
  { name: 'flags', kind: 'words', required: true, among: Object.keys(FLAGS) },
  number('prompt_bytes'),
  text('nonce'),
  optional(text('request_id')),
  optional(number('prompt_tokens_raw')),
  optional(number('completion_tokens_raw')),
  optional(text('error_class', Object.keys(ERROR_CLASSES))),
] as const satisfies readonly Column[]

/** The name of any column but `format`. */
export type SampleColumn = (typeof sampleColumns)[number]['name']

/** A field of a sample without a column, or a column without a field, is a type error here. */
type Fields = keyof OkSample | keyof FailedSample
type Same = [Exclude<Fields, SampleColumn>, Exclude<SampleColumn, Fields>] extends [never, never] ? true : never
const everyFieldHasItsColumn: Same = true
void everyFieldHasItsColumn

/** The format of the rows that this version writes and the only one that it reads. */
export const FORMAT = 1

/** The columns that every file of this format has; those behind them came later, and an older file lacks them. */
export const FIRST_COLUMNS = 56

/** The columns of `samples.csv`, in order. New ones go to the end. */
export const columns: readonly ('format' | SampleColumn)[] = ['format', ...sampleColumns.map(({ name }) => name)]
