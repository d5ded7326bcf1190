import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { SloError } from '../errors.ts'
import { defineProbe } from './define.ts'
import { file, jsonl, messages, opsNotes, text, withSessionId } from './prompts.ts'
import { env, openaiChat, simulated } from './targets.ts'
import type { ProbeOptions, ScheduleOptions } from './options.ts'

const root = mkdtempSync(join(tmpdir(), 'slo spec '))
const place = { file: 'specs/a.probe.ts', root }

function options(change: Partial<ProbeOptions> = {}): ProbeOptions {
  return {
    targets: { glm: openaiChat({ baseUrl: 'https://inference.example/v1/', model: 'glm-5.3', apiKeyEnv: 'KEY' }) },
    prompts: { hello: text('Say hello.') },
    schedule: { every: '10m', rounds: 288 },
    ...change,
  }
}

function problemsOf(name: string, declared: unknown): string {
  try {
    defineProbe(name, declared as ProbeOptions, place)
  } catch (error) {
    if (error instanceof SloError && error.code === 'PROBE_INVALID') return error.message
    throw error
  }
  throw new Error('nothing was wrong')
}

describe('defineProbe', () => {
  test('fills in the defaults of the interface', () => {
    const { probe } = defineProbe('example', options(), place)
    expect(probe).toEqual({
      name: 'example',
      file: 'specs/a.probe.ts',
      targets: [
        {
          name: 'glm',
          kind: 'real',
          protocol: 'openai-chat',
          model: 'glm-5.3',
          baseUrl: 'https://inference.example/v1',
          apiKeyEnv: 'KEY',
          headers: {},
          http: '1.1',
          price: null,
          timeouts: { connect: 10_000, firstToken: 240_000, stall: 60_000, total: 300_000 },
        },
      ],
      prompts: [{ name: 'hello', kind: 'text', fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) }],
      request: { maxTokens: 2000, temperature: null, cache: 'cold', body: {} },
      schedule: { everyMs: 600_000, rounds: 288, forMs: null, seed: null },
      warmup: 1,
      labels: {},
    })
  })

  test("a target's own timeouts win over the probe's, and those over the defaults", () => {
    const { probe } = defineProbe(
      'example',
      options({
        targets: {
          a: openaiChat({ baseUrl: 'http://a', model: 'm', timeouts: { total: '20s' } }),
          b: simulated('glm-5.3', { timeScale: 100 }),
        },
        timeouts: { total: '30s', connect: '1s' },
      }),
      place,
    )
    expect(probe.targets.map((target) => target.timeouts)).toEqual([
      { connect: 1000, firstToken: 240_000, stall: 60_000, total: 20_000 },
      { connect: 1000, firstToken: 240_000, stall: 60_000, total: 30_000 },
    ])
    expect(probe.targets[1]).toMatchObject({ kind: 'simulated', profile: 'glm-5.3', model: 'glm-5.3', timeScale: 100 })
  })

  test('labels that are undefined are left out', () => {
    const { probe } = defineProbe('example', options({ labels: { build: undefined, region: 'blr1' } }), place)
    expect(probe.labels).toEqual({ region: 'blr1' })
  })

  test('every wrong option is told at once, with its path', () => {
    const message = problemsOf('example', {
      targets: {
        all: openaiChat({ baseUrl: 'ftp://x', model: '' }),
        ok: { type: 'openai-chat', options: { baseUrl: 'https://x', model: 'm', headrs: {} } },
      },
      prompts: {},
      schedule: { every: '10 minutes', rounds: 1, for: '2h' },
      timeouts: { first: '1s' },
    })
    expect(message).toContain('probe "example" in specs/a.probe.ts')
    expect(message).toContain('targets.all')
    expect(message).toContain('targets.all.options.baseUrl')
    expect(message).toContain('targets.all.options.model')
    expect(message).toContain('headrs is no option here; did you mean headers?')
    expect(message).toContain('schedule.every: not a duration')
    expect(message).toContain('timeouts: first is no option here')
  })

  test.each([
    [
      { targets: { a: { type: 'openai-chat', options: { baseURL: 'https://x/v1', model: 'm' } } } },
      'did you mean baseUrl?',
    ],
    [{ targets: { a: { type: 'openai-chat', options: { model: 'm' } } } }, 'targets.a.options.baseUrl: is missing'],
    [{ targets: { a: { type: 'openai-chat', options: { baseUrl: 1, model: 'm' } } } }, "or env('NAME')"],
    [
      { targets: { a: { type: 'openai-chat', options: { baseUrl: 'https://x', model: 'm', apiKey: 'sk-1' } } } },
      "name its variable: apiKeyEnv: 'MY_KEY'",
    ],
    [{ target: {} }, 'did you mean targets?'],
    [{ prompts: { m: 'Say hello' } }, "prompts.m: write text('…')"],
    [{ targets: { a: 'glm' } }, 'targets.a: write openaiChat({ … })'],
    [{ schedule: { every: 600, rounds: 1 } }, "schedule.every: write a number and a unit, in quotes: '500ms'"],
  ])('the mistake in %j is told in words', (change, words) => {
    const message = problemsOf('example', { ...options(), ...change })
    expect(message).toContain(words)
    expect(message).not.toContain('sk-1')
    expect(message).not.toMatch(/expected \w+, received/)
  })

  test.each([
    ['both ends', { every: '1m', rounds: 1, for: '2h' }],
    ['no end', { every: '1m' }],
  ])('a schedule with %s is refused', (_, schedule) => {
    expect(problemsOf('example', { ...options(), schedule })).toContain('give one of rounds and for')
  })

  test('credentials in a URL are refused', () => {
    const targets = { a: openaiChat({ baseUrl: 'https://user:pw@host/v1', model: 'm' }) }
    expect(problemsOf('example', { ...options(), targets })).toContain('credentials do not belong in it')
  })

  test('no target and no prompt are refused', () => {
    expect(problemsOf('example', { ...options(), targets: {} })).toContain('targets: give at least one')
    expect(problemsOf('example', { ...options(), prompts: {} })).toContain('prompts: give at least one')
  })

  test('a wrong option is a type error', () => {
    expectTypeOf<ScheduleOptions>().not.toExtend<{ every: number }>()
    // @ts-expect-error -- a duration needs a unit
    void ({ every: '10', rounds: 1 } satisfies ScheduleOptions)
    // @ts-expect-error -- one of rounds and for
    void ({ every: '10m' } satisfies ScheduleOptions)
    // @ts-expect-error -- a misspelt option
    openaiChat({ baseUrl: 'https://x', modle: 'm' })
    // @ts-expect-error -- a role that no provider knows
    messages([{ role: 'robot', content: '' }])
    expectTypeOf(env('A')).toEqualTypeOf<{ readonly env: string }>()
  })
})

