import { describe, expect, test } from 'vitest'
import { defineProbe } from './define.ts'
import { baseUrlOf, effectiveProbe, missingVariables } from './effective.ts'
import { readEnvironment } from './environment.ts'
import { text } from './prompts.ts'
import { env, openaiChat, simulated } from './targets.ts'
import type { RealTarget } from './types.ts'

const { probe } = defineProbe(
  'example',
  {
    targets: {
      'glm-5.3': openaiChat({
        baseUrl: env('URL'),
        model: 'glm',
        apiKeyEnv: 'KEY',
        headers: { 'x-team': env('TEAM'), 'x-plain': 'a' },
        price: { input: 1, output: 2, currency: 'USD' },
      }),
      practice: simulated('deepseek-3.2', { timeScale: 10 }),
    },
    prompts: { hello: text('Hi') },
    schedule: { every: '10m', rounds: 288, seed: 7 },
  },
  { file: 'a.probe.ts', root: '/' },
)

describe('readEnvironment', () => {
  test('nothing set changes nothing', () => {
    const environment = readEnvironment({})
    expect(environment.overrides).toEqual({})
    expect(effectiveProbe(probe, environment, [])).toEqual(probe)
  })

  test('what is set overrides the schedule, and is recorded', () => {
    const environment = readEnvironment({
      SLO_ROUNDS: '3',
      SLO_EVERY: '0s',
      SLO_SEED: '1',
      SLO_REGION: 'blr1',
      SLO_RUN: '1',
    })
    expect(environment).toMatchObject({ run: true, region: 'blr1' })
    expect(environment.overrides).toEqual({ SLO_ROUNDS: '3', SLO_EVERY: '0s', SLO_SEED: '1' })
    expect(effectiveProbe(probe, environment, []).schedule).toEqual({ everyMs: 0, rounds: 3, forMs: null, seed: 1 })
  })

  test('SLO_FOR takes the place of rounds', () => {
    expect(effectiveProbe(probe, readEnvironment({ SLO_FOR: '2h' }), []).schedule).toMatchObject({
      rounds: null,
      forMs: 7_200_000,
    })
  })

  test('a time scale without simulation is refused: nobody shall take simulated for measured', () => {
    expect(() => readEnvironment({ SLO_TIME_SCALE: '100' })).toThrow(expect.objectContaining({ code: 'ENV_CONFLICT' }))
  })

  test.each([
    ['SLO_ROUNDS', '0'],
    ['SLO_ROUNDS', 'many'],
    ['SLO_EVERY', '10'],
    ['SLO_SEED', '-1'],
    ['SLO_RUN', 'perhaps'],
  ])('%s=%s makes no sense', (key, value) => {
    expect(() => readEnvironment({ [key]: value })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  })

  test.each([
    ['SLO_ROUND', 'SLO_ROUNDS'],
    ['SLO_TIMESCALE', 'SLO_TIME_SCALE'],
    ['SLO_SIMULATED', 'SLO_SIMULATE'],
  ])('%s is taken for a slip of the pen', (key, meant) => {
    expect(() => readEnvironment({ [key]: '2' })).toThrow(expect.objectContaining({ hint: `did you mean ${meant}?` }))
  })

  test('variables of others are left alone', () => {
    expect(() => readEnvironment({ SLO_BASE_URL: 'https://x', SLO_API_KEY: 'k', SLO_CORPUS: '/c' })).not.toThrow()
  })

  test('rounds and for contradict each other', () => {
    expect(() => readEnvironment({ SLO_ROUNDS: '1', SLO_FOR: '1h' })).toThrow(
      expect.objectContaining({ code: 'ENV_CONFLICT' }),
    )
  })
})

describe('effectiveProbe under SLO_SIMULATE=1', () => {
  test('every target becomes its twin, 100 times faster, without a credential', () => {
    const twin = effectiveProbe(probe, readEnvironment({ SLO_SIMULATE: '1' }), ['glm-5.3', 'default'])
    expect(twin.targets).toMatchObject([
      { kind: 'simulated', name: 'glm-5.3', profile: 'glm-5.3', timeScale: 100, price: { currency: 'USD' } },
      { kind: 'simulated', name: 'practice', profile: 'deepseek-3.2', timeScale: 10 },
    ])
    expect(JSON.stringify(twin.targets)).not.toContain('KEY')
    expect(missingVariables([twin], {})).toEqual([])
  })

  test('a target without a profile of its name takes the default one; SLO_TIME_SCALE wins', () => {
    const twin = effectiveProbe(probe, readEnvironment({ SLO_SIMULATE: '1', SLO_TIME_SCALE: '25' }), ['default'])
    expect(twin.targets).toMatchObject([
      { profile: 'default', timeScale: 25 },
      { profile: 'deepseek-3.2', timeScale: 25 },
    ])
  })
})

describe('credentials', () => {
  test('each variable that is missing or blank is named once, with who needs it', () => {
    expect(missingVariables([probe], { TEAM: ' ' })).toEqual([
      { name: 'KEY', neededBy: ['example/glm-5.3'] },
      { name: 'TEAM', neededBy: ['example/glm-5.3'] },
      { name: 'URL', neededBy: ['example/glm-5.3'] },
    ])
    expect(missingVariables([probe], { KEY: 'k', TEAM: 't', URL: 'u' })).toEqual([])
  })

  test('a base URL of the environment is checked', () => {
    const target = probe.targets[0] as RealTarget
    expect(baseUrlOf(target, { URL: 'https://inference.example/v1/' })).toBe('https://inference.example/v1')
    expect(() => baseUrlOf(target, { URL: 'inference.example' })).toThrow(/URL is no http\(s\) URL/)
  })
})
