import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSimulator } from '../../src/simulator/index.ts'
import type { Simulator } from '../../src/simulator/index.ts'
import { createProject } from './testing/project.ts'
import type { Project } from './testing/project.ts'

let simulator: Simulator
beforeAll(async () => {
  simulator = await startSimulator()
})
afterAll(() => simulator.stop())

const ECHOES = ['body', 'event', 'header', 'model', 'finish'] as const

function probeOf(options: string, baseUrl = `${simulator.url}/v1`): string {
  return `import { openaiChat, probe, text } from 'vitest-slo'
const targets = Object.fromEntries(${JSON.stringify(ECHOES)}.map((where) => [where, openaiChat({
  baseUrl: '${baseUrl}', model: 'practice', ${options}
  headers: { 'x-slo-fault': 'echo-key;in=' + where, 'x-slo-time-scale': '200', 'x-slo-profile': 'gemma-4-31B-it' },
})]))
probe('echo', { targets, prompts: { hello: text('Say hello.') }, schedule: { every: '0s', rounds: 1 }, warmup: 0 })
`
}

function everything(project: Project, output: string): string {
  const files = ['samples.csv', 'runs.jsonl', 'junit.xml', 'report.json', 'summary.md', 'report.html']
  return [
    output,
    ...files.filter((file) => project.has(`slo-report/${file}`)).map((file) => project.read(`slo-report/${file}`)),
  ].join('\n')
}

describe('a credential', () => {
  test('that a command prints is sent, and what comes back of it stands nowhere', async () => {
    const token = 'token-marked-51c0ffee'
    const program = `process.stdout.write(Buffer.from('${Buffer.from(token).toString('hex')}', 'hex'))`
    const project = createProject({
      'a.probe.ts': probeOf(`auth: { command: [process.execPath, '-e', ${JSON.stringify(program)}], every: '10m' },`),
    })
    const run = await project.run(['run', '--project', 'slo'])
    expect(run.code, run.output).toBe(0)
    const rows = project.rows()
    expect(rows).toHaveLength(ECHOES.length)
    expect(rows.find((row) => row['target'] === 'body')?.['error_message']).toContain('[secret]')
    expect(rows.find((row) => row['target'] === 'header')?.['request_id']).toContain('[secret]')
    expect(everything(project, run.output)).not.toContain(token)
  })

  test('that no command prints, and a proxy that is none, are told together before any request, exit 2', async () => {
    const project = createProject({
      'a.probe.ts': probeOf(
        `auth: { command: [process.execPath, '-e', "console.error('vault sealed'); process.exit(3)"] },`,
      ),
    })
    const run = await project.run(['run', '--project', 'slo'], { HTTP_PROXY: 'socks5://me:word-marked-77@127.0.0.1:1' })
    expect(run.code).toBe(2)
    expect(run.output).toContain('nothing was asked: 2 problems')
    expect(run.output).toContain('gave no token: exit code 3: vault sealed (needed by echo/body, echo/event,')
    expect(run.output).toContain(
      'HTTP_PROXY is "socks5://***@127.0.0.1:1", no URL of an HTTP proxy: SOCKS is not spoken',
    )
    expect(run.output).not.toContain('word-marked-77')
    expect(project.rows()).toHaveLength(0)
  })

  test('of a proxy stands nowhere, and the proxy is named', async () => {
    const project = createProject({ 'a.probe.ts': probeOf('', 'http://provider.test/v1') })
    const run = await project.run(['run', '--project', 'slo'], { HTTP_PROXY: 'http://me:word-marked-77@127.0.0.1:1' })
    const rows = project.rows()
    expect(rows).toHaveLength(ECHOES.length)
    for (const row of rows)
      expect(row).toMatchObject({ error_kind: 'connect', error_message: expect.stringMatching(/^proxy: /) })
    const all = everything(project, run.output)
    expect(all).not.toContain('word-marked-77')
    expect(all).not.toContain(Buffer.from('me:word-marked-77').toString('base64'))
  })
})