const context = { nonce: 'n-1', round: 3, target: 'glm', prompt: 'p', random: () => 0.5 }

describe('prompts', () => {
  test('text, messages and functions', async () => {
    const { sources } = defineProbe(
      'example',
      options({
        prompts: {
          hello: text('Hi'),
          talk: messages([
            { role: 'user', content: 'Hi' },
            { role: 'assistant', content: 'Hello!' },
          ]),
          live: (ctx) => `${ctx.nonce} ${ctx.round} ${ctx.target}`,
        },
      }),
      place,
    )
    expect(await sources.get('hello')?.render(context)).toEqual({ messages: [{ role: 'user', content: 'Hi' }] })
    expect((await sources.get('talk')?.render(context))?.messages).toHaveLength(2)
    expect(await sources.get('live')?.render(context)).toEqual({ messages: [{ role: 'user', content: 'n-1 3 glm' }] })
  })

  test('a function that gives nothing is told', async () => {
    const { sources } = defineProbe('example', options({ prompts: { live: () => '' } }), place)
    await expect(sources.get('live')?.render(context)).rejects.toMatchObject({ code: 'PROMPT_FAILED' })
  })

  test('file and jsonl read from the root; a pick names its line', async () => {
    writeFileSync(join(root, 'mine.md'), 'My prompt')
    writeFileSync(
      join(root, 'prompts.jsonl'),
      '"one"\n\n{"prompt":"two"}\n{"messages":[{"role":"system","content":"s"},{"role":"user","content":"three"}]}\n',
    )
    const { sources } = defineProbe(
      'example',
      options({ prompts: { mine: file('mine.md'), real: jsonl('prompts.jsonl') } }),
      place,
    )
    expect(await sources.get('mine')?.render(context)).toEqual({ messages: [{ role: 'user', content: 'My prompt' }] })
    const pick = (random: number) => sources.get('real')?.render({ ...context, random: () => random })
    expect(await pick(0)).toEqual({ messages: [{ role: 'user', content: 'one' }], labels: { line: '1' } })
    expect(await pick(0.5)).toEqual({ messages: [{ role: 'user', content: 'two' }], labels: { line: '3' } })
    expect((await pick(0.99))?.labels).toEqual({ line: '4' })
  })

  test('a missing file and a line that is no prompt are told with their place', () => {
    writeFileSync(join(root, 'bad.jsonl'), '"one"\n{"text": 1}\n')
    expect(problemsOf('example', options({ prompts: { mine: file('absent.md') } }))).toContain(join(root, 'absent.md'))
    expect(problemsOf('example', options({ prompts: { mine: jsonl('bad.jsonl') } }))).toContain('bad.jsonl:2')
  })

  test.each([60, 750, 7500])('opsNotes of %i words has about that many words of notes, and the task', async (words) => {
    const { sources } = defineProbe('example', options({ prompts: { notes: opsNotes({ words }) } }), place)
    const content = (await sources.get('notes')?.render(context))?.messages[0]?.content ?? ''
    const notes = content.split('\n').filter((line) => /^\d+\. /.test(line))
    const count = notes.join(' ').split(' ').length - notes.length
    expect(count).toBeGreaterThanOrEqual(words)
    expect(count).toBeLessThan(words + 25)
    expect(content).toContain('exactly 5 numbered points of about 40 words')
  })

  test('the session id comes first, before a system message of the prompt', () => {
    expect(withSessionId([{ role: 'user', content: 'Hi' }], 'abc')).toEqual([
      { role: 'system', content: 'Session id: abc' },
      { role: 'user', content: 'Hi' },
    ])
    expect(withSessionId([{ role: 'system', content: 'Be brief.' }], 'abc')).toEqual([
      { role: 'system', content: 'Session id: abc\n\nBe brief.' },
    ])
  })
})
