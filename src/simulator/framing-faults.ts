import { brotliCompressSync, zstdCompressSync } from 'node:zlib'
import { bytesOf, insertAfterTokens, mapText, without } from './script-edits.ts'
import type { Script, Step } from './script.ts'
import type { Fault } from './fault.ts'

const ALL: readonly Step['kind'][] = ['role', 'token', 'finish', 'usage', 'done', 'other']

function coded(script: Script, coding: string, compress: (bytes: Uint8Array) => Uint8Array): Script {
  const whole = Buffer.concat(without(script, 'lateness').steps.map(bytesOf))
  const at = script.steps.at(-1)?.at ?? 0
  const steps: readonly Step[] = [{ at, kind: 'other', data: compress(whole) }]
  return { ...script, steps, headers: { ...script.headers, 'content-encoding': coding } }
}

function mapFirst(script: Script, change: (text: string) => string): Script {
  const [first, ...rest] = script.steps
  if (first === undefined) return script
  return { ...script, steps: [{ ...first, data: change(bytesOf(first).toString('utf8')) }, ...rest] }
}

/** Bytes that are unusual, or wrong, and what they say is good. */
export const framingFaults: Readonly<Record<string, Fault>> = {
  bom: {
    about: 'a byte order mark before the first event: a good response',
    apply: (script) => mapFirst(script, (text) => `\uFEFF${text}`),
  },
  cr: {
    about: 'lines that end with CR alone: a good response',
    apply: (script) => mapText(without(script, 'lateness'), ALL, (text) => text.replaceAll('\n', '\r')),
  },
  'no-space': {
    about: 'no space after `data:`: a good response',
    apply: (script) => mapText(script, ALL, (text) => text.replaceAll('data: ', 'data:')),
  },
  'more-fields': {
    about: 'events with `id`, `retry` and names nobody knows: a good response',
    apply: (script) => mapText(script, ['token'], (text) => `id: 7\nretry: 3000\nvendor: yes\n${text}`),
  },
  'multi-line': {
    about: 'the JSON of each event over several `data:` lines: a good response',
    apply: (script) =>
      mapText(script, ['role', 'token', 'finish', 'usage'], (text) => text.replaceAll(/,(?="[a-z_]+":)/g, ',\ndata: ')),
  },
  unterminated: {
    about: 'the end marker without its blank line: a good response',
    apply: (script) => mapText(script, ['done'], (text) => text.trimEnd()),
  },
  'glued-comments': {
    about: 'comments on the line before the data, and after the last event: a good response',
    apply: (script) =>
      mapText(
        mapText(script, ['token', 'finish'], (text) => `: PROCESSING\n${text}`),
        ['done'],
        (text) => `${text}: bye`,
      ),
  },
  'comment-as-data': {
    about: 'a comment that a gateway made into an event: counted, passed over',
    apply: (script) => insertAfterTokens(script, 1, 'data: : PROCESSING\n\n'),
  },
  brotli: {
    about: 'a good stream in brotli, all at once',
    apply: (script) => coded(script, 'br', brotliCompressSync),
  },
  zstd: {
    about: 'a good stream in zstd, all at once',
    apply: (script) => coded(script, 'zstd', zstdCompressSync),
  },
}
