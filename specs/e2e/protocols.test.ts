import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProject } from './testing/project.ts'

/** A server whose stream nobody but the project's own protocol can read. */
let server: Server
let url = ''

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume()
    request.once('end', () => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      response.write('data: say Hello\n\n')
      response.end(`data: say ${request.url ?? ''}\n\ndata: over 7\n\n`)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const MINE = `import type { EventReading, Protocol } from 'vitest-slo'

const mine: Protocol = {
  name: 'mine',
  path: (model: string) => \`/stream/\${model}\`,
  body: ({ request }) => ({ limit: request.maxTokens }),
  read({ data }): EventReading {
    const [word = '', rest = ''] = data.split(' ')
    if (word === 'over') return { tokens: [], characters: 0, end: true, usage: { promptTokens: 1, completionTokens: Number(rest) } }
    return { tokens: ['answer'], characters: rest.length }
  },
}
export default mine
`

function probeOf(target: string): string {
  return `import { bedrockConverse, custom, probe, text } from 'vitest-slo'
probe('own', { targets: { it: ${target} }, prompts: { hello: text('Say hello.') }, schedule: { every: '0s', rounds: 2 } })
`
}

test("a user's own protocol, in TypeScript, is loaded by the prober of the installed package", async () => {
  const project = createProject({
    'specs/mine.ts': MINE,
    'specs/own.probe.ts': probeOf(
      `custom({ protocol: new URL('./mine.ts', import.meta.url), baseUrl: '${url}', model: 'm' })`,
    ),
  })
  const run = await project.run(['run', '--project', 'slo'])
  expect(run.code, run.output).toBe(0)
  const rows = project.rows()
  expect(rows).toHaveLength(2)
  for (const row of rows)
    expect(row).toMatchObject({ outcome: 'ok', protocol: 'mine', token_events: '2', completion_tokens: '7' })
})

test('a target of Bedrock names the packages that it needs', async () => {
  const project = createProject({
    'specs/own.probe.ts': probeOf(`bedrockConverse({ baseUrl: '${url}', model: 'm', apiKeyEnv: 'KEY' })`),
  })
  const run = await project.run(['run', '--project', 'slo'], { KEY: 'bedrock-key' })
  expect(run.code, run.output).not.toBe(0)
  expect(run.output).toContain('@smithy/eventstream-codec')
  expect(run.output).toContain('npm install --save-dev @smithy/eventstream-codec')
})
