import { gzipSync } from 'node:zlib'
import type { Script } from './script.ts'
import type { Fault } from './fault.ts'

const PIECE = 64 * 1024
/** More than a client should take for one event. */
const BOMB_BYTES = 64 * 1024 * 1024

function endless(script: Script, first: string, forever: string | Uint8Array): Script {
  const at = script.headersAt ?? 0
  return { ...script, steps: [{ at, kind: 'other', data: first }], forever, ending: 'hang' }
}

function raw(script: Script, data: string, ending: Script['ending'], forever?: string): Script {
  const at = script.headersAt ?? 0
  const steps = [{ at, kind: 'other' as const, data }]
  return { ...script, headersAt: null, raw: true, steps, ending, ...(forever === undefined ? {} : { forever }) }
}

/** More than anybody wants, or nothing that anybody understands. */
export const endlessFaults: Readonly<Record<string, Fault>> = {
  'endless-comments': {
    about: 'comments, as fast as they are read, and nothing else',
    apply: (script) => endless(script, ': begin\n', `: ${'x'.repeat(PIECE)}\n`),
  },
  'endless-event': {
    about: 'an event whose data does not end',
    apply: (script) => endless(script, 'data: {"choices":[{"delta":{"content":"', 'x'.repeat(PIECE)),
  },
  'endless-tokens': {
    about: 'small tokens, as fast as they are read',
    apply: (script) => endless(script, '', 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'.repeat(500)),
  },
  'endless-headers': {
    about: 'a status line, and headers that do not end',
    http: '1.1',
    apply: (script) => raw(script, 'HTTP/1.1 200 OK\r\n', 'hang', `x-more: ${'y'.repeat(1000)}\r\n`),
  },
  'endless-hints': {
    about: 'interim responses, again and again, and no other',
    http: '1.1',
    params: { every: '1000 (provider ms)', hints: '1000' },
    apply: (script, { number }) => {
      const steps = Array.from({ length: number('hints', 1000) }, (_, i) => ({
        at: i * number('every', 1000),
        kind: 'other' as const,
        data: 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n',
      }))
      return { ...script, headersAt: null, raw: true, steps, ending: 'hang' }
    },
  },
  'gzip-bomb': {
    about: 'little on the wire, an event without an end when it is unpacked',
    apply: (script) => ({
      ...endless(script, '', gzipSync(`data: ${'x'.repeat(BOMB_BYTES)}`)),
      headers: { ...script.headers, 'content-encoding': 'gzip' },
    }),
  },
  'not-http': {
    about: 'something that does not speak HTTP',
    http: '1.1',
    apply: (script) => raw(script, 'SSH-2.0-OpenSSH_9.9\r\n', 'close'),
  },
  'bad-gzip': {
    about: 'a body that says it is gzip and is not',
    apply: (script) => ({ ...script, headers: { ...script.headers, 'content-encoding': 'gzip' } }),
  },
}
