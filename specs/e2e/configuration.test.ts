import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProject } from './testing/project.ts'
import { EASY_BUDGETS, simulatedProbe } from './testing/specs.ts'

let requests = 0
const server = createServer((_, response) => {
  requests += 1
  response.end()
})
let baseUrl = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
afterAll(() => void server.close())

function realProbe(more = ''): string {
  return `import { env, openaiChat, probe, text } from 'vitest-slo'
probe('real', {
  targets: { glm: openaiChat({ baseUrl: '${baseUrl}', model: 'm'${more} }) },
  prompts: { hello: text('Say hello.') },
  schedule: { every: '0s', rounds: 40 },
})
`
}

describe('a wrong configuration', () => {
  test('everything wrong in slo.yaml is reported at once with carets, exit 2, and no request reaches a server', async () => {
    const project = createProject({
      'a.probe.ts': realProbe(),
      'slo.yaml': `version: 1
budgets:
  - limit: p99 tftt < 10s
  - limit: p95 ttft < 10
  - limit: error_rate < 10%
    whre: { target: glm }
  - limit: p50 total < 100s
    where: { target: gml* }
  - limit: p99 ttft < 11s
`,
    })
    const before = requests
    const run = await project.run(['run', '--project', 'slo'])
    expect(run.code).toBe(2)
    for (const text of [
      'slo.yaml:3:',
      'tftt',
      'ttft',
      'slo.yaml:4:',
      'slo.yaml:6:',
      'whre',
      'where',
      'slo.yaml:8:',
      'gml*',
      'slo.yaml:9:',
      'needs 100',
      'gives 40',
    ]) {
      expect(run.output).toContain(text)
    }
    expect(run.output.match(/\^/g)?.length).toBeGreaterThanOrEqual(5)
    expect(run.output).toContain('5 problems')
    expect(run.output).not.toContain('    at ')
    expect(requests).toBe(before)
    expect(project.has('slo-report')).toBe(false)
  })

  test('a credential that is not set is an error before any request', async () => {
    const project = createProject({
      'a.probe.ts': realProbe(", apiKeyEnv: 'NO_SUCH_KEY', headers: { 'x-team': env('NO_SUCH_TEAM') }"),
    })
    const before = requests
    const run = await project.run(['run', '--project', 'slo'])
    expect(run.code).toBe(2)
    expect(run.output).toContain('NO_SUCH_KEY is not set (needed by real/glm)')
    expect(run.output).toContain('NO_SUCH_TEAM is not set')
    expect(requests).toBe(before)
  })

  test('a spec that cannot be read stops the whole run', async () => {
    const project = createProject({
      'a.probe.ts': realProbe(),
      'b.probe.ts': realProbe().replace("'real'", "'broken'").replace("every: '0s'", "every: 'often'"),
    })
    const before = requests
    const run = await project.run(['run', '--project', 'slo'])
    expect(run.code).toBe(2)
    expect(run.output).toContain('schedule.every: not a duration')
    expect(requests).toBe(before)
  })

  test('two probes of one name are refused', async () => {
    const project = createProject({ 'a.probe.ts': realProbe(), 'b.probe.ts': realProbe() })
    const run = await project.run(['run', '--project', 'slo'])
    expect(run.code).toBe(2)
    expect(run.output).toContain('two probes are called "real"')
  })

  test('names that change each time a spec is read are told, exit 2', async () => {
    const project = createProject({
      'a.probe.ts': simulatedProbe({ rounds: 2 }).replace("probe('practice'", "probe('practice ' + Math.random()"),
      'slo.yaml': EASY_BUDGETS,
    })
    const run = await project.run(['run', '--project', 'slo'])
    expect(run.output).toContain('names must be the same each time a spec file is read')
    expect(run.code).toBe(2)
  })

  test('a header that no request can hold is told before any request', async () => {
    const project = createProject({ 'a.probe.ts': realProbe(", headers: { x: 'a\\r\\nhost: evil' }") })
    const before = requests
    const run = await project.run(['run', '--project', 'slo'])
    expect(run.code).toBe(2)
    expect(run.output).toContain('targets.glm.options.headers.x: holds a line break')
    expect(requests).toBe(before)
  })

  test('a slo.yaml that is not UTF-8 is refused', async () => {
    const project = createProject({ 'a.probe.ts': simulatedProbe({ rounds: 1 }) })
    writeFileSync(join(project.dir, 'slo.yaml'), Buffer.from([...Buffer.from(EASY_BUDGETS), 0x23, 0xff, 0x0a]))
    const run = await project.run(['run', '--project', 'slo'])
    expect(run.code).toBe(2)
    expect(run.output).toMatch(/cannot read .*slo\.yaml/)
  })

  test('SLO_TIME_SCALE without SLO_SIMULATE=1 is refused', async () => {
    const project = createProject({ 'a.probe.ts': realProbe() })
    const run = await project.run(['run', '--project', 'slo'], { SLO_TIME_SCALE: '100' })
    expect(run.code).toBe(2)
    expect(run.output).toContain('SLO_TIME_SCALE is set without SLO_SIMULATE=1')
  })

  test('a wrong option of the plugin is told', async () => {
    const project = createProject({
      'a.probe.ts': simulatedProbe(),
      'vitest.config.ts': `import { slo } from 'vitest-slo/config'
export default { plugins: [slo({ outdir: 'x' })] }
`,
    })
    const run = await project.run(['run', '--project', 'slo'])
    expect(run.code).not.toBe(0)
    expect(run.output).toContain('"outdir"')
  })

  test('a budgets file that was asked for and is missing is an error; without any, a note', async () => {
    const project = createProject({ 'a.probe.ts': simulatedProbe({ rounds: 1 }) })
    const without = await project.run(['run', '--project', 'slo'])
    expect(without.code).toBe(0)
    expect(without.stderr).toContain('there is no slo.yaml')
    const asked = await project.run(['run', '--project', 'slo'], { SLO_BUDGETS: 'mine.yaml' })
    expect(asked.code).toBe(2)
    expect(asked.output).toContain('mine.yaml')
    project.write({ 'slo.yml': EASY_BUDGETS })
    const misnamed = await project.run(['run', '--project', 'slo'])
    expect(misnamed.code).toBe(2)
    expect(misnamed.output).toContain('there is slo.yml, and no slo.yaml')
  })

  test('SLO_SIMULATE=1 needs neither key nor network', async () => {
    const project = createProject({
      'a.probe.ts': realProbe(", apiKeyEnv: 'NO_SUCH_KEY'"),
      'slo.yaml': EASY_BUDGETS,
    })
    const before = requests
    const run = await project.run(['run', '--project', 'slo'], {
      SLO_SIMULATE: '1',
      SLO_ROUNDS: '3',
      SLO_TIME_SCALE: '500',
    })
    expect(run.code).toBe(0)
    expect(run.stderr).toContain('SIMULATED ×500')
    expect(requests).toBe(before)
    expect(project.rows().map((row) => row['simulated'])).toEqual(['500', '500', '500'])
  })

  test('a key that no header can hold ends the run with exit 2, and is not shown', async () => {
    const project = createProject({ 'a.probe.ts': realProbe(", apiKeyEnv: 'BROKEN_KEY'") })
    const before = requests
    const run = await project.run(['run', '--project', 'slo'], { BROKEN_KEY: 'sk-two-lines\nof-a-key' })
    expect(run.code).toBe(2)
    expect(run.output).toContain('BROKEN_KEY')
    expect(run.output).not.toContain('sk-two-lines')
    expect(run.output).not.toContain('of-a-key')
    expect(requests).toBe(before)
  })
})
