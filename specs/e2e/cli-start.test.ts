import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, inject, test } from 'vitest'
import { command } from './testing/command.ts'
import { createProject } from './testing/project.ts'

test('init: the next command works as it is typed', async () => {
  const project = createProject({})
  const made = await command(project, ['init'])
  expect(made.code).toBe(0)
  const run = await project.run(['run', '--project', 'slo'], {
    SLO_SIMULATE: '1',
    SLO_EVERY: '0s',
    SLO_SEED: '1',
  })
  expect(run.output).toMatch(/Tests +\d+ passed/)
  expect(run.code).toBe(0)
  const suggested = await command(project, ['suggest', 'slo-report/samples.csv', '--out', 'mine.yaml'])
  expect(suggested.code).toBe(0)
  expect(
    (await command(project, ['report', 'slo-report/samples.csv', '--slo', 'mine.yaml', '--out', 'again'])).code,
  ).toBe(0)
})

test('simulate: a provider that answers in a stream until it is ended', async () => {
  const program = join(inject('workshop'), 'node_modules', 'vitest-slo', 'dist', 'cli.js')
  const child = spawn(process.execPath, [program, 'simulate', '--port', '0', '--profile', 'gemma-4-31B-it'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve)
  })
  try {
    const lines = createInterface(child.stdout)
    const first = await new Promise<string>((resolve) => {
      lines.once('line', resolve)
    })
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+\/v1/.exec(first) ?? []
    expect(first).toContain('SIMULATED')
    const answer = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-slo-time-scale': '1000' },
      body: JSON.stringify({ model: 'anything', stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('data: [DONE]')
  } finally {
    child.kill('SIGTERM')
  }
  expect(await ended).toBe(0)
})

test('simulate: a profile that does not exist is exit 2 with those there are', async () => {
  const project = createProject({})
  const wrong = await command(project, ['simulate', '--profile', 'nobody'])
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toContain('deepseek-3.2')
  expect((await command(project, ['simulate', '--time-scale', '0'])).stderr).toContain('from 1 to 10000')
  expect((await command(project, ['simulate', '--port', 'x'])).code).toBe(2)
  expect((await command(project, ['simulate', '--list'])).stdout).toContain('glm-5.3')
})
