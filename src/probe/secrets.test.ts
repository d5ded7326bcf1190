import { Buffer } from 'node:buffer'
import * as fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { Asker } from './asker.ts'
import { Secrets } from './secrets.ts'
import { delta, done, finish, goodStream, sse } from './testing/events.ts'
import { orderTo } from './testing/orders.ts'
import { scriptedServer, whole } from './testing/scripted-server.ts'
import type { Incoming, ScriptedServer } from './testing/scripted-server.ts'

const KEY = 'sk-MARKED/key+with"odd\\chars=9f8e7d'
const TEAM = 'team token 4711'
const asker = new Asker()
let server: ScriptedServer | undefined

afterEach(async () => {
  await server?.close()
  delete process.env['SECRETS_TEST_KEY']
  delete process.env['SECRETS_TEST_TEAM']
})

async function rowOf(answer: (incoming: Incoming) => void): Promise<string> {
  process.env['SECRETS_TEST_KEY'] = `${KEY}\n`
  process.env['SECRETS_TEST_TEAM'] = TEAM
  server = await scriptedServer(answer)
  const order = orderTo(server.url, {
    apiKeyEnv: 'SECRETS_TEST_KEY',
    headers: {
      'x-team': { env: 'SECRETS_TEST_TEAM' },
      'X-Plain': 'visible',
      'X-Proxy-Auth': `Basic ${Buffer.from('user:pass-odd').toString('base64')}`,
    },
  })
  return JSON.stringify(await asker.ask(order, new AbortController().signal))
}

/** No form of the key, whole or half, may be in it. */
function expectClean(row: string): void {
  for (const part of ['MARKED', 'odd', '9f8e7d', '4711', Buffer.from('MARKED').toString('hex')]) {
    expect(row.toLowerCase()).not.toContain(part.toLowerCase())
  }
  for (const offset of [0, 1, 2]) {
    const inside = Buffer.concat([Buffer.alloc(offset), Buffer.from(KEY)])
      .toString('base64')
      .slice(4, 20)
    expect(row).not.toContain(inside)
  }
}

test('the secrets are sent, and only there', async () => {
  const row = await rowOf(({ socket }) => socket.write(whole(goodStream)))
  expect(server?.requests[0]?.headers).toMatchObject({
    authorization: `Bearer ${KEY}`,
    'x-team': TEAM,
    'x-plain': 'visible',
  })
  expectClean(row)
})

test.each([
  ['as it is', `{"error":"bad key ${KEY} of ${TEAM}"}`],
  ['JSON-escaped', JSON.stringify({ error: `bad key ${KEY}` })],
  ['URL-encoded', `bad ?key=${encodeURIComponent(KEY)}&team=${encodeURIComponent(TEAM)}`],
  ['in lower case', `bad key ${KEY.toLowerCase()}`],
  ['base64', `bad ${Buffer.from(KEY).toString('base64')}`],
  ['base64 inside more', `bad ${Buffer.from(`user:${KEY}:x`).toString('base64')}`],
  ['base64url', `bad ${Buffer.from(`u:${KEY}`).toString('base64url')}`],
  ['hex', `bad ${Buffer.from(KEY).toString('hex')}`],
  [
    'with a \\u escape',
    `bad ${JSON.stringify(KEY)
      .slice(1, -1)
      .replace('M', String.raw`\u004d`)}`,
  ],
  ['cut by control characters', `bad ${KEY.slice(0, 6)}\u0000${KEY.slice(6, 9)}\u200B${KEY.slice(9)}`],
  ['after Bearer', `bad header Bearer ${KEY}`],
  ['of a proxy, decoded', 'bad password pass-odd'],
  ['many times over', `${KEY} `.repeat(400)],
])('a key echoed %s is struck out', async (_name, body) => {
  expectClean(await rowOf(({ socket }) => socket.write(whole(body, 401))))
})

test('a key at the place where a body is cut does not leave its half', async () => {
  for (let before = 4050; before < 4096; before += 5) {
    const row = await rowOf(({ socket }) => socket.write(whole(`${' '.repeat(before)}${KEY}${'y'.repeat(100)}`, 500)))
    expectClean(row)
    await server?.close()
  }
})

test('a key in model, id, finish reason, error or headers of the answer is struck out', async () => {
  const stream = delta({ content: 'a' }, { model: KEY, id: KEY }) + finish(`stop ${KEY}`) + done
  expectClean(await rowOf(({ socket }) => socket.write(whole(stream, 200, { 'x-request-id': KEY }))))
  await server?.close()
  expectClean(await rowOf(({ socket }) => socket.write(whole(sse({ error: { message: KEY, code: KEY } })))))
})

test('any text with a secret in it comes out without, on one bounded line', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 8, maxLength: 40 }).filter((text) => text.trim().length >= 8),
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'grapheme' }),
      (secret, before, after) => {
        const secrets = new Secrets()
        secrets.add(secret)
        const text = secrets.scrub(`${before}${secret}${after}`, 120)
        expect(text).not.toContain(secret.trim())
        expect(text.length).toBeLessThanOrEqual(120)
        for (const character of ['\n', '\r', '\t', '\u0000']) expect(text).not.toContain(character)
      },
    ),
  )
})

