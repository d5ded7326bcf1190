import type { Script } from './script.ts'
import { plainAnswer } from './script-edits.ts'
import type { Fault } from './fault.ts'

const HTML =
  '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1><hr>gateway</body></html>\n'

const TYPES: Readonly<Record<number, readonly [type: string, message: string]>> = {
  400: ['invalid_request_error', 'The request is not valid.'],
  401: ['authentication_error', 'Incorrect API key provided.'],
  403: ['permission_error', 'This key may not use the model.'],
  404: ['not_found_error', 'The model does not exist.'],
  429: ['rate_limit_error', 'Rate limit reached. Try again later.'],
  500: ['server_error', 'The server had an error while processing the request.'],
  503: ['server_error', 'The service is unavailable.'],
  529: ['overloaded_error', 'The model is overloaded. Try again later.'],
}

function errorBody(status: number): string {
  const [type, message] = TYPES[status] ?? ['error', `Status ${status}.`]
  return JSON.stringify({ error: { message, type, code: status } })
}

function errorAnswer(script: Script, status: number, headers: Readonly<Record<string, string>> = {}): Script {
  return plainAnswer(script, status, 'application/json', errorBody(status), headers)
}

function status(code: number): Fault {
  return { about: `HTTP ${code} with a JSON error`, apply: (script) => errorAnswer(script, code) }
}

/** The response has another status than 200, or is no stream. */
export const statusFaults: Readonly<Record<string, Fault>> = {
  'http-400': status(400),
  'http-401': status(401),
  'http-403': status(403),
  'http-404': status(404),
  'http-429': {
    about: 'HTTP 429 with Retry-After',
    params: { 'retry-after': '2' },
    apply: (script, { text }) => errorAnswer(script, 429, { 'retry-after': text('retry-after', '2') }),
  },
  'http-500': status(500),
  'http-502-html': {
    about: 'HTTP 502 with the HTML page of a gateway',
    apply: (script) => plainAnswer(script, 502, 'text/html', HTML),
  },
  'http-503': status(503),
  'http-529': {
    about: 'HTTP 529, overloaded; with Retry-After if told',
    params: { 'retry-after': 'none' },
    apply: (script, { text }) => {
      const after = text('retry-after', 'none')
      return errorAnswer(script, 529, after === 'none' ? {} : { 'retry-after': after })
    },
  },
  http: {
    about: 'any status, with a JSON error',
    params: { status: '500' },
    apply: (script, { number }) => errorAnswer(script, number('status', 500)),
  },
  'empty-200': {
    about: 'status 200, an event stream without one byte',
    apply: (script) => plainAnswer(script, 200, 'text/event-stream; charset=utf-8', ''),
  },
  'json-200': {
    about: 'status 200 with a JSON error in place of a stream',
    apply: (script) => plainAnswer(script, 200, 'application/json', errorBody(500)),
  },
  'html-200': {
    about: 'status 200 with an HTML page in place of a stream',
    apply: (script) => plainAnswer(script, 200, 'text/html', HTML.replaceAll('502 Bad Gateway', 'Sign in')),
  },
  'wrong-content-type': {
    about: 'a good stream under another content type',
    params: { type: 'application/octet-stream' },
    apply: (script, { text }) => ({
      ...script,
      headers: { ...script.headers, 'content-type': text('type', 'application/octet-stream') },
    }),
  },
}
