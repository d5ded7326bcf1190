import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { sloSchema } from './index.ts'

test('the committed schema is what the code says; `node tools/schema.ts` writes it anew', async () => {
  const committed = await readFile(new URL('../../schema/slo.schema.json', import.meta.url), 'utf8')
  expect(committed).toBe(`${JSON.stringify(sloSchema(), null, 2)}\n`)
})

test('it is a draft-7 schema', () => {
  expect(sloSchema()).toMatchObject({ $schema: 'http://json-schema.org/draft-07/schema#', title: 'slo.yaml' })
})

/** Every object in the schema, with its path. */
function objects(node: unknown, path = ''): [string, Readonly<Record<string, unknown>>][] {
  if (typeof node !== 'object' || node === null) return []
  const own: [string, Readonly<Record<string, unknown>>][] = Array.isArray(node)
    ? []
    : [[path, node as Readonly<Record<string, unknown>>]]
  return [...own, ...Object.entries(node).flatMap(([key, value]) => objects(value, `${path}/${key}`))]
}

test('every key says what it does, and no map takes unknown keys', () => {
  const all = objects(sloSchema())
  const maps = all.filter(([, node]) => node['type'] === 'object')
  expect(maps.length).toBeGreaterThanOrEqual(6)
  for (const [path, node] of maps) expect([path, node['additionalProperties']]).toEqual([path, false])
  const properties = all.filter(([path]) => /\/properties\/[a-z_]+$/.test(path))
  expect(properties.length).toBeGreaterThanOrEqual(25)
  for (const [path, node] of properties) expect([path, typeof node['description']]).toEqual([path, 'string'])
})

const schema = z.fromJSONSchema(sloSchema())

test.each([
  'version: 1\nbudgets: [{ limit: p99 ttft < 10s }]',
  `version: 1
timezone: Asia/Kolkata
stop_early: true
defaults: { severity: warn, on_inconclusive: skip, per: target, min_samples: 10, failures: exceed }
budgets:
  - limit: stall_rate < 1%
    id: stalls
    where: { probe: a, target: [b, "!c"], prompt: d }
    per: probe
    overrides: [{ where: { probe: a }, limit: stall_rate < 2%, severity: fail, min_samples: 20 }]
    severity: fail
    on_inconclusive: warn
    min_samples: 100
    failures: exclude
    confidence: 95%
    window: { for: 7d, same: [build] }
    stall_over: 2.5s
  - { limit: p50 ttft <= baseline, baseline: current, floor: 50ms }
  - { limit: p50 ttft <= baseline, baseline: { history: 30d } }
  - { limit: p50 ttft <= baseline, baseline: { file: last.csv } }
  - { limit: p99 ttft < 1s, fail_after: 2, acknowledge: { until: "2026-12-31", reason: a, up_to: 2s } }`,
])('it takes a sound file', (text) => {
  expect(schema.safeParse(parse(text)).error).toBeUndefined()
})

test.each([
  'budgets: [{ limit: p99 ttft < 10s }]',
  'version: 2\nbudgets: [{ limit: p99 ttft < 10s }]',
  'version: 1\nbudgets: []',
  'version: 1\nbudgets: [{ id: a }]',
  'version: 1\nstop_early: soon\nbudgets: [{ limit: a }]',
  'version: 1\ndefaults: { confidence: 95 }\nbudgets: [{ limit: a }]',
  ...['confidence', 'window', 'fail_after', 'acknowledge', 'foo'].map(
    (key) => `version: 1\nbudgets: [{ limit: a, ${key}: x }]`,
  ),
  'version: 1\nbudgets: [{ limit: a, baseline: 5 }]',
  'version: 1\nbudgets: [{ limit: a, baseline: { csv: x } }]',
  'version: 1\nbudgets: [{ limit: a, floor: 5 }]',
  'version: 1\nbudgets: [{ limit: a, per: day }]',
  'version: 1\nbudgets: [{ limit: a, min_samples: 0 }]',
  'version: 1\nbudgets: [{ limit: a, stall_over: 5 }]',
  'version: 1\nbudgets: [{ limit: a, stall_over: 5 sec }]',
  'version: 1\nbudgets: [{ limit: a, where: { target: 5 } }]',
  'version: 1\nbudgets: [{ limit: a, where: { model: x } }]',
  'version: 1\nbudgets: [{ limit: a, overrides: [{ limit: b }] }]',
  'version: 1\nbudgets: [{ limit: a, overrides: [{ where: {}, per: cell }] }]',
])('it refuses %j', (text) => {
  expect(schema.safeParse(parse(text)).success).toBe(false)
})
