import { cpSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createProject } from './testing/project.ts'
import type { Finished, Project } from './testing/project.ts'

/** What every answer of tonight counts: a number that no busy machine changes. */
let tokens = 100
let requests = 0

const server = createServer((_request, response) => {
  requests += 1
  const usage = { prompt_tokens: 5, completion_tokens: tokens, total_tokens: 5 + tokens }
  response
    .writeHead(200, { 'content-type': 'text/event-stream' })
    .end(
      `data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`,
    )
})
let spec = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  spec = `import { openaiChat, probe, text } from 'vitest-slo'
probe('nightly', {
  targets: { m: openaiChat({ baseUrl: 'http://127.0.0.1:${(server.address() as AddressInfo).port}/v1', model: 'm' }) },
  prompts: { hello: text('Say hello.') },
  schedule: { every: '0s', rounds: 10, seed: 1 }, warmup: 0,
})
`
})
beforeEach(() => {
  tokens = 100
  requests = 0
})
afterAll(() => void server.close())

const budgets = (baseline: string, more = ''): string => `version: 1
budgets:
  - limit: p50 completion_tokens <= baseline + 10%
    baseline: ${baseline}
  - limit: error_rate < 50%
${more}`

interface Night extends Finished {
  readonly comparison: { readonly verdict: string; readonly reason?: string; readonly message: string }
}

async function night(project: Project, answers: number, out = 'slo-report'): Promise<Night> {
  tokens = answers
  const run = await project.run(['run', '--project', 'slo'], { SLO_OUT: out })
  const { findings } = JSON.parse(project.read(`${out}/report.json`)) as { findings: Night['comparison'][] }
  const [comparison] = findings
  if (comparison === undefined) throw new Error(run.output)
  return { ...run, comparison }
}

/** Copies a folder's one run to earlier days, so that it holds `count` nights more. */
function repeat(project: Project, count: number): void {
  for (const file of ['samples.csv', 'runs.jsonl']) {
    const text = project.read(`slo-report/${file}`)
    const [, ...rows] = text.split(/(?<=\n)/)
    const own = file === 'samples.csv' ? rows.join('') : text
    const copies = Array.from({ length: count }, (_, at) =>
      own.replaceAll(/\d{8}T\d{9}Z-[0-9a-f]{8}/g, `20200101T000000000Z-${String(at).padStart(8, '0')}`),
    )
    project.write({ [`slo-report/${file}`]: text + copies.join('') })
  }
}

describe('nights of the history', () => {
  test('the first has none and warns, the next passes against it, and a worse one only warns under 19', async () => {
    const project = createProject({ 'a.probe.ts': spec, 'slo.yaml': budgets('{ history: 30d }') })
    const first = await night(project, 100)
    expect(first.code).toBe(0)
    expect(first.comparison).toMatchObject({ verdict: 'inconclusive', reason: 'no-baseline' })
    expect(first.comparison.message).toContain('no passing run to compare with yet')
    const second = await night(project, 105)
    expect(second.comparison).toMatchObject({ verdict: 'pass', comparison: { pairs: 1, baselineValue: 100 } })
    const worse = await night(project, 200)
    expect(worse.code).toBe(0)
    expect(worse.comparison).toMatchObject({ verdict: 'inconclusive', reason: 'not-significant' })
    expect(worse.comparison.message).toContain('under 19 nights it can only warn')
  })

  test('the worst of twenty fails, and is no baseline itself', async () => {
    const project = createProject({ 'a.probe.ts': spec, 'slo.yaml': budgets('{ history: 30d }') })
    await night(project, 100)
    repeat(project, 18)
    const worse = await night(project, 200)
    expect(worse.comparison).toMatchObject({ verdict: 'fail', comparison: { pairs: 19, pValue: 0.05 } })
    expect(worse.code).toBe(1)
    const next = await night(project, 100)
    expect(next.comparison).toMatchObject({ verdict: 'pass', comparison: { pairs: 19 } })
    expect(next.code).toBe(0)
  })
})

describe('the CSV of an earlier run', () => {
  test('is the night to compare with', async () => {
    const project = createProject({ 'a.probe.ts': spec, 'slo.yaml': budgets('{ file: before.csv }') })
    project.write({ 'before.yaml': 'version: 1\nbudgets:\n  - limit: error_rate < 50%\n' })
    expect((await project.run(['run', '--project', 'slo'], { SLO_BUDGETS: 'before.yaml' })).code).toBe(0)
    cpSync(join(project.dir, 'slo-report/samples.csv'), join(project.dir, 'before.csv'))
    const same = await night(project, 105, 'after')
    expect(same.comparison).toMatchObject({
      verdict: 'pass',
      comparison: { kind: 'file', baseline: 'before.csv', baselineValue: 100, pairs: 1 },
    })
    const worse = await night(project, 200, 'after')
    expect(worse.comparison).toMatchObject({ verdict: 'inconclusive', reason: 'not-significant' })
    expect(worse.comparison.message).toContain('under 19 nights it can only warn')
    expect(worse.code).toBe(0)
  })

  test('is refused before the first request where it is not there, or holds failed runs only', async () => {
    const project = createProject({ 'a.probe.ts': spec, 'slo.yaml': budgets('{ file: slo-report/samples.csv }') })
    const missing = await project.run(['run', '--project', 'slo'], { SLO_OUT: 'after' })
    expect(missing.code).toBe(2)
    expect(missing.output).toContain('baseline slo-report/samples.csv')
    project.write({ 'strict.yaml': 'version: 1\nbudgets:\n  - limit: p50 completion_tokens < 50\n' })
    expect((await project.run(['run', '--project', 'slo'], { SLO_BUDGETS: 'strict.yaml' })).code).toBe(1)
    expect(requests).toBe(10)
    const failed = await project.run(['run', '--project', 'slo'], { SLO_OUT: 'after' })
    expect(failed.code).toBe(2)
    expect(failed.output).toContain('it holds no run that may serve')
    expect(requests).toBe(10)
  })
})
