import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { defineProbe } from './define.ts'
import { missingVariables, unreadableFiles, unusableVariables } from './effective.ts'
import type { OpenaiChatOptions } from './options.ts'
import { env, openaiChat } from './targets.ts'
import type { Probe, RealTarget } from './types.ts'

const place = { file: 'a.probe.ts', root: '/project' }

function define(options: Partial<OpenaiChatOptions>): RealTarget {
  const target = openaiChat({ baseUrl: 'https://inference.example/v1', model: 'm', ...options })
  const { probe } = defineProbe(
    'p',
    { targets: { t: target }, prompts: { s: { type: 'text', text: 'Hi' } }, schedule: { every: '0s', rounds: 1 } },
    place,
  )
  return probe.targets[0] as RealTarget
}

test('a command for tokens is kept as it is, asked again every 30 minutes unless said otherwise', () => {
  const command = ['gcloud', 'auth', 'print-access-token'] as const
  expect(define({ auth: { command } })).toMatchObject({ auth: { command, everyMs: 1_800_000 }, apiKeyEnv: null })
  expect(define({ auth: { command, every: '50m' } }).auth?.everyMs).toBe(3_000_000)
  expect(define({})).not.toHaveProperty('auth')
})

test('PEM files are relative to the root, URLs are paths, variables stay names', () => {
  const key = env('CLIENT_KEY')
  expect(define({ tls: { ca: 'certs/ca.pem', cert: pathToFileURL('/etc/client.pem'), key } }).tls).toEqual({
    ca: '/project/certs/ca.pem',
    cert: '/etc/client.pem',
    key,
  })
})

test('a variable of tls that is not set is missing before any request', () => {
  const target = define({ tls: { ca: env('PRIVATE_CA') } })
  const { probe } = defineProbe(
    'p',
    {
      targets: { t: openaiChat({ baseUrl: 'https://x.example', model: 'm' }) },
      prompts: { s: { type: 'text', text: 'Hi' } },
      schedule: { every: '0s', rounds: 1 },
    },
    place,
  )
  const missing = missingVariables([{ ...probe, targets: [target] }], {})
  expect(missing).toEqual([{ name: 'PRIVATE_CA', neededBy: ['p/t'] }])
  // a PEM text has lines, and goes into no header
  const pem = { PRIVATE_CA: '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n' }
  expect(unusableVariables([{ ...probe, targets: [target] }], pem)).toEqual([])
})

test('a file of tls that is not there is known before any request', () => {
  const target = define({ tls: { ca: '/no/such/ca.pem' } })
  const probe = { name: 'p', targets: [target] } as unknown as Probe
  expect(unreadableFiles([probe])).toEqual([{ file: '/no/such/ca.pem', neededBy: 'p/t' }])
})

test.each([
  ['two credentials', { apiKeyEnv: 'KEY', auth: { command: ['x'] } }, /targets\.t\.options: give one of apiKeyEnv/],
  ['no command', { auth: { command: [] } }, /auth\.command/],
  ['a certificate without its key', { tls: { cert: 'a.pem' } }, /cert and key go together/],
  ['an unknown word', { tls: { pfx: 'a' } }, /pfx/],
])('%s is a mistake', (_name, options, message) => {
  expect(() => define(options as unknown as OpenaiChatOptions)).toThrow(message)
})
