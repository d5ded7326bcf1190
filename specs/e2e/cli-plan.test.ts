import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { command } from './testing/command.ts'
import { createProject } from './testing/project.ts'
import { EASY_BUDGETS, simulatedProbe } from './testing/specs.ts'

const BUDGETS = `version: 1
budgets:
  - id: median
    limit: p50 ttft < 10s
    where: { prompt: short }
  - id: tail
    limit: p99 ttft < 20s
    where: { prompt: short }
    on_inconclusive: warn
`

function realProbe(rounds: number): string {
  return `import { env, openaiChat, probe, text } from 'vitest-slo'
probe('real', {
  targets: {
    model: openaiChat({ baseUrl: env('SLO_BASE_URL'), apiKeyEnv: 'KEY', model: 'm', price: { input: 1, output: 2, currency: 'EUR' } }),
  },
  prompts: { short: text('Say hello.'), bare: text('Say good bye.') },
  request: { maxTokens: 100 },
  schedule: { every: '10m', rounds: ${rounds} },
})
`
}

test('says what would be asked and what cannot be judged, and asks nobody', async () => {
  let requests = 0
  const server = createServer((_request, response) => {
    requests += 1
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const env = { SLO_BASE_URL: `http://127.0.0.1:${port}/v1`, KEY: 'k' }
  const project = createProject({ 'a.probe.ts': realProbe(144), 'slo.yaml': BUDGETS })
  try {
    const plan = await command(project, ['plan'], env)
    expect(plan.code).toBe(0)
    expect(plan.stdout).toContain('288 requests and 1 to warm up')
    expect(plan.stdout).toMatch(/144 rounds, one every 10 min; about 23 h 50 min/)
    // 144 × (prompt tokens × 1 + 100 × 2) / 10⁶ a cell
    expect(plan.stdout).toMatch(/in all: at most 0\.06\d? EUR/)
    expect(plan.stdout).toMatch(/median: p50 ttft < 10s \(slo.yaml:4:12\)\n +real\/model\/short: 144 samples\n/)
    expect(plan.stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
    expect(plan.stdout).toContain('no budget judges real/model/bare')
    const cut = await command(project, ['plan', '--json'], { ...env, SLO_ROUNDS: '20' })
    const { cases } = JSON.parse(cut.stdout) as { cases: { budget: string; judgeable: boolean; planned: number }[] }
    expect(cases.map(({ budget, judgeable, planned }) => [budget, judgeable, planned])).toEqual([
      ['median', true, 20],
      ['tail', false, 20],
    ])
    expect(requests).toBe(0)
    expect(project.has('slo-report')).toBe(false)
  } finally {
    server.close()
  }
})

test('what would keep a run from starting is said, with exit 2', async () => {
  const project = createProject({ 'a.probe.ts': realProbe(144), 'slo.yaml': BUDGETS })
  const plan = await command(project, ['plan'])
  expect(plan.code).toBe(2)
  expect(plan.stdout).toContain('288 requests')
  expect(plan.stderr).toContain('KEY is not set')
  const broken = createProject({ 'a.probe.ts': 'syntax error', 'slo.yaml': BUDGETS })
  const nothing = await command(broken, ['plan'])
  expect(nothing.code).toBe(2)
  expect(nothing.stderr).toContain('a.probe.ts')
})

test('tokens and times come from the newest run where there is one', async () => {
  const project = createProject({ 'a.probe.ts': simulatedProbe({ rounds: 3 }), 'slo.yaml': EASY_BUDGETS })
  await project.run(['run', '--project', 'slo'])
  const before = project.read('slo-report/samples.csv')
  const plan = await command(project, ['plan'])
  expect(plan.code).toBe(0)
  expect(plan.stdout).toMatch(/tokens and times of run \d{8}T/)
  expect(plan.stdout).toContain('SIMULATED')
  expect(project.read('slo-report/samples.csv')).toBe(before)
})
