import type { EventReading, WireEvent } from '../../src/index.ts'
import type { Sample } from '../../src/sample/types.ts'
import type { Expected } from './index-file.ts'

/** Something that the prober read. */
export interface Observed {
  readonly reading: EventReading | 'malformed'
  readonly index: number | null
  readonly event: WireEvent
}

function indexes(observed: readonly Observed[], which: (reading: EventReading) => boolean): readonly number[] {
  return observed.flatMap(({ reading, index }) =>
    index !== null && reading !== 'malformed' && which(reading) ? [index] : [],
  )
}

/** What a sample and the readings behind it say, in the words of the corpus. */
export function gotFrom(sample: Sample, observed: readonly Observed[]): Expected {
  const events = observed.filter(({ index }) => index !== null)
  const reasoning = indexes(observed, ({ tokens }) => tokens.includes('reasoning'))
  const answer = indexes(observed, ({ tokens }) => tokens.includes('answer'))
  const tokens = indexes(observed, ({ tokens }) => tokens.length > 0)
  const usage = indexes(observed, ({ usage }) => usage !== undefined)
  const error = observed.find(({ reading }) => reading !== 'malformed' && reading.error !== undefined)
  // an error that is all of the body is told by its own kind
  const failed = sample.outcome === 'error' && ['error_event', 'not_a_stream'].includes(sample.error_kind)
  return {
    event_count: events.length,
    first_any_event_index: events.length === 0 ? null : 0,
    first_token_event_index: tokens[0] ?? null,
    first_token_kind: sample.first_token_kind ?? null,
    first_reasoning_event_index: reasoning[0] ?? null,
    first_answer_event_index: answer[0] ?? null,
    first_tool_argument_event_index: indexes(observed, ({ toolArguments }) => toolArguments === true)[0] ?? null,
    last_token_event_index: tokens.at(-1) ?? null,
    token_event_count: sample.token_events ?? 0,
    answer_event_count: answer.length,
    reasoning_event_count: reasoning.length,
    finish_reason: sample.finish_reason ?? null,
    prompt_tokens: sample.prompt_tokens ?? null,
    prompt_tokens_raw: sample.prompt_tokens_raw ?? null,
    completion_tokens: sample.completion_tokens ?? null,
    completion_tokens_raw: sample.completion_tokens_raw ?? null,
    reasoning_tokens: sample.reasoning_tokens ?? null,
    cached_tokens: sample.cached_tokens ?? null,
    usage_event_indexes_first_last: usage.length === 0 ? null : [usage[0], usage.at(-1)],
    error: failed && error !== undefined && error.reading !== 'malformed' ? error.reading.error : null,
    error_event_index: error?.index ?? null,
    malformed_event_indexes: events.filter(({ reading }) => reading === 'malformed').map(({ index }) => index),
    usage_inconsistent: sample.flags.includes('usage_inconsistent'),
    done_marker: observed.some(({ event }) => event.data.trim() === '[DONE]'),
    terminal_event_index: indexes(observed, ({ end }) => end === true)[0] ?? null,
  }
}
