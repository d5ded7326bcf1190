import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseBudgets } from '../budget/index.ts'
import { desk } from './testing/command-line.ts'
import type { Desk } from './testing/command-line.ts'

let at: Desk
beforeEach(() => {
  at = desk()
})
afterEach(() => at.remove())

const FILES = ['specs/chat.probe.ts', 'slo.yaml', '.github/workflows/slo-nightly.yml']

test('writes what a first night needs, and ends with the next command', async () => {
  at.write({ 'package.json': '{"type":"module"}' })
  const { code, out } = await at.run('init')
  expect(code).toBe(0)
  for (const file of [...FILES, 'vitest.config.ts']) expect(existsSync(join(at.dir, file))).toBe(true)
  expect(parseBudgets(at.read('slo.yaml'), 'slo.yaml').problems).toEqual([])
  expect(out.split('\n').at(-1)).toBe('  SLO_SIMULATE=1 SLO_EVERY=0s npx vitest run --project slo')
})

test('overwrites nothing, and says what to add to a configuration that is there', async () => {
  const config = "import { defineConfig } from 'vitest/config'\nexport default defineConfig({})\n"
  at.write({ 'package.json': '{}', 'slo.yaml': 'mine', 'vitest.config.ts': config })
  const { code, out } = await at.run('init', '--no-workflow')
  expect(code).toBe(0)
  expect(at.read('slo.yaml')).toBe('mine')
  expect(at.read('vitest.config.ts')).toBe(config)
  expect(existsSync(join(at.dir, 'vitest.config.mts'))).toBe(false)
  expect(existsSync(join(at.dir, '.github'))).toBe(false)
  expect(out).toContain('kept   slo.yaml')
  expect(out).toContain('plugins: [slo()]')
})

test('outside of a project nothing is written', async () => {
  const { code, err } = await at.run('init')
  expect(code).toBe(2)
  expect(err).toContain('package.json')
  expect(existsSync(join(at.dir, 'slo.yaml'))).toBe(false)
})
