import { insertAfterTokens, mapEvents, cutAfterTokens, plainAnswer } from './script-edits.ts'
import type { Script } from './script.ts'
import type { Fault } from './fault.ts'

function echo(script: Script, where: string, secret: string, model: string): Script {
  const message = `Incorrect API key provided: ${secret}.`
  if (where === 'event') {
    const error = `data: ${JSON.stringify({ error: { message, type: 'authentication_error' } })}\n\n`
    return insertAfterTokens(cutAfterTokens(script, 1, 'end'), 1, error)
  }
  if (where === 'header') return { ...script, headers: { ...script.headers, 'x-request-id': `req-${secret}` } }
  if (where === 'model') {
    return mapEvents(script, ['role', 'token', 'finish', 'usage'], (payload) => ({
      ...payload,
      model: `${model}-${secret}`,
    }))
  }
  if (where === 'finish') {
    const choices = [{ index: 0, delta: {}, finish_reason: `stop-${secret}` }]
    return mapEvents(script, ['finish'], (payload) => ({ ...payload, choices }))
  }
  return plainAnswer(
    script,
    401,
    'application/json',
    JSON.stringify({ error: { message, type: 'authentication_error' } }),
  )
}

/** The key comes back where it may end up in a log. */
export const echoFaults: Readonly<Record<string, Fault>> = {
  'echo-key': {
    about:
      'the request’s key comes back: `in=body` of a 401, error `event`, x-request-id `header`, `model` name, `finish` reason',
    params: { in: 'body' },
    apply: (script, { authorization, model, text }) =>
      echo(script, text('in', 'body'), authorization.replace(/^Bearer\s+/i, ''), model),
  },
}
