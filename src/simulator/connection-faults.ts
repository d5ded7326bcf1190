import { cutAfterTokens, gzipped, inPieces } from './script-edits.ts'
import type { Fault } from './fault.ts'

/** The connection breaks, hangs, or carries the bytes in an odd way. */
export const connectionFaults: Readonly<Record<string, Fault>> = {
  'reset-before-headers': {
    about:
      'RST before a byte of the response; with `on=reused` only where the socket was used before, so that a first retry succeeds',
    params: { after: '0 (provider ms)' },
    apply: (script, { number }) => ({
      ...script,
      headersAt: null,
      steps: [{ at: number('after', 0), kind: 'other', data: '' }],
      ending: 'reset',
    }),
  },
  'close-before-headers': {
    about: 'the socket is closed (FIN) before a byte of the response',
    params: { after: '0 (provider ms)' },
    apply: (script, { number }) => ({
      ...script,
      headersAt: null,
      steps: [{ at: number('after', 0), kind: 'other', data: '' }],
      ending: 'close',
    }),
  },
  'reset-after-headers': {
    about: 'RST after the headers, before an event',
    apply: (script) => ({ ...script, steps: [], ending: 'reset' }),
  },
  'reset-mid-stream': {
    about: 'RST after some token events',
    params: { tokens: '5' },
    apply: (script, { number }) => cutAfterTokens(script, number('tokens', 5), 'reset'),
  },
  'close-mid-stream': {
    about: 'the socket is closed (FIN) after some token events, without the end of the body',
    params: { tokens: '5' },
    apply: (script, { number }) => cutAfterTokens(script, number('tokens', 5), 'close'),
  },
  'hang-before-headers': {
    about: 'nothing ever comes',
    apply: (script) => ({ ...script, headersAt: null, steps: [], ending: 'hang' }),
  },
  'hang-after-headers': {
    about: 'headers, then nothing',
    apply: (script) => ({ ...script, steps: [], ending: 'hang' }),
  },
  'hang-after-first-token': {
    about: 'some token events, then nothing',
    params: { tokens: '1' },
    apply: (script, { number }) => cutAfterTokens(script, number('tokens', 1), 'hang'),
  },
  'hang-with-pings': {
    about: 'headers, then a comment again and again, and no token',
    params: { every: '1000 (provider ms)', pings: '1000' },
    apply: (script, { number }) => {
      const start = script.headersAt ?? 0
      const steps = Array.from({ length: number('pings', 1000) }, (_, i) => ({
        at: start + i * number('every', 1000),
        kind: 'other' as const,
        data: ': ping\n\n',
      }))
      return { ...script, steps, ending: 'hang' }
    },
  },
  'hang-at-end': {
    about: 'a whole answer with its finish reason, then neither [DONE] nor an end',
    apply: (script) => ({
      ...script,
      steps: script.steps.filter((step) => step.kind !== 'done' && step.kind !== 'usage'),
      ending: 'hang',
    }),
  },
  'close-idle': {
    about: 'a good response; its connection is closed after some idleness, with no word of it in the headers',
    params: { ms: '50 (real ms; 0: right behind the response)' },
    apply: (script, { number }) => ({ ...script, closeIdleAfterMs: number('ms', 50) }),
  },
  'connection-close': {
    about: 'a good response that announces the end of its connection',
    apply: (script) => ({ ...script, headers: { ...script.headers, connection: 'close' }, closeIdleAfterMs: 0 }),
  },
  'byte-by-byte': {
    about: 'a good stream, each byte by a write of its own',
    apply: (script) => inPieces(script, 1, 0),
  },
  'slow-drip': {
    about: 'a good stream in small pieces with pauses between them',
    params: { bytes: '64', ms: '10 (provider ms)' },
    apply: (script, { number }) => inPieces(script, number('bytes', 64), number('ms', 10)),
  },
  burst: {
    about: 'a good stream that something buffers: all of it at once, at the end',
    apply: (script) => {
      const end = script.steps.at(-1)?.at ?? 0
      return { ...script, headersAt: end, steps: script.steps.map((step) => ({ ...step, at: end })) }
    },
  },
  gzip: {
    about: 'a good stream, compressed though nobody asked for it',
    apply: gzipped,
  },
}
