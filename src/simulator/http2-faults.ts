import { BadRequest } from './request.ts'
import { cutAfterTokens, insertAfterTokens } from './script-edits.ts'
import type { Fault } from './fault.ts'
import type { Script } from './script.ts'
import { http2Codes } from './wire.ts'
import type { Http2Code } from './wire.ts'

function codeOf(text: string): Http2Code {
  const code = http2Codes.find((name) => name === text)
  if (code === undefined) throw new BadRequest(`there is no code ${text}; the codes are ${http2Codes.join(', ')}`)
  return code
}

function silent(script: Script, ending: Script['ending']): Script {
  return { ...script, headersAt: null, steps: [{ at: 0, kind: 'other', data: '' }], ending }
}

/** What HTTP/2 alone can do. */
export const http2Faults: Readonly<Record<string, Fault>> = {
  'rst-before-headers': {
    about: 'RST_STREAM before the headers',
    http: '2',
    params: { code: 'INTERNAL_ERROR' },
    apply: (script, { text }) => silent(script, { rst: codeOf(text('code', 'INTERNAL_ERROR')) }),
  },
  'rst-mid-stream': {
    about: 'RST_STREAM after some token events',
    http: '2',
    params: { code: 'INTERNAL_ERROR', tokens: '5' },
    apply: (script, { number, text }) =>
      cutAfterTokens(script, number('tokens', 5), { rst: codeOf(text('code', 'INTERNAL_ERROR')) }),
  },
  'rst-after-done': {
    about: 'RST_STREAM after [DONE]: a good response',
    http: '2',
    params: { code: 'INTERNAL_ERROR' },
    apply: (script, { text }) => ({ ...script, ending: { rst: codeOf(text('code', 'INTERNAL_ERROR')) } }),
  },
  'goaway-before-headers': {
    about: 'GOAWAY below our stream, where the connection has carried a request before: it was never begun',
    http: '2',
    params: { code: 'NO_ERROR' },
    apply: (script, { text }) => silent(script, { goaway: codeOf(text('code', 'NO_ERROR')) }),
  },
  'goaway-mid-stream': {
    about: 'GOAWAY after some token events, and the connection ends with it',
    http: '2',
    params: { code: 'INTERNAL_ERROR', tokens: '5' },
    apply: (script, { number, text }) =>
      cutAfterTokens(script, number('tokens', 5), { goaway: codeOf(text('code', 'INTERNAL_ERROR')) }),
  },
  'goaway-and-finish': {
    about: 'GOAWAY that covers our stream, after some token events: a good response, and the last of its connection',
    http: '2',
    params: { tokens: '5' },
    apply: (script, { number }) => insertAfterTokens(script, number('tokens', 5), '', 'goaway'),
  },
}
