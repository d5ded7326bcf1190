import { PassThrough } from 'node:stream'
import { WriteStream } from 'node:tty'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { painter } from './colour.ts'

/** What `process.stderr` is in a terminal, without one here. */
function stream(isTTY: boolean): PassThrough {
  return Object.assign(new PassThrough(), {
    isTTY,
    getColorDepth: (env?: object) => WriteStream.prototype.getColorDepth(env),
  })
}

const RED = '\u001b[31mlate\u001b[39m'

beforeEach(() => {
  for (const name of ['NO_COLOR', 'FORCE_COLOR', 'NODE_DISABLE_COLORS', 'CI']) vi.stubEnv(name, undefined)
  vi.stubEnv('TERM', 'xterm-256color')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

test('a terminal gets colours, a file gets none', () => {
  expect(painter(stream(true))('red', 'late')).toBe(RED)
  expect(painter(stream(false))('red', 'late')).toBe('late')
})

test.each([
  ['NO_COLOR', '1'],
  ['TERM', 'dumb'],
])('%s=%s: no colour in a terminal either', (name, value) => {
  vi.stubEnv(name, value)
  expect(painter(stream(true))('red', 'late')).toBe('late')
})

test('FORCE_COLOR paints without a terminal', () => {
  vi.stubEnv('FORCE_COLOR', '1')
  expect(painter(stream(false))('red', 'late')).toBe(RED)
})
