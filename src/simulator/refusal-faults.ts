import type { Script } from './script.ts'
import { plainAnswer } from './script-edits.ts'
import type { Fault } from './fault.ts'

function json(script: Script, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Script {
  return plainAnswer(script, status, 'application/json', JSON.stringify(body), headers)
}

function refusal(status: number, about: string, body: unknown): Fault {
  return { about: `HTTP ${status}: ${about}`, apply: (script) => json(script, status, body) }
}

const SLOW_DOWN = { error: { message: 'Too many requests.', type: 'rate_limit_error', code: 'rate_limit_exceeded' } }

/** How one provider or another says when to come back, in provider milliseconds from now. */
function comeBack(how: string, ms: number): Readonly<Record<string, string>> {
  const at = new Date(Date.now() + ms)
  switch (how) {
    case 'date':
      return { 'retry-after': at.toUTCString() }
    case 'milliseconds':
      return { 'retry-after-ms': String(ms) }
    case 'reset':
      return { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': `${ms}ms` }
    case 'timestamp':
      return { 'anthropic-ratelimit-tokens-remaining': '0', 'anthropic-ratelimit-tokens-reset': at.toISOString() }
    default:
      return { 'retry-after': String(ms / 1000) }
  }
}

/** Statuses whose body means more than their number. */
export const refusalFaults: Readonly<Record<string, Fault>> = {
  'wrong-key-400': refusal(400, 'a wrong key, where others say 401', {
    code: 'invalid-argument',
    error: 'Incorrect API key provided.',
  }),
  'unknown-model-400': refusal(400, 'an unknown model, where others say 404', {
    message: 'The provided model identifier is invalid.',
  }),
  'too-long-400': refusal(400, 'a prompt that is too long', {
    error: { message: 'The prompt is too long.', type: 'invalid_request_error', code: 'context_length_exceeded' },
  }),
  'filtered-400': refusal(400, 'a prompt that a content filter refuses', {
    error: { message: 'The prompt was filtered.', code: 'content_filter', param: 'prompt' },
  }),
  'no-money-402': refusal(402, 'an account without credit', { error: { message: 'Insufficient credits.', code: 402 } }),
  'no-quota-429': refusal(429, 'a quota that no waiting fills', {
    error: { message: 'Check your plan.', type: 'insufficient_quota', code: 'insufficient_quota' },
  }),
  'overloaded-429': refusal(429, 'an overload, where others say 503 or 529', {
    error: { message: 'The engine is currently overloaded.', type: 'engine_overloaded_error' },
  }),
  'slow-down': {
    about: 'HTTP 429; when to come back in `as` seconds, a date, milliseconds, a reset or a timestamp of the limits',
    params: { as: 'seconds', ms: '30000 (real ms)' },
    apply: (script, { number, text }) =>
      json(script, 429, SLOW_DOWN, comeBack(text('as', 'seconds'), number('ms', 30_000))),
  },
  'gateway-page': {
    about: 'an HTML page of whatever stands in front',
    params: { status: '524' },
    apply: (script, { number }) =>
      plainAnswer(
        script,
        number('status', 524),
        'text/html',
        '<!DOCTYPE html><html><title>A timeout occurred</title></html>',
        {
          'cf-ray': '8a1b2c3d4e5f-FRA',
        },
      ),
  },
  redirect: {
    about: 'HTTP 302 to a page to sign in',
    apply: (script) => plainAnswer(script, 302, 'text/plain', '', { location: 'https://sign-in.example/' }),
  },
}
