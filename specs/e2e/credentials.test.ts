import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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

describe('a token that cannot be renewed', () => {
  const GOOD = `data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`
  const sent: (string | undefined)[] = []
  /** The first token is good for two requests. */
  const server = createServer(({ headers: { authorization } }, response) => {
    sent.push(authorization)
    if (authorization === 'Bearer token-of-night-2' || sent.length <= 2)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(GOOD)
    else response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"token expired"}')
  })
  let baseUrl = ''
  beforeAll(async () => {
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  })
  afterAll(() => void server.close())

  const TOKEN = `import { existsSync, writeFileSync } from 'node:fs'
if (existsSync('vault-is-open')) console.log('token-of-night-2')
else if (existsSync('was-asked')) { console.error('vault sealed'); process.exit(3) }
else { writeFileSync('was-asked', ''); console.log('token-of-night-1') }
`

  test('ends the run with reports and exit 2, is never sent again once refused, and the same command goes on', async () => {
    const project = createProject({
      'token.mjs': TOKEN,
      'a.probe.ts': `import { openaiChat, probe, text } from 'vitest-slo'
probe('night', {
  targets: { real: openaiChat({
    baseUrl: '${baseUrl}', model: 'm', auth: { command: [process.execPath, 'token.mjs'], every: '4s' },
  }) },
  prompts: { hello: text('Say hello.') }, schedule: { every: '0s', rounds: 6 }, warmup: 0,
})
`,
    })
    const run = await project.run(['run', '--project', 'slo'])
    expect(run.code, run.output).toBe(2)
    expect(run.output).toContain('ended early (no-credential): 3 of 6 samples')
    expect(run.output).toContain('gave no token: exit code 3: vault sealed')
    expect(sent).toEqual(Array.from({ length: 3 }, () => 'Bearer token-of-night-1'))
    expect(project.rows().map((row) => row['status'])).toEqual(['200', '200', '401'])
    expect(project.read('slo-report/summary.md')).toContain('a credential could not be renewed')

    project.write({ 'vault-is-open': '' })
    const next = await project.run(['run', '--project', 'slo'])
    expect(next.code, next.output).toBe(0)
    expect(sent.slice(3)).toEqual(Array.from({ length: 3 }, () => 'Bearer token-of-night-2'))
    expect(new Set(project.rows().map((row) => row['run_id'])).size).toBe(1)
    expect(everything(project, run.output + next.output)).not.toContain('token-of-night')
  })
})
