import type { Script, Step } from './script.ts'
import { bytesOf, cutAfterTokens, insertAfterTokens, mapEvents, mapText, without } from './script-edits.ts'
import type { Fault } from './fault.ts'

const MALFORMED = 'data: {"choices":[{"delta":{"content":" brok\n\n'

function errorEvent(message = 'The model crashed.'): string {
  return `data: ${JSON.stringify({ error: { message, type: 'server_error', code: 500 } })}\n\n`
}

function batchFirst(script: Script, tokens: number): Script {
  const first = script.steps.findIndex((step) => step.kind === 'token')
  const batch = script.steps
    .slice(first)
    .filter((step) => step.kind === 'token')
    .slice(0, tokens)
  const field = bytesOf(batch[0] ?? { at: 0, kind: 'token', data: '' }).includes('"reasoning_content"')
    ? 'reasoning_content'
    : 'content'
  const text = batch
    .map(
      (step) => JSON.parse(bytesOf(step).toString('utf8').slice(6)) as { choices: { delta: Record<string, string> }[] },
    )
    .map((payload) => payload.choices[0]?.delta[field] ?? '')
    .join('')
  const gone = new Set<Step>(batch.slice(1))
  const head: Script = { ...script, steps: script.steps.filter((step) => !gone.has(step)) }
  let done = false
  return mapEvents(head, ['token'], (payload) => {
    if (done) return payload
    done = true
    return { ...payload, choices: [{ index: 0, delta: { [field]: text }, finish_reason: null }] }
  })
}

/** The events themselves are odd. */
export const streamFaults: Readonly<Record<string, Fault>> = {
  'no-finish-no-done': {
    about: 'the stream ends with neither a finish reason nor [DONE]',
    apply: (script) => without(script, 'finish', 'usage', 'done'),
  },
  'finish-no-done': {
    about: 'a finish reason, and no [DONE]: a good response',
    apply: (script) => without(script, 'done'),
  },
  'done-no-finish': {
    about: '[DONE], and no finish reason: a good response',
    apply: (script) => without(script, 'finish'),
  },
  'error-event': {
    about: 'an error object inside the stream, after some token events; the stream ends there',
    params: { tokens: '3', message: 'The model crashed.' },
    apply: (script, { number, text }) => {
      const cut = cutAfterTokens(script, number('tokens', 3), 'end')
      return insertAfterTokens(cut, number('tokens', 3), errorEvent(text('message', 'The model crashed.')))
    },
  },
  'error-event-first': {
    about: 'an error object before a token; the stream ends there',
    apply: (script) => {
      const role = script.steps.filter((step) => step.kind === 'role')
      return { ...script, steps: [...role, { at: role.at(-1)?.at ?? 0, kind: 'other', data: errorEvent() }] }
    },
  },
  'malformed-event': {
    about: 'one event that is not JSON, in a stream that is good otherwise',
    params: { tokens: '2' },
    apply: (script, { number }) => insertAfterTokens(script, number('tokens', 2), MALFORMED),
  },
  'only-malformed': {
    about: 'no event is JSON',
    apply: (script) => mapText(without(script, 'role', 'usage', 'done', 'finish'), ['token'], () => MALFORMED),
  },
  'role-only': {
    about: 'the role, a finish reason and [DONE], without one token',
    apply: (script) => without(script, 'token', 'usage'),
  },
  'length-without-token': {
    about: 'stopped at the token cap before a visible token: ok, without TTFT',
    apply: (script) =>
      mapEvents(without(script, 'token', 'usage'), ['finish'], (payload) => ({
        ...payload,
        choices: [{ index: 0, delta: {}, finish_reason: 'length' }],
      })),
  },
  'half-event': {
    about: 'the body ends, cleanly, in the middle of an event',
    params: { tokens: '3' },
    apply: (script, { number }) => {
      const cut = cutAfterTokens(script, number('tokens', 3), 'end')
      return insertAfterTokens(cut, number('tokens', 3), 'data: {"id":"cut","choices":[{"index":0,"del')
    },
  },
  'huge-event': {
    about: 'one token event of many bytes',
    params: { bytes: '1000000', tokens: '1' },
    apply: (script, { number }) => {
      const payload = {
        choices: [{ index: 0, delta: { content: 'x'.repeat(number('bytes', 1_000_000)) }, finish_reason: null }],
      }
      return insertAfterTokens(script, number('tokens', 1), `data: ${JSON.stringify(payload)}\n\n`)
    },
  },
  'batched-first': {
    about: 'many tokens in the first token event',
    params: { tokens: '20' },
    apply: (script, { number }) => batchFirst(script, number('tokens', 20)),
  },
  pings: {
    about: 'comments and empty deltas before the first token and between the tokens: a good response',
    apply: (script) =>
      mapText(
        script,
        ['role', 'token'],
        (text) => `: ping\n\n${text}data: {"choices":[{"index":0,"delta":{"content":""}}]}\n\n`,
      ),
  },
  crlf: {
    about: 'lines that end with CR LF: a good response',
    apply: (script) =>
      mapText(script, ['role', 'token', 'finish', 'usage', 'done', 'other'], (text) => text.replaceAll('\n', '\r\n')),
  },
  unicode: {
    about: 'token text of two, three and four bytes a character: a good response',
    apply: (script) => mapText(script, ['token'], (text) => text.replaceAll(/ (?:the|check|first)/g, ' né中😀')),
  },
}
