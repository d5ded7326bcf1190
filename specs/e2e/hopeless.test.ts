import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createProject } from './testing/project.ts'

const GOOD = `data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`

let requests = 0
const rightKey = 'Bearer right'
const server = createServer((request, response) => {
  requests += 1
  if (request.headers.authorization === rightKey)
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(GOOD)
  else
    response
      .writeHead(401, { 'content-type': 'application/json' })
      .end('{"error":{"message":"Incorrect API key provided."}}')
})
let baseUrl = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
beforeEach(() => {
  requests = 0
})
afterAll(() => void server.close())

function specOf(targets: readonly string[], rounds: number): string {
  const each = targets.map(
    (name) => `${name}: openaiChat({ baseUrl: '${baseUrl}', model: 'm', apiKeyEnv: '${name}_KEY' })`,
  )
  return `import { openaiChat, probe, text } from 'vitest-slo'
probe('real', {
  targets: { ${each.join(', ')} },
  prompts: { hello: text('Say hello.'), bye: text('Say good bye.') },
  schedule: { every: '0s', rounds: ${rounds}, seed: 1 }, warmup: 0,
})
`
}

const BUDGETS = `version: 1
budgets:
  - limit: error_rate < 10%
    min_samples: 10
  - limit: p50 ttft < 10s
    min_samples: 10
    on_inconclusive: skip
`

describe('a run of which no request can succeed', () => {
  test('it ends after twice as many requests as cells, says why, and what was sampled decides', async () => {
    const project = createProject({ 'a.probe.ts': specOf(['A'], 50), 'slo.yaml': BUDGETS })
    const run = await project.run(['run', '--project', 'slo'], { A_KEY: 'wrong' })
    expect(requests).toBe(4)
    expect(run.stderr).toContain('ended early (cannot-heal): 4 of 100 samples')
    expect(run.stderr).toMatch(/all of the first 4 requests failed alike: http_status 401: .*Incorrect API key/)
    expect(run.code).toBe(1)
    expect(project.read('slo-report/summary.md')).toContain('all of the first 4 requests failed alike')
    expect(JSON.parse(project.read('slo-report/report.json'))).toMatchObject({
      run: { complete: false, interrupted: false },
    })
    // once the key is right, a run of its own starts
    const second = await project.run(['run', '--project', 'slo'], { A_KEY: 'right' })
    expect(second.code).toBe(0)
    expect(second.stderr).not.toContain('goes on')
    expect(requests).toBe(104)
  })

  test('one target that answers is hope enough', async () => {
    const project = createProject({ 'a.probe.ts': specOf(['A', 'B'], 6) })
    const run = await project.run(['run', '--project', 'slo'], { A_KEY: 'wrong', B_KEY: 'right' })
    expect(run.stderr).toContain('complete: 24 of 24')
    expect(requests).toBe(24)
  })

  test('a schedule that is done anyway is complete', async () => {
    const project = createProject({ 'a.probe.ts': specOf(['A'], 2) })
    const run = await project.run(['run', '--project', 'slo'], { A_KEY: 'wrong' })
    expect(run.stderr).toContain('complete: 4 of 4')
  })
})
