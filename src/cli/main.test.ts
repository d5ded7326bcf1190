import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { desk } from './testing/command-line.ts'
import type { Desk } from './testing/command-line.ts'

const COMMANDS = ['init', 'plan', 'report', 'suggest', 'simulate'] as const

let at: Desk
beforeEach(() => {
  at = desk()
})
afterEach(() => at.remove())

test('a command that does not exist is exit 2, with the nearest one', async () => {
  expect(await at.run('sugest')).toMatchObject({
    code: 2,
    out: '',
    err: 'vitest-slo: there is no command "sugest"\n  did you mean suggest?',
  })
})

describe.each(COMMANDS)('%s', (command) => {
  test('--help says how, in 80 columns, and ends with an example of itself', async () => {
    const { code, out } = await at.run(command, '--help')
    expect(code).toBe(0)
    const lines = out.split('\n')
    expect(lines[0]).toMatch(new RegExp(`^vitest-slo ${command}`))
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    const [, example = ''] = out.split('\nExample:\n')
    expect(example).toContain(`vitest-slo ${command}`)
  })

  test('an option that it does not have is exit 2, and nothing else happens', async () => {
    const { code, out, err } = await at.run(command, '--slwo')
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(new RegExp(`^vitest-slo: ${command} has no option --slwo\n  (?:did you mean|there are) --`))
  })
})

test.each([
  [['plan', '--jsno'], '--json'],
  [['simulate', '--timescale', '4'], '--time-scale'],
  [['suggest', 'a.csv', '--outt', 'x'], '--out'],
  [['init', '--noworkflow'], '--no-workflow'],
])('%j names the nearest option', async (args, nearest) => {
  expect((await at.run(...args)).err).toContain(`did you mean ${nearest}?`)
})
