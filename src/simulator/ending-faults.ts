import type { Script, Step } from './script.ts'
import { without } from './script-edits.ts'
import type { Fault } from './fault.ts'

function pingsAfter(script: Script, count: number, every: number): Script {
  const end = script.steps.at(-1)?.at ?? 0
  const pings = Array.from({ length: count }, (_, i): Step => ({
    at: end + i * every,
    kind: 'other',
    data: ': ping\n\n',
  }))
  return { ...script, steps: [...script.steps, ...pings], ending: 'hang' }
}

/** What comes after the answer. */
export const endingFaults: Readonly<Record<string, Fault>> = {
  'reset-after-done': {
    about: 'RST after [DONE]: a good response',
    apply: (script) => ({ ...script, ending: 'reset' }),
  },
  'close-after-done': {
    about: 'the socket is closed after [DONE], without the end of the body: a good response',
    apply: (script) => ({ ...script, ending: 'close' }),
  },
  'hang-after-done': {
    about: 'the body stays open after [DONE]: a good response',
    apply: (script) => ({ ...script, ending: 'hang' }),
  },
  'pings-after-finish': {
    about: 'a finish reason, no [DONE], and comments that go on: a good response',
    params: { every: '100 (provider ms)', pings: '2000' },
    apply: (script, { number }) =>
      pingsAfter(without(script, 'done', 'usage'), number('pings', 2000), number('every', 100)),
  },
  'events-after-done': {
    about: 'a token after [DONE], which nobody counts: a good response',
    apply: (script) => {
      const at = script.steps.at(-1)?.at ?? 0
      const data = 'data: {"choices":[{"index":0,"delta":{"content":" late"}}]}\n\n'
      return { ...script, steps: [...script.steps, { at, kind: 'other', data }] }
    },
  },
}
