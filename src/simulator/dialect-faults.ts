import { cutAfterTokens, insertAfterTokens, mapEvents, mapText, without } from './script-edits.ts'
import type { Script } from './script.ts'
import type { Fault } from './fault.ts'

interface Choice {
  readonly index: number
  readonly delta: Readonly<Record<string, unknown>>
  readonly finish_reason: string | null
}

function choiceOf(payload: Record<string, unknown>): Choice {
  return (payload['choices'] as readonly Choice[])[0] ?? { index: 0, delta: {}, finish_reason: null }
}

/** Other deltas in the token events. */
function mapDeltas(script: Script, change: (text: string) => Readonly<Record<string, unknown>>): Script {
  return mapEvents(script, ['token'], (payload) => {
    const { delta, ...choice } = choiceOf(payload)
    const text = delta['content'] ?? delta['reasoning_content']
    return { ...payload, choices: [{ ...choice, delta: change(typeof text === 'string' ? text : '') }] }
  })
}

function finishWith(script: Script, reason: string): Script {
  return mapEvents(script, ['finish'], (payload) => ({
    ...payload,
    choices: [{ ...choiceOf(payload), finish_reason: reason }],
  }))
}

/** An error in the stream after `tokens` tokens; the body ends there. */
function failing(about: string, data: string): Fault {
  return {
    about,
    params: { tokens: '3' },
    apply: (script, { number }) => {
      const tokens = number('tokens', 3)
      return insertAfterTokens(cutAfterTokens(script, tokens, 'end'), tokens, data)
    },
  }
}

/** Events that one provider or another shapes in a way of its own. */
export const dialectFaults: Readonly<Record<string, Fault>> = {
  'overloaded-event': failing(
    'an `error` event: overloaded, though the status was 200',
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
  ),
  'rate-limit-event': failing(
    'an error object in an event: a rate limit',
    'data: {"error":{"message":"Slow down.","type":"rate_limit_error","code":429}}\n\n',
  ),
  'error-text': failing('an error that is a text', 'data: {"error":"upstream crashed"}\n\n'),
  'error-with-choices': failing(
    'an error beside choices and usage, then [DONE]',
    'data: {"choices":[{"index":0,"delta":{},"finish_reason":"error"}],"error":{"message":"Provider crashed","code":502},"usage":null}\n\ndata: [DONE]\n\n',
  ),
  'error-field': failing(
    'an error in a field of SSE that no standard knows, then [DONE]',
    'error: {"code":500,"message":"slot crashed","type":"server_error"}\n\ndata: [DONE]\n\n',
  ),
  'bare-error': failing(
    'an error as JSON without `data:`',
    '{"error":{"message":"worker died","type":"server_error"}}\n',
  ),
  'filtered-finish': {
    about: 'finished by a content filter before a token',
    apply: (script) => finishWith(without(script, 'token', 'usage'), 'content_filter'),
  },
  'stop-without-token': {
    about: 'a crash made into a finish reason and [DONE], without a token',
    apply: (script) => without(script, 'role', 'token', 'usage'),
  },
  'filtered-end': {
    about: 'finished by a content filter after tokens: a good response',
    apply: (script) => finishWith(script, 'content_filter'),
  },
  'filter-events': {
    about: 'a first event without choices, and choices without a delta: a good response',
    apply: (script) =>
      insertAfterTokens(
        insertAfterTokens(script, 0, 'data: {"choices":[],"prompt_filter_results":[{"prompt_index":0}]}\n\n'),
        2,
        'data: {"choices":[{"index":0,"content_filter_offsets":{},"finish_reason":null}]}\n\n',
      ),
  },
  'tool-calls': {
    about: 'tool calls in place of text: a good response',
    apply: (script) =>
      finishWith(
        mapDeltas(script, (text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
        'tool_calls',
      ),
  },
  refusal: {
    about: 'a refusal, which is an answer: a good response',
    apply: (script) => mapDeltas(script, (text) => ({ refusal: text })),
  },
  'reasoning-details': {
    about: 'reasoning in parts, under two names, and no answer: a good response',
    apply: (script) => mapDeltas(script, (text) => ({ reasoning: text, reasoning_details: [{ text }] })),
  },
  'content-parts': {
    about: 'content in parts: a good response',
    apply: (script) => mapDeltas(script, (text) => ({ content: [{ type: 'text', text }] })),
  },
  'finish-twice': {
    about: 'two finish events: a good response',
    apply: (script) => mapText(script, ['finish'], (text) => text + text),
  },
  'finish-early': {
    about: 'a finish reason in every event: a good response',
    apply: (script) =>
      mapEvents(script, ['token'], (payload) => ({
        ...payload,
        choices: [{ ...choiceOf(payload), finish_reason: 'stop' }],
      })),
  },
  'usage-everywhere': {
    about: '`usage: null` in every event but the last: a good response',
    apply: (script) => mapEvents(script, ['role', 'token', 'finish'], (payload) => ({ ...payload, usage: null })),
  },
  'usage-in-choice': {
    about: 'usage inside the choice of the finish event: a good response',
    apply: (script) => {
      let usage: unknown
      mapEvents(script, ['usage'], (payload) => {
        usage = payload['usage']
        return payload
      })
      return mapEvents(without(script, 'usage'), ['finish'], (payload) => ({
        ...payload,
        choices: [{ ...choiceOf(payload), usage }],
      }))
    },
  },
}
