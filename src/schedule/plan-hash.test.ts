import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import type { Probe, RealTarget, SimulatedTarget } from '../spec/types.ts'
import { canonicalJson, planHash } from './plan-hash.ts'

const timeouts = { connect: 10_000, firstToken: 240_000, stall: 60_000, total: 300_000 }
const real: RealTarget = {
  kind: 'real',
  name: 'glm',
  protocol: 'openai-chat',
  model: 'glm-5.3',
  headers: { 'x-a': 'a', 'x-b': { env: 'B' } },
  timeouts,
  price: null,
  http: '1.1',
  baseUrl: 'https://inference.example/v1',
  apiKeyEnv: 'MODEL_ACCESS_KEY',
}
const { baseUrl: _url, apiKeyEnv: _key, ...common } = real
const simulated: SimulatedTarget = {
  ...common,
  kind: 'simulated',
  name: 'practice',
  profile: 'deepseek-3.2',
  timeScale: 100,
}
const probe: Probe = {
  name: 'serverless',
  file: 'specs/serverless.probe.ts',
  targets: [real, simulated],
  prompts: [
    { name: 'short', kind: 'text', fingerprint: 'text:1' },
    { name: 'long', kind: 'ops-notes', fingerprint: 'ops:5000' },
  ],
  request: { maxTokens: 2000, temperature: 0.2, cache: 'cold', body: { a: 1, b: { c: 2, d: [1, 2] } } },
  schedule: { everyMs: 600_000, rounds: 288, forMs: null, seed: 7 },
  warmup: 1,
  labels: { build: 'abc' },
}
const cells = [
  { probe: 'serverless', target: 'glm', prompt: 'short' },
  { probe: 'serverless', target: 'practice', prompt: 'long' },
]
const hash = (fields: Partial<Probe> = {}): string => planHash({ probes: [{ ...probe, ...fields }], cells })

describe('planHash', () => {
  test('is 16 hex digits and stays the same from version to version, or running runs would not be found again', () => {
    expect(hash()).toMatch(/^[0-9a-f]{16}$/)
    expect(hash()).toBe('e8ff2c74f1f282ee')
  })

  test.for<[string, Partial<Probe>]>([
    ['name', { name: 'other' }],
    ['URL', { targets: [{ ...real, baseUrl: 'https://other.example/v1' }, simulated] }],
    ['model', { targets: [{ ...real, model: 'glm-5.4' }, simulated] }],
    ['header', { targets: [{ ...real, headers: { 'x-a': 'a' } }, simulated] }],
    ['timeout', { targets: [{ ...real, timeouts: { ...timeouts, total: 1 } }, simulated] }],
    ['profile', { targets: [real, { ...simulated, profile: 'glm-5.3' }] }],
    ['time scale', { targets: [real, { ...simulated, timeScale: 25 }] }],
    ['a target less', { targets: [real] }],
    ['prompt', { prompts: [{ name: 'short', kind: 'text', fingerprint: 'text:2' }] }],
    ['body', { request: { ...probe.request, body: { a: 2 } } }],
    ['order within a list of the body', { request: { ...probe.request, body: { a: 1, b: { c: 2, d: [2, 1] } } } }],
    ['max tokens', { request: { ...probe.request, maxTokens: 1 } }],
    ['every', { schedule: { ...probe.schedule, everyMs: 0 } }],
    ['rounds', { schedule: { ...probe.schedule, rounds: 36 } }],
    ['seed', { schedule: { ...probe.schedule, seed: null } }],
    ['labels', { labels: { build: 'abd' } }],
  ])('another %s is another plan', ([, fields]) => {
    expect(hash(fields)).not.toBe(hash())
  })

  test('another selection of cells, or other overrides, are another plan', () => {
    expect(planHash({ probes: [probe], cells: cells.slice(1) })).not.toBe(hash())
    expect(planHash({ probes: [probe], cells, overrides: { SLO_ROUNDS: '3' } })).not.toBe(hash())
    expect(planHash({ probes: [probe], cells, overrides: {} })).toBe(hash())
  })

  test('the order of declaration, of keys, and the name of the spec file are not', () => {
    const reordered: Probe = {
      ...probe,
      file: 'specs/moved.probe.ts',
      targets: [simulated, { ...real, headers: { 'x-b': { env: 'B' }, 'x-a': 'a' } }],
      prompts: probe.prompts.toReversed(),
      request: { body: { b: { d: [1, 2], c: 2 }, a: 1 }, cache: 'cold', temperature: 0.2, maxTokens: 2000 },
    }
    const other = { ...probe, name: 'other' }
    const otherCells = cells.map((cell) => ({ ...cell, probe: 'other' }))
    expect(planHash({ probes: [other, reordered], cells: [...otherCells, ...cells.toReversed()] })).toBe(
      planHash({ probes: [probe, other], cells: [...cells, ...otherCells] }),
    )
  })
})

test('canonical JSON is JSON, and the same for any order of keys', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      const reversed: unknown = JSON.parse(JSON.stringify(value), (_, inner: unknown) =>
        typeof inner === 'object' && inner !== null && !Array.isArray(inner)
          ? Object.fromEntries(Object.entries(inner).toReversed())
          : inner,
      )
      expect(canonicalJson(reversed)).toBe(text)
    }),
  )
})
