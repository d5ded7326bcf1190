import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { defineProbe } from './define.ts'
import { effectiveProbe, missingVariables } from './effective.ts'
import { readEnvironment } from './environment.ts'
import type { Target } from './options.ts'
import { text } from './prompts.ts'
import {
  anthropicMessages,
  bedrockConverse,
  cohere,
  custom,
  gemini,
  ollama,
  openaiChat,
  openaiCompletions,
  openaiResponses,
} from './targets.ts'
import type { Probe, RealTarget } from './types.ts'

const root = mkdtempSync(join(tmpdir(), 'slo targets '))
const endpoint = { baseUrl: 'https://inference.example/v1', model: 'm' }

function probeOf(targets: Readonly<Record<string, Target>>, body?: Readonly<Record<string, unknown>>): Probe {
  const options = {
    targets,
    prompts: { hi: text('Hi') },
    schedule: { every: '0s', rounds: 1 },
    request: { body },
  } as const
  return defineProbe('p', options, { file: 'a.probe.ts', root }).probe
}

function specOf(target: Target): RealTarget {
  const [spec] = probeOf({ target }).targets
  if (spec?.kind !== 'real') throw new Error('not a real target')
  return spec
}

test.each([
  ['openai-chat', openaiChat(endpoint)],
  ['openai-completions', openaiCompletions(endpoint)],
  ['openai-responses', openaiResponses(endpoint)],
  ['anthropic-messages', anthropicMessages(endpoint)],
  ['gemini', gemini(endpoint)],
  ['ollama', ollama(endpoint)],
  ['cohere', cohere(endpoint)],
  ['bedrock-converse', bedrockConverse({ ...endpoint, apiKeyEnv: 'KEY' })],
])('%s is a target', (protocol, target) => {
  expect(specOf(target)).toMatchObject({ kind: 'real', protocol, model: 'm', baseUrl: 'https://inference.example/v1' })
  expect(specOf(target)).not.toHaveProperty('signing')
})

test('Bedrock is signed with the usual variables, unless there is a key', () => {
  const target = bedrockConverse({ ...endpoint, aws: { region: 'eu-west-1', secretAccessKeyEnv: 'MY_SECRET' } })
  expect(specOf(target).signing).toEqual({
    service: 'bedrock',
    region: 'eu-west-1',
    accessKeyIdEnv: 'AWS_ACCESS_KEY_ID',
    secretAccessKeyEnv: 'MY_SECRET',
    sessionTokenEnv: 'AWS_SESSION_TOKEN',
  })
  expect(missingVariables([probeOf({ target })], { AWS_ACCESS_KEY_ID: 'x' })).toEqual([
    { name: 'MY_SECRET', neededBy: ['p/target'] },
  ])
})

test('fields that are undefined are paths to be left out, so that the plan stays JSON and differs', () => {
  const { request } = probeOf({ a: openaiChat(endpoint) }, { stream_options: undefined, extra: { a: 1, b: undefined } })
  expect(request).toMatchObject({ body: { extra: { a: 1 } }, omit: [['stream_options'], ['extra', 'b']] })
  expect(structuredClone(request)).toEqual(JSON.parse(JSON.stringify(request)))
})

test("a target's own fields and name of the cap", () => {
  const target = openaiChat({ ...endpoint, maxTokensField: 'max_tokens', body: { top_k: 3, temperature: undefined } })
  expect(specOf(target).request).toEqual({ body: { top_k: 3 }, omit: [['temperature']], maxTokensField: 'max_tokens' })
  expect(specOf(openaiChat(endpoint))).not.toHaveProperty('request')
})

test("a user's protocol is named by its place and its content", () => {
  const file = join(root, 'mine.ts')
  writeFileSync(file, 'export default 1')
  const target = custom({ ...endpoint, protocol: pathToFileURL(file) })
  const first = specOf(target).protocol
  expect(first).toMatch(/^file:.*mine\.ts\?v=[0-9a-f]{12}$/)
  writeFileSync(file, 'export default 2')
  expect(specOf(target).protocol).not.toBe(first)
})

test('a protocol that is not there, or no URL, is an error before anything is asked', () => {
  const gone = new URL('gone.ts', pathToFileURL(join(root, 'x')))
  expect(() => specOf(custom({ ...endpoint, protocol: gone }))).toThrow(/gone\.ts cannot be read/)
  expect(() => specOf(custom({ ...endpoint, protocol: './mine.ts' as unknown as URL }))).toThrow(
    /targets\.target\.options\.protocol: not a URL/,
  )
})

test('a simulated twin speaks the protocol of its target where the simulator does, else chat completions', () => {
  const environment = readEnvironment({ SLO_SIMULATE: '1' })
  const twin = effectiveProbe(
    probeOf({ a: anthropicMessages(endpoint), b: bedrockConverse(endpoint) }),
    environment,
    [],
  )
  expect(twin.targets.map(({ kind, protocol }) => [kind, protocol])).toEqual([
    ['simulated', 'anthropic-messages'],
    ['simulated', 'openai-chat'],
  ])
})