const anyKey = fc.string({
  unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split('')),
  minLength: 16,
  maxLength: 200,
})
/** Some letters are no word because of their case, and nothing with a digit is one. */
const noWord = /\d|[a-z][A-Z]|[A-Z]{2,}[a-z]/

test('no fragment of a key that is 8 characters long, and no words, is left', () => {
  fc.assert(
    fc.property(anyKey, fc.nat(), fc.integer({ min: 8, max: 60 }), fc.string(), (key, from, length, around) => {
      const secrets = new Secrets()
      secrets.add(key)
      const start = from % (key.length - 7)
      const fragment = key.slice(start, start + length)
      const text = secrets.scrub(`${around} ${fragment} ${around}`, 1000)
      for (let at = 0; at + 8 <= fragment.length; at += 1) {
        const piece = fragment.slice(at, at + 8)
        if (noWord.test(piece)) expect(text).not.toContain(piece)
      }
      for (let at = 0; at + 16 <= fragment.length; at += 1) expect(text).not.toContain(fragment.slice(at, at + 16))
    }),
  )
})

test.each([
  ['the first ones', 'key sk-proj-a1B2c3D4**** is wrong', 'key [secret]**** is wrong'],
  ['the last ones', 'key ending in e5F6g7H8 is wrong', 'key ending in [secret] is wrong'],
  ['what OpenAI shows', 'key provided: sk-proj-****g7H8', 'key provided: sk-proj-****g7H8'],
  ['words of it', 'no production access, see sk-proj- keys', 'no production access, see sk-proj- keys'],
  ['base64 of some', `x ${Buffer.from('-a1B2c3D4e5F').toString('base64').slice(0, 16)}`, 'x [secret]'],
])('of a key that is echoed in part, %s: %s', (_name, said, left) => {
  const secrets = new Secrets()
  secrets.add('sk-proj-a1B2c3D4-production-e5F6g7H8')
  secrets.add('xx-a1B2c3D4e5F6g7H8')
  expect(secrets.scrub(said, 200)).toBe(left)
})

test('a sentence whose words stand in a secret stays, and a secret of words is struck out', () => {
  const secrets = new Secrets()
  secrets.add('correct horse battery staple')
  expect(secrets.scrub('the battery is not correct', 200)).toBe('the battery is not correct')
  expect(secrets.scrub('Correct horse battery staple, or horse battery staple', 200)).toBe('[secret], or[secret]')
})

test.each([
  ['model ollama/llama3 not found, try ollama pull', 'model ollama/llama3 not found, try ollama pull'],
  ['Incorrect API key provided: ollama.', 'Incorrect API key provided: [secret].'],
  ['{"api_key":"ollama","model":"ollama2"}', '{"api_key":"[secret]","model":"ollama2"}'],
  ["'OLLAMA' is not a valid token", "'[secret]' is not a valid token"],
  ['Authorization: Bearer ollama', 'Authorization: Bearer [secret]'],
  ['ollamas know no key', 'ollamas know no key'],
  ['ollama: prompt of 9000 tokens is too long', 'ollama: prompt of 9000 tokens is too long'],
  [`401 for ${Buffer.from('Bearer ollama').toString('base64')}`, '401 for QmVhcmVyIG[secret]Q=='],
  [`401 for ${Buffer.from('ollama').toString('hex')}`, '401 for [secret]'],
])('a key that is a short word goes where a text speaks of keys: %s', (said, left) => {
  const secrets = new Secrets()
  secrets.add('ollama')
  expect(secrets.scrub(said, 200)).toBe(left)
})

test.each(['a1b2', 'sk-abc', 'pass-w', 'p4ssw0r'])('a short secret that is no word goes everywhere: %s', (secret) => {
  const secrets = new Secrets()
  secrets.add(secret)
  expect(secrets.scrub(`model x${secret}y`, 200)).toBe('model x[secret]y')
})

test('a secret may be as long as a file', () => {
  const secrets = new Secrets()
  secrets.add('x1'.repeat(50_000))
  expect(secrets.scrub(`a ${'1x'.repeat(20_000)} b`, 200)).toBe('a [secret] b')
})

test('whatever follows Bearer goes, known or not; words stay', () => {
  const secrets = new Secrets()
  expect(secrets.scrub('sent Authorization: Bearer abc.def-123, refused', 200)).toBe(
    'sent Authorization: Bearer [secret], refused',
  )
  secrets.add('abc')
  expect(secrets.scrub('abc is too short for a secret', 200)).toBe('abc is too short for a secret')
})

test('a key of which every byte is percent-encoded is no less a key', () => {
  const secrets = new Secrets()
  secrets.add(KEY)
  const encoded = Buffer.from(KEY).toString('hex').replace(/../g, '%$&')
  expect(secrets.scrub(`refused: ${encoded.toUpperCase()}!`, 500)).toBe('refused: [secret]!')
})

test('what calls itself a credential goes from texts about credentials, and a JSON web token from every one', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'
  expect(new Secrets().scrub(`bad token ${token}; max_tokens: 12345678`, 500)).toBe(
    'bad token [secret]; max_tokens: 12345678',
  )
  const about = new Secrets({ sparesWords: false })
  expect(about.scrub('debug: access_token=tok-9f8e7d6c5b4a, "api_key": "abcdefgh12"', 500)).toBe(
    'debug: access_token=[secret], "api_key": "[secret]"',
  )
})
