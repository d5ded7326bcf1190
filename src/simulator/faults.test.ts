import { existsSync, readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { connect, constants } from 'node:http2'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { faultNames, faults } from './faults.ts'
import { serve } from './server.ts'
import type { SimulatorServer } from './server.ts'
import { ask, events } from './testing/ask.ts'
import type { Answer } from './testing/ask.ts'

let server: SimulatorServer
beforeAll(async () => {
  server = await serve({ seed: 1 })
})
afterAll(async () => {
  await server.close()
})

const certificates = JSON.parse(
  readFileSync(new URL('../../fixtures/faults/certificates.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, { readonly cert: string; readonly key: string }>> & {
  readonly good: { readonly cert: string; readonly key: string }
}

const SECRET = 'sk-secret-1234'

function askWith(fault: string, until?: RegExp): Promise<Answer> {
  const headers = {
    'x-slo-fault': fault,
    authorization: `Bearer ${SECRET}`,
    'x-slo-cell': 'faults%2Fdefault%2Fshort',
    'x-slo-k': '2',
  }
  return ask({ url: server.url, headers, ...(until === undefined ? {} : { until }) })
}

function tokens(answer: Answer): number {
  return (answer.text.match(/"delta":\{"content":"[^"]/g) ?? []).length
}

const isGood = (answer: Answer): void => {
  expect(answer).toMatchObject({ status: 200, ended: 'end' })
  expect(events(answer.text)).not.toContain('malformed')
  expect(tokens(answer)).toBeGreaterThan(50)
}
const has =
  (status: number, type: string, text: RegExp, headers: Record<string, string> = {}) =>
  (answer: Answer): void => {
    expect(answer).toMatchObject({ status, ended: 'end', headers })
    expect(answer.headers['content-type']).toContain(type)
    expect(answer.text).toMatch(text)
  }
const breaksWith =
  (code: string, status: number | null, tokenEvents: number) =>
  (answer: Answer): void => {
    expect(answer).toMatchObject({ status, ended: code })
    expect(tokens(answer)).toBe(tokenEvents)
  }
const stops =
  (tokenEvents: number) =>
  (answer: Answer): void => {
    expect(answer).toMatchObject({ status: 200, ended: 'stopped' })
    expect(tokens(answer)).toBe(tokenEvents)
    expect(answer.text).not.toContain('[DONE]')
  }
const ends =
  (check: (answer: Answer, all: unknown[]) => void) =>
  (answer: Answer): void => {
    expect(answer).toMatchObject({ status: 200, ended: 'end' })
    check(answer, events(answer.text))
  }

/** One line a fault: how it is asked for, what a client sees. */
const CASES: readonly (readonly [fault: string, check: (answer: Answer) => void, until?: RegExp])[] = [
  ['http-400', has(400, 'application/json', /invalid_request_error/)],
  ['http-401', has(401, 'application/json', /authentication_error/)],
  ['http-403', has(403, 'application/json', /permission_error/)],
  ['http-404', has(404, 'application/json', /not_found_error/)],
  ['http-429;retry-after=7', has(429, 'application/json', /rate_limit_error/, { 'retry-after': '7' })],
  ['http-500', has(500, 'application/json', /server_error/)],
  ['http-502-html', has(502, 'text/html', /Bad Gateway/)],
  ['http-503', has(503, 'application/json', /unavailable/)],
  ['http-529', has(529, 'application/json', /overloaded_error/)],
  ['http;status=418', has(418, 'application/json', /Status 418/)],
  ['empty-200', has(200, 'text/event-stream', /^$/)],
  ['json-200', has(200, 'application/json', /"error"/)],
  ['html-200', has(200, 'text/html', /Sign in/)],
  ['wrong-content-type', has(200, 'application/octet-stream', /\[DONE\]/)],
  ['reset-before-headers', breaksWith('ECONNRESET', null, 0)],
  ['close-before-headers', breaksWith('ECONNRESET', null, 0)],
  ['reset-after-headers', breaksWith('ECONNRESET', 200, 0)],
  ['reset-mid-stream;tokens=7', breaksWith('ECONNRESET', 200, 7)],
  ['close-mid-stream', breaksWith('ECONNRESET', 200, 5)],
  ['hang-after-headers', stops(0), /^/],
  ['hang-after-first-token', stops(1), /"content":"[^"]/],
  ['hang-with-pings', stops(0), /(?:: ping\n\n){3}/],
  ['hang-at-end', (answer) => expect(answer.text).not.toMatch(/\[DONE\]|"usage"/), /"finish_reason":"stop"/],
  ['close-idle', isGood],
  [
    'connection-close',
    (answer) => {
      isGood(answer)
      expect(answer.headers.connection).toBe('close')
    },
  ],
  [
    'byte-by-byte',
    (answer) => {
      isGood(answer)
      expect(answer.chunks).toBeGreaterThan(1000)
    },
  ],
  ['slow-drip;bytes=512;ms=1', isGood],
  ['burst', isGood],
  [
    'gzip',
    ends((answer) => {
      expect(answer.headers['content-encoding']).toBe('gzip')
      expect(gunzipSync(answer.bytes).toString('utf8')).toMatch(/\[DONE\]\n\n$/)
    }),
  ],
  ['no-finish-no-done', ends((answer) => expect(answer.text).not.toMatch(/\[DONE\]|"finish_reason":"/))],
  [
    'finish-no-done',
    ends((answer) => {
      expect(answer.text).toContain('"finish_reason":"stop"')
      expect(answer.text).not.toContain('[DONE]')
    }),
  ],
  [
    'done-no-finish',
    ends((answer) => {
      expect(answer.text).toContain('[DONE]')
      expect(answer.text).not.toContain('"finish_reason":"stop"')
    }),
  ],
  [
    'error-event;tokens=4',
    ends((answer, all) => {
      expect(tokens(answer)).toBe(4)
      expect(all.at(-1)).toMatchObject({ error: { message: 'The model crashed.' } })
    }),
  ],
  [
    'error-event-first',
    ends((answer, all) => {
      expect(tokens(answer)).toBe(0)
      expect(all.at(-1)).toMatchObject({ error: { message: 'The model crashed.' } })
    }),
  ],
  [
    'malformed-event',
    ends((_answer, all) => {
      expect(all.filter((entry) => entry === 'malformed')).toHaveLength(1)
      expect(all.at(-1)).toBe('[DONE]')
    }),
  ],
  ['only-malformed', ends((_answer, all) => expect(new Set(all)).toEqual(new Set(['malformed'])))],
  [
    'role-only',
    ends((answer, all) => {
      expect(tokens(answer)).toBe(0)
      expect(all).toHaveLength(3)
    }),
  ],
  [
    'length-without-token',
    ends((answer) => {
      expect(tokens(answer)).toBe(0)
      expect(answer.text).toContain('"finish_reason":"length"')
    }),
  ],
  [
    'half-event',
    ends((answer) => {
      expect(tokens(answer)).toBe(3)
      expect(answer.text).toMatch(/"del$/)
    }),
  ],
  [
    'huge-event;bytes=300000',
    ends((answer) => {
      expect(answer.bytes.length).toBeGreaterThan(300_000)
      isGood(answer)
    }),
  ],
  [
    'batched-first',
    ends((answer) => {
      const first = /"delta":\{"content":"([^"]+)"/.exec(answer.text)?.[1] ?? ''
      expect(first.length).toBeGreaterThan(60)
      expect(answer.text).toContain('[DONE]')
    }),
  ],
  [
    'pings',
    ends((answer) => {
      expect(answer.text).toMatch(/^: ping\n\ndata/)
      isGood(answer)
    }),
  ],
  [
    'crlf',
    ends((answer) => {
      isGood(answer)
      expect(answer.text).toMatch(/\r\n\r\ndata/)
    }),
  ],
  [
    'unicode',
    ends((answer) => {
      expect(answer.text).toContain('né中😀')
      isGood(answer)
    }),
  ],
  ['wrong-key-400', has(400, 'application/json', /Incorrect API key/)],
  ['unknown-model-400', has(400, 'application/json', /model identifier/)],
  ['too-long-400', has(400, 'application/json', /context_length_exceeded/)],
  ['filtered-400', has(400, 'application/json', /content_filter/)],
  ['no-money-402', has(402, 'application/json', /credits/)],
  ['no-quota-429', has(429, 'application/json', /insufficient_quota/)],
  ['overloaded-429', has(429, 'application/json', /overloaded/)],
  ['slow-down;ms=9000', has(429, 'application/json', /rate_limit/, { 'retry-after': '9' })],
  ['slow-down;as=milliseconds;ms=9000', has(429, 'application/json', /rate_limit/, { 'retry-after-ms': '9000' })],
  ['slow-down;as=reset;ms=9000', has(429, 'application/json', /rate_limit/, { 'x-ratelimit-reset-tokens': '9000ms' })],
  ['gateway-page', has(524, 'text/html', /DOCTYPE/, { 'cf-ray': '8a1b2c3d4e5f-FRA' })],
  ['redirect', has(302, 'text/plain', /^$/, { location: 'https://sign-in.example/' })],
  ['reset-after-done', (answer) => expect(answer.text).toMatch(/\[DONE\]/), /\[DONE\]/],
  ['close-after-done', (answer) => expect(answer).toMatchObject({ ended: 'ECONNRESET' })],
  ['hang-after-done', (answer) => expect(answer).toMatchObject({ ended: 'stopped' }), /\[DONE\]/],
  ['pings-after-finish', (answer) => expect(answer.text).not.toContain('[DONE]'), /"stop".*(?:: ping\n\n){3}/s],
  ['events-after-done', ends((_answer, all) => expect(all.at(-2)).toBe('[DONE]'))],
  ['endless-comments', stops(0), /x{2000}/],
  ['endless-event', stops(1), /"content":"x{2000}/],
  ['endless-tokens', (answer) => expect(tokens(answer)).toBeGreaterThan(500), /(?:data[^\n]*\n\n){600}/],
  ['endless-headers', (answer) => expect(answer).toMatchObject({ status: null, ended: 'HPE_HEADER_OVERFLOW' })],
  ['gzip-bomb', (answer) => expect(answer.bytes.subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b])), /./s],
  ['not-http', (answer) => expect(answer).toMatchObject({ status: null, ended: expect.stringMatching(/^HPE_/) })],
  ['bad-gzip', ends((answer) => expect(answer.text).toMatch(/^data: /))],
  ['bom', ends((answer) => expect(answer.bytes.subarray(0, 3)).toEqual(Buffer.from('\uFEFF')))],
  ['cr', ends((answer) => expect(answer.text).not.toContain('\n'))],
  ['no-space', ends((answer) => expect(answer.text).not.toContain('data: '))],
  ['more-fields', isGood],
  ['multi-line', ends((answer) => expect(answer.text).toMatch(/,\ndata: "choices"/))],
  ['unterminated', ends((answer) => expect(answer.text).toMatch(/\[DONE\]$/))],
  ['glued-comments', ends((answer) => expect(answer.text).toMatch(/: PROCESSING\ndata: .*: bye$/s))],
  ['comment-as-data', ends((answer) => expect(answer.text).toContain('data: : PROCESSING\n\n'))],
  ['brotli', ends((answer) => expect(brotliDecompressSync(answer.bytes).toString()).toContain('[DONE]'))],
  ['zstd', ends((answer) => expect(zstdDecompressSync(answer.bytes).toString()).toContain('[DONE]'))],
  ['overloaded-event', ends((answer) => expect(answer.text).toMatch(/event: error\ndata: .*overloaded_error/))],
  ['rate-limit-event', ends((_answer, all) => expect(all.at(-1)).toMatchObject({ error: { code: 429 } }))],
  ['error-text', ends((_answer, all) => expect(all.at(-1)).toEqual({ error: 'upstream crashed' }))],
  ['error-with-choices', ends((_answer, all) => expect(all.at(-2)).toMatchObject({ error: { code: 502 } }))],
  ['error-field', ends((answer) => expect(answer.text).toMatch(/\nerror: \{"code":500/))],
  ['bare-error', ends((answer) => expect(answer.text).toMatch(/\n\{"error":.*\}\n$/))],
  ['filtered-finish', ends((answer) => expect(answer.text).toContain('"finish_reason":"content_filter"'))],
  ['stop-without-token', ends((_answer, all) => expect(all).toHaveLength(2))],
  ['filtered-end', isGood],
  ['filter-events', isGood],
  ['tool-calls', ends((answer) => expect(answer.text).toContain('"tool_calls":[{"index":0,"function":{"arguments"'))],
  ['refusal', ends((answer) => expect(answer.text).toContain('"delta":{"refusal":'))],
  ['reasoning-details', ends((answer) => expect(answer.text).toContain('"reasoning_details":[{"text"'))],
  ['content-parts', ends((answer) => expect(answer.text).toContain('"content":[{"type":"text"'))],
  ['finish-twice', ends((answer) => expect(answer.text.match(/"finish_reason":"stop"/g)).toHaveLength(2))],
  ['finish-early', ends((answer) => expect(answer.text.match(/"finish_reason":"stop"/g)?.length).toBeGreaterThan(50))],
  ['usage-everywhere', ends((answer) => expect(answer.text).toMatch(/"usage":null.*"usage":\{/s))],
  ['usage-in-choice', ends((answer) => expect(answer.text).toMatch(/"finish_reason":"stop","usage":\{/))],
  ['no-usage', ends((answer) => expect(answer.text).not.toContain('"usage"'))],
  ['cached-prompt;share=0.9', ends((answer) => expect(answer.text).toMatch(/"cached_tokens":[1-9]/))],
  ['inconsistent-usage', ends((answer) => expect(answer.text).toContain('"total_tokens":7'))],
  ['echo-key', has(401, 'application/json', new RegExp(SECRET))],
  ['echo-key;in=event', ends((_answer, all) => expect(JSON.stringify(all.at(-1))).toContain(SECRET))],
  ['echo-key;in=header', (answer) => expect(answer.headers['x-request-id']).toContain(SECRET)],
  ['echo-key;in=model', ends((answer) => expect(answer.text).toContain(`"model":"default-${SECRET}"`))],
  ['echo-key;in=finish', ends((answer) => expect(answer.text).toContain(`"finish_reason":"stop-${SECRET}"`))],
]

for (const [fault, check, until] of CASES) {
  test(fault, async () => {
    check(await askWith(fault, until))
  })
}

test('hang-before-headers answers nothing for as long as the client waits', async () => {
  const hanging = askWith('hang-before-headers')
  // A whole good answer fits in the time; nothing of the hanging one may have come by then.
  const first = await Promise.race([
    hanging.then(() => 'hanging'),
    askWith('slow-drip;bytes=512;ms=1').then(() => 'good'),
  ])
  expect(first).toBe('good')
  await server.close()
  expect(await hanging).toMatchObject({ status: null, ended: 'ECONNRESET' })
  server = await serve({ seed: 1 })
})

test('endless-hints answers nothing but hints', async () => {
  const hinting = askWith('endless-hints')
  const first = await Promise.race([hinting.then(() => 'hinting'), askWith('crlf').then(() => 'good')])
  expect(first).toBe('good')
  await server.close()
  expect(await hinting).toMatchObject({ status: null })
  server = await serve({ seed: 1 })
})

test('close-idle does not close under a request that has come meanwhile', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { 'x-slo-fault': 'close-idle;ms=150;times=1' }
  expect(await ask({ url: server.url, agent, headers })).toMatchObject({ ended: 'end' })
  const slow = { 'x-slo-fault': 'slow-drip;bytes=2048;ms=10000' }
  const answer = await ask({ url: server.url, agent, headers: slow })
  agent.destroy()
  expect(answer).toMatchObject({ ended: 'end', status: 200 })
})

/** What a client sees over HTTP/2: status, token events, [DONE], how the stream and its connection ended. */
interface Seen {
  readonly status?: number
  readonly tokens: number
  readonly done: boolean
  /** Code of RST_STREAM; 0: none. */
  readonly rst: number | undefined
  /** Code of GOAWAY, if one came, and whether it covers the stream. */
  readonly goaway?: number
  readonly covered?: boolean
}

/** The second request of a connection, so that a GOAWAY can lie below it. */
async function askOverHttp2(fault: string): Promise<Seen> {
  const { good } = certificates
  const secure = await serve({ seed: 1, doors: { h2: { kind: 'tls', ...good } } })
  const session = connect(secure.doors['h2'] ?? '', { ca: good.cert })
  session.on('error', () => {})
  let goaway: { readonly code: number; readonly last: number } | undefined
  session.on('goaway', (code: number, last: number) => {
    goaway = { code, last }
  })
  const body = { model: 'm', stream: true, messages: [{ role: 'user', content: 'Hello' }] }
  const once = async (asked: string): Promise<Seen> => {
    const stream = session.request({
      ':path': '/v1/chat/completions',
      ':method': 'POST',
      'x-slo-time-scale': '1000',
      'x-slo-fault': asked,
    })
    let status: number | undefined
    let text = ''
    stream.on('error', () => {}).on('response', (headers) => (status = headers[':status']))
    stream.setEncoding('utf8').on('data', (part: string) => (text += part))
    stream.end(JSON.stringify(body))
    await new Promise((resolve) => stream.once('close', resolve))
    return {
      ...(status === undefined ? {} : { status }),
      tokens: (text.match(/"delta":\{"content":"[^"]/g) ?? []).length,
      done: text.includes('[DONE]'),
      rst: stream.rstCode,
      ...(goaway === undefined ? {} : { goaway: goaway.code, covered: goaway.last >= (stream.id ?? 0) }),
    }
  }
  await once('')
  const seen = await once(fault)
  session.destroy()
  await secure.close()
  return seen
}

const HTTP2_CASES: readonly (readonly [fault: string, seen: Partial<Seen>])[] = [
  ['rst-before-headers;code=REFUSED_STREAM', { tokens: 0, rst: constants.NGHTTP2_REFUSED_STREAM }],
  ['rst-before-headers', { tokens: 0, rst: constants.NGHTTP2_INTERNAL_ERROR }],
  ['rst-mid-stream;code=ENHANCE_YOUR_CALM', { status: 200, tokens: 5, rst: constants.NGHTTP2_ENHANCE_YOUR_CALM }],
  ['rst-mid-stream;code=CANCEL;tokens=2', { status: 200, tokens: 2, rst: constants.NGHTTP2_CANCEL }],
  ['rst-after-done', { status: 200, done: true, rst: constants.NGHTTP2_INTERNAL_ERROR }],
  ['goaway-before-headers', { tokens: 0, done: false, goaway: constants.NGHTTP2_NO_ERROR, covered: false }],
  ['goaway-mid-stream', { status: 200, tokens: 5, goaway: constants.NGHTTP2_INTERNAL_ERROR, covered: false }],
  ['goaway-and-finish', { status: 200, done: true, rst: 0, goaway: constants.NGHTTP2_NO_ERROR, covered: true }],
]

for (const [fault, seen] of HTTP2_CASES) {
  test(`${fault} over HTTP/2`, async () => {
    expect(await askOverHttp2(fault)).toMatchObject(seen)
  })
}

test('a fault of one version of HTTP is refused over the other', async () => {
  expect(await askOverHttp2('not-http')).toMatchObject({ status: 400 })
  expect(await askWith('goaway-mid-stream')).toMatchObject({
    status: 400,
    text: expect.stringContaining('goaway-mid-stream is for HTTP/2, not 1.1'),
  })
})

test('every fault has a case here, and says what it is', () => {
  const tested = new Set([
    ...[...CASES, ...HTTP2_CASES].map(([fault]) => fault.split(';')[0]),
    'hang-before-headers',
    'endless-hints',
  ])
  expect(faultNames.filter((name) => !tested.has(name))).toEqual([])
  for (const name of faultNames) expect(faults[name]?.about).toMatch(/\w/)
})

test('every fault that was reported in public is named with faults that exist, or with a test', () => {
  const reports = readFileSync(new URL('../../fixtures/faults/reports.md', import.meta.url), 'utf8')
  const cells = [...reports.matchAll(/^\| (?!reported|-).* \| (.*) \|$/gm)].map(([, cell]) => cell ?? '')
  expect(cells.length).toBeGreaterThan(40)
  for (const cell of cells) {
    const named = [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '')
    if (cell !== 'every good line') expect(named, cell).not.toEqual([])
    for (const name of named)
      if (name.includes('/')) expect(existsSync(new URL(`../../${name}`, import.meta.url)), name).toBe(true)
      else expect(faultNames).toContain(name)
  }
})
