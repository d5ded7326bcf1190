import { expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { requireNode } from './node-version.ts'

test.each(['22.19.0', '22.20.1', '24.0.0', process.versions.node])('Node %s runs it', (version) => {
  expect(() => requireNode(version)).not.toThrow()
})

test.each(['20.20.2', '22.18.9', '18.0.0'])('Node %s is too old, and is told so', (version) => {
  expect(() => requireNode(version)).toThrow(`needs Node 22.19 or newer, and this is ${version}`)
})

test('package.json says the same', () => {
  expect(manifest.engines.node).toBe('>=22.19')
})
