import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
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
  const [, schema = ''] = /\$schema=\.\/node_modules\/vitest-slo\/(\S+)/.exec(at.read('slo.yaml')) ?? []
  expect(existsSync(new URL(`../../${schema}`, import.meta.url))).toBe(true)
  expect(out).toContain('add to .gitignore:')
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

test('a report folder that is ignored needs no hint', async () => {
  at.write({ 'package.json': '{}', '.gitignore': 'node_modules\n/slo-report/\n' })
  expect((await at.run('init')).out).not.toContain('.gitignore')
})

test.each([
  ['pnpm-lock.yaml', 'pnpm exec'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npx'],
])('with %s the next command is for that package manager', async (lock, exec) => {
  at.write({ 'package.json': '{}', [lock]: '' })
  const { out } = await at.run('init')
  expect(out.split('\n').at(-1)).toBe(`  SLO_SIMULATE=1 SLO_EVERY=0s ${exec} vitest run --project slo`)
  expect(at.read('.github/workflows/slo-nightly.yml')).toContain(`run: ${exec} vitest run --project slo`)
})

test('a package of a monorepo has its workflow where GitHub looks for it', async () => {
  for (const dir of ['.git', 'packages/my chat']) mkdirSync(join(at.dir, dir), { recursive: true })
  at.write({ 'package.json': '{"packageManager":"pnpm@11.0.0"}', 'packages/my chat/package.json': '{}' })
  const { code, out } = await at.in('packages/my chat').run('init')
  expect(code).toBe(0)
  expect(out).toContain('pnpm exec vitest')
  expect(existsSync(join(at.dir, 'packages/my chat/slo.yaml'))).toBe(true)
  const { jobs } = parse(at.read('.github/workflows/slo-nightly.yml')) as {
    jobs: { slo: { defaults: unknown; steps: { with?: { path?: string } }[] } }
  }
  expect(jobs.slo.defaults).toEqual({ run: { 'working-directory': 'packages/my chat' } })
  expect(jobs.slo.steps.flatMap((step) => step.with?.path ?? [])).toEqual(
    Array.from({ length: 3 }, () => 'packages/my chat/slo-report'),
  )
})
