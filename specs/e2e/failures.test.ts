import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSimulator } from '../../src/simulator/index.ts'
import type { Simulator } from '../../src/simulator/index.ts'
import { createProject } from './testing/project.ts'

/** What a server may do wrong, and what must stand in the CSV. `null`: no failure at all. */
const CASES: Readonly<
  Record<string, { readonly kind: string | null; readonly status?: string; readonly keepsTtft?: boolean }>
> = {
  'http-401': { kind: 'http_status', status: '401' },
  'http-429': { kind: 'http_status', status: '429' },
  'http-529': { kind: 'http_status', status: '529' },
  'empty-200': { kind: 'empty', status: '200' },
  'json-200': { kind: 'not_a_stream', status: '200' },
  'html-200': { kind: 'not_a_stream', status: '200' },
  'reset-before-headers': { kind: 'reset' },
  'reset-after-headers': { kind: 'reset', status: '200' },
  'reset-mid-stream': { kind: 'reset', status: '200', keepsTtft: true },
  'hang-before-headers': { kind: 'first_token_timeout' },
  'hang-after-headers': { kind: 'first_token_timeout', status: '200' },
  'hang-after-first-token': { kind: 'stall_timeout', status: '200', keepsTtft: true },
  'no-finish-no-done': { kind: 'truncated', status: '200', keepsTtft: true },
  'finish-no-done': { kind: null, status: '200', keepsTtft: true },
  'error-event': { kind: 'error_event', status: '200', keepsTtft: true },
  'half-event': { kind: 'truncated', status: '200', keepsTtft: true },
  'only-malformed': { kind: 'malformed', status: '200' },
  'role-only': { kind: 'empty', status: '200' },
  'close-idle': { kind: null, status: '200', keepsTtft: true },
  'echo-key': { kind: 'http_status' },
}

const KEY = 'sk-marked-7f3a9c'
let simulator: Simulator

beforeAll(async () => {
  simulator = await startSimulator()
})
afterAll(() => simulator.stop())

function probeOf(rounds: number): string {
  return `import { env, openaiChat, probe, text } from 'vitest-slo'
const targets = Object.fromEntries(${JSON.stringify(Object.keys(CASES))}.map((fault) => [fault, openaiChat({
  baseUrl: '${simulator.url}/v1', model: 'practice', apiKeyEnv: 'MARKED_KEY',
  headers: { 'x-slo-fault': fault, 'x-slo-time-scale': '200', 'x-slo-profile': 'gemma-4-31B-it', 'x-team': env('MARKED_TEAM') },
  timeouts: { connect: '5s', firstToken: '2s', stall: '1s', total: '20s' },
})]))
probe('faults', { targets, prompts: { hello: text('Say hello.') }, schedule: { every: '0s', rounds: ${rounds} }, warmup: 0 })
`
}

describe('a provider that fails', () => {
  test('one sample a request with the right error_kind, what was measured is kept, and the run goes on', async () => {
    const project = createProject({ 'a.probe.ts': probeOf(2) })
    const run = await project.run(['run', '--project', 'slo'], { MARKED_KEY: KEY, MARKED_TEAM: 'team-secret-42' })
    expect(run.code).toBe(0)
    const rows = project.rows()
    expect(rows).toHaveLength(2 * Object.keys(CASES).length)
    const found = rows.map((row) => ({
      target: row['target'],
      kind: row['error_kind'] === '' ? null : row['error_kind'],
      status: row['status'],
      keepsTtft: row['ttft_ms'] !== '',
    }))
    const wanted = rows.map((row) => {
      const expected = CASES[row['target'] ?? '']
      const status = row['target'] === 'echo-key' ? row['status'] : (expected?.status ?? '')
      return { target: row['target'], kind: expected?.kind, status, keepsTtft: expected?.keepsTtft === true }
    })
    expect(found).toEqual(wanted)
    for (const row of rows.filter((each) => each['target'] === 'http-429'))
      expect(Number(row['retry_after_ms'])).toBeGreaterThan(0)
    // no header of the practice provider is sent to a real target
    expect(rows.every((row) => row['simulated'] === '')).toBe(true)
  })

  test('no secret is anywhere: files, stdout, stderr', async () => {
    const project = createProject({ 'a.probe.ts': probeOf(1) })
    const run = await project.run(['run', '--project', 'slo'], { MARKED_KEY: KEY, MARKED_TEAM: 'team-secret-42' })
    const echoed = project.rows().find((row) => row['target'] === 'echo-key')
    expect(echoed?.['error_message']).not.toBe('')
    const files = ['samples.csv', 'runs.jsonl', 'junit.xml', 'report.json', 'summary.md'].map((file) =>
      project.read(`slo-report/${file}`),
    )
    const encodings = [KEY, 'team-secret-42'].flatMap((secret) => [secret, Buffer.from(secret).toString('base64')])
    for (const text of [run.output, ...files]) for (const secret of encodings) expect(text).not.toContain(secret)
  })
})
