import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { RealTarget } from '../spec/types.ts'
import type { FailedSample, Sample } from '../sample/types.ts'
import { systemClock } from '../clock.ts'
import { Asker } from './asker.ts'
import { delta, done, finish, goodStream, role, sse, usage } from './testing/events.ts'
import { orderTo } from './testing/orders.ts'
import { CHUNKED, LAST_CHUNK, head, httpChunk, scriptedServer, streamHead, whole } from './testing/scripted-server.ts'
import type { Incoming, ScriptedServer } from './testing/scripted-server.ts'
import type { EventReading } from './types.ts'

const asker = new Asker()
let server: ScriptedServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

async function ask(answer: (incoming: Incoming) => void, target: Partial<RealTarget> = {}): Promise<Sample> {
  server = await scriptedServer(answer)
  return await asker.ask(orderTo(server.url, target), new AbortController().signal)
}

function failed(sample: Sample): FailedSample {
  expect(sample.outcome).toBe('error')
  return sample as FailedSample
}

const timeouts = { connect: 5000, firstToken: 20_000, stall: 20_000, total: 30_000 }

test('a whole stream is ok, with every metric', async () => {
  const sample = await ask(({ socket }) => socket.write(whole(goodStream, 200, { 'x-request-id': 'req-7' })), {
    price: { input: 1, output: 10, currency: 'USD' },
  })
  expect(sample).toMatchObject({
    outcome: 'ok',
    seq: 3,
    round: 1,
    model: 'asked-1',
    served_model: 'served-1',
    status: 200,
    reused: false,
    http_version: '1.1',
    stale_retries: 0,
    first_token_kind: 'reasoning',
    token_events: 4,
    tokens_per_event: 1,
    prompt_tokens: 100,
    completion_tokens: 4,
    reasoning_tokens: 1,
    cached_tokens: 0,
    finish_reason: 'stop',
    request_id: 'req-7',
    prompt_bytes: 7,
    cost: 0.00014,
  })
  for (const name of [
    'tcp_ms',
    'connect_ms',
    'send_ms',
    'headers_ms',
    'first_chunk_ms',
    'ttft_ms',
    'total_ms',
  ] as const)
    expect(sample[name], name).toBeGreaterThanOrEqual(0)
  expect(sample.flags).toContain('buffered')
  expect(sample).not.toHaveProperty('tls_ms')
  expect(sample).not.toHaveProperty('simulated')
})

test('the request is what the protocol says, and nothing of a simulation is in it', async () => {
  await ask(({ socket }) => socket.write(whole(goodStream)))
  const [request] = server?.requests ?? []
  expect(request?.requestLine).toBe('POST /v1/chat/completions HTTP/1.1')
  expect(request?.headers).toMatchObject({ 'accept-encoding': 'identity', accept: 'text/event-stream' })
  expect(Object.keys(request?.headers ?? {}).filter((name) => name.startsWith('x-slo'))).toEqual([])
  expect(JSON.parse(request?.body ?? '')).toEqual({
    model: 'asked-1',
    messages: [{ role: 'user', content: 'Grüße' }],
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 64,
    temperature: 0.2,
  })
})

test('the query of a base URL stays', async () => {
  server = await scriptedServer(({ socket }) => socket.write(whole(goodStream)))
  const url = `http://127.0.0.1:${server.port}/openai/?api-version=1`
  await asker.ask(orderTo(url), new AbortController().signal)
  expect(server.requests[0]?.requestLine).toBe('POST /openai/chat/completions?api-version=1 HTTP/1.1')
})

test.each([
  ['429 with seconds', 429, { 'retry-after': '7' }, 7000],
  ['429 with milliseconds', 429, { 'retry-after-ms': '1500', 'retry-after': '2' }, 1500],
  ['529', 529, { 'retry-after': '0.5' }, 500],
  ['a date that has passed', 503, { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
  ['401', 401, {}, undefined],
  ['a redirect', 302, { location: 'http://127.0.0.1:1/' }, undefined],
  ['500', 500, {}, undefined],
])('http_status: %s', async (_name, status, headers, retryAfter) => {
  const body = '{"error":\n {"message": "no capacity"}}'
  const sample = failed(await ask(({ socket }) => socket.write(whole(body, status, headers))))
  expect(sample).toMatchObject({ error_kind: 'http_status', status })
  expect(sample.error_message).toBe('{"error": {"message": "no capacity"}}')
  expect(sample.retry_after_ms).toBe(retryAfter)
  expect(sample).not.toHaveProperty('ttft_ms')
  expect(sample.headers_ms).toBeGreaterThanOrEqual(0)
})

test('http_status: no body has a message too', async () => {
  const sample = failed(await ask(({ socket }) => socket.write(whole('', 500))))
  expect(sample).toMatchObject({ error_kind: 'http_status', status: 500, error_message: 'no body' })
})

test('a timeout longer than any timer is none', async () => {
  const long = { connect: 1e12, firstToken: 1e12, stall: 1e12, total: 1e12 }
  const sample = await ask(({ socket }) => setTimeout(() => socket.write(whole(goodStream)), 30), { timeouts: long })
  expect(sample.outcome).toBe('ok')
})

test('usage after the last token puts off the stall, pings do not', async () => {
  const sample = failed(
    await ask(
      ({ socket }) => {
        socket.write(`${streamHead(CHUNKED)}${httpChunk(delta({ content: 'a' })).toString()}`)
        setTimeout(() => socket.write(httpChunk(usage)), 150)
        setTimeout(() => socket.write(httpChunk(': ping\n\n')), 300)
      },
      { timeouts: { ...timeouts, stall: 300 } },
    ),
  )
  expect(sample).toMatchObject({ error_kind: 'stall_timeout', completion_tokens: 4 })
  expect(sample.total_ms).toBeGreaterThanOrEqual(440)
})

test('http_status: a body that never ends is not waited for', async () => {
  const sample = failed(await ask(({ socket }) => socket.write(`${head(503, CHUNKED)}${httpChunk('busy').toString()}`)))
  expect(sample).toMatchObject({ error_kind: 'http_status', status: 503, error_message: 'busy' })
})

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
test.each([
  ['hints', [HINTS]],
  ['a continue', [CONTINUE]],
  ['a continue with a header', ['HTTP/1.1 100 Continue\r\nserver: x\r\n\r\n']],
  ['several', [`HTTP/1.1 102 Processing\r\n\r\n${CONTINUE}`, HINTS, CONTINUE]],
  ['a continue byte by byte', CONTINUE.split('')],
])('interim answers are none: %s', async (_name, interim) => {
  const scripted = (server = await scriptedServer(({ socket }) => {
    const writes = [...interim]
    const next = (): void => {
      const bytes = writes.shift()
      if (bytes === undefined) setTimeout(() => socket.write(whole(goodStream)), 50)
      else socket.write(bytes, () => setImmediate(next))
    }
    next()
  }))
  for (const reused of [false, true]) {
    const sample = await asker.ask(orderTo(scripted.url), new AbortController().signal)
    expect(sample).toMatchObject({ outcome: 'ok', status: 200, token_events: 4, reused })
    expect(sample.headers_ms).toBeGreaterThanOrEqual(45)
  }
})

test.each([
  ['an upgrade', 'HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'],
  ['no status', 'HTTP/1.1 099 X\r\n\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n'],
])('malformed: %s', async (_name, answer) => {
  const sample = failed(await ask(({ socket }) => socket.end(answer)))
  expect(sample).toMatchObject({ error_kind: 'malformed' })
  expect(sample.error_message).toContain('the answer cannot be read')
})

test('a body that reads like an interim answer is a body', async () => {
  const text = `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100`
  const sample = failed(await ask(({ socket }) => socket.write(whole(text, 500))))
  expect(sample).toMatchObject({ error_kind: 'http_status', error_message: 'HTTP/1.1 100 Continue HTTP/1.1 100' })
})

test.each([
  ['JSON', '{"id":"x","choices":[{"message":{"content":"hi"}}]}', 'application/json'],
  ['HTML', '<!doctype html><title>Sign in</title>', 'text/html'],
  ['JSON under a wrong type', '\uFEFF {"error":"nope"}', 'text/event-stream'],
  ['plain words', 'Service starting', 'text/plain'],
])('not_a_stream: %s', async (_name, body, type) => {
  const sample = failed(await ask(({ socket }) => socket.write(whole(body, 200, { 'content-type': type }))))
  expect(sample).toMatchObject({ error_kind: 'not_a_stream', status: 200 })
  expect(sample.error_message).toContain(body.replace('\uFEFF', '').trim().slice(0, 8))
})

test('a stream under a wrong content type is read', async () => {
  const sample = await ask(({ socket }) => socket.write(whole(goodStream, 200, { 'content-type': 'text/plain' })))
  expect(sample).toMatchObject({ outcome: 'ok', token_events: 4 })
})

test.each([
  ['no answer', ''],
  ['headers only', streamHead(CHUNKED)],
  ['pings and a role', `${streamHead(CHUNKED)}${httpChunk(`: ping\n\n${role}`).toString()}`],
])('first_token_timeout: %s', async (_name, bytes) => {
  const sample = failed(await ask(({ socket }) => socket.write(bytes), { timeouts: { ...timeouts, firstToken: 60 } }))
  expect(sample.error_kind).toBe('first_token_timeout')
  expect(sample.error_message).toBe('no token within 60 ms')
  expect(sample.total_ms).toBeGreaterThanOrEqual(58)
  expect(sample).not.toHaveProperty('ttft_ms')
})

test('pings do not put off the first-token timeout', async () => {
  let timer: NodeJS.Timeout | undefined
  const sample = failed(
    await ask(
      ({ socket }) => {
        socket.write(streamHead(CHUNKED))
        timer = setInterval(() => socket.write(httpChunk(`: ping\n\n${role}`)), 10)
      },
      { timeouts: { ...timeouts, firstToken: 100, total: 5000 } },
    ),
  )
  clearInterval(timer)
  expect(sample.error_kind).toBe('first_token_timeout')
  expect(sample.first_chunk_ms).toBeGreaterThanOrEqual(0)
})

test('stall_timeout: what came before is kept', async () => {
  const sample = failed(
    await ask(({ socket }) => socket.write(`${streamHead(CHUNKED)}${httpChunk(delta({ content: 'a' })).toString()}`), {
      timeouts: { ...timeouts, stall: 60 },
    }),
  )
  expect(sample).toMatchObject({
    error_kind: 'stall_timeout',
    first_token_kind: 'answer',
    token_events: 1,
    status: 200,
  })
  expect(sample.ttft_ms).toBeGreaterThanOrEqual(0)
})

test('total_timeout: tokens that never end', async () => {
  let timer: NodeJS.Timeout | undefined
  const sample = failed(
    await ask(
      ({ socket }) => {
        socket.write(streamHead(CHUNKED))
        timer = setInterval(() => socket.write(httpChunk(delta({ content: 'a' }))), 5)
      },
      { timeouts: { ...timeouts, total: 150 } },
    ),
  )
  clearInterval(timer)
  expect(sample.error_kind).toBe('total_timeout')
  expect(sample.total_ms).toBeGreaterThanOrEqual(148)
})

test('reset: before the headers', async () => {
  const sample = failed(await ask(({ socket }) => socket.resetAndDestroy()))
  expect(sample).toMatchObject({ error_kind: 'reset', reused: false, stale_retries: 0 })
  expect(sample).not.toHaveProperty('headers_ms')
})

test('reset: closed without a word', async () => {
  const sample = failed(await ask(({ socket }) => socket.end()))
  expect(sample.error_kind).toBe('reset')
})

function resetOnceRead(socket: Incoming['socket']): void {
  // a reset may overtake bytes that the other side has not read
  setTimeout(() => socket.resetAndDestroy(), 200)
}

test('reset: in the stream', async () => {
  const sample = failed(
    await ask(({ socket }) => {
      socket.write(`${streamHead(CHUNKED)}${httpChunk(delta({ content: 'a' })).toString()}`)
      resetOnceRead(socket)
    }),
  )
  expect(sample).toMatchObject({ error_kind: 'reset', token_events: 1 })
})

test.each([
  ['the finish reason', finish('stop')],
  ['the end marker', done],
])('a reset after %s is no failure', async (_name, last) => {
  const sample = await ask(({ socket }) => {
    socket.write(`${streamHead(CHUNKED)}${httpChunk(delta({ content: 'a' }) + last).toString()}`)
    resetOnceRead(socket)
  })
  expect(sample).toMatchObject({ outcome: 'ok', token_events: 1 })
})

test.each([
  ['a finish reason and no end marker', delta({ content: 'a' }) + finish('stop')],
  ['an end marker and no finish reason', delta({ content: 'a' }) + done],
  ['an end marker without its blank line', `${delta({ content: 'a' })}data: [DONE]`],
])('ok with %s', async (_name, body) => {
  const sample = await ask(({ socket }) => socket.end(streamHead() + body))
  expect(sample).toMatchObject({ outcome: 'ok', token_events: 1 })
})

test('a body that stays open after the finish reason is not waited for', async () => {
  const body = httpChunk(delta({ content: 'a' }) + finish('stop') + usage + done)
  const sample = await ask(({ socket }) => socket.write(`${streamHead(CHUNKED)}${body.toString()}`))
  expect(sample).toMatchObject({ outcome: 'ok', completion_tokens: 4 })
  expect(sample.total_ms).toBe(sample.ttft_ms)
})

/** Asks a server that sends piece after piece, each a while after the one before has been read; notes when the last one was due. */
async function askInSteps(
  pieces: readonly string[],
  last: (socket: Socket) => void,
  isRead: (reading: EventReading) => boolean,
): Promise<{ readonly sample: Sample; readonly lastAfterMs: number }> {
  let socket: Socket | undefined
  let askedAt = 0
  let lastAt = 0
  const left = [...pieces]
  const next = (): void => {
    const piece = left.shift()
    if (piece !== undefined) socket?.write(httpChunk(piece))
    else if (socket !== undefined) {
      lastAt = performance.now()
      last(socket)
    }
  }
  const watching = new Asker(systemClock, (reading) => {
    if (reading !== 'malformed' && isRead(reading)) setTimeout(next, 400)
  })
  server = await scriptedServer((incoming) => {
    ;({ socket } = incoming)
    askedAt = performance.now()
    socket.write(streamHead(CHUNKED))
    next()
  })
  const sample = await watching.ask(orderTo(server.url), new AbortController().signal)
  return { sample, lastAfterMs: lastAt - askedAt }
}

test('counts and an end marker that come late are kept, and total_ms is the time of the end marker', async () => {
  const { sample, lastAfterMs } = await askInSteps(
    [delta({ content: 'a' }) + finish('stop'), usage + done],
    (socket) => socket.write(LAST_CHUNK),
    ({ finishReason, end }) => finishReason !== undefined || end === true,
  )
  expect(sample).toMatchObject({ outcome: 'ok', completion_tokens: 4, finish_reason: 'stop' })
  expect((sample.total_ms ?? 0) - (sample.last_token_ms ?? 0)).toBeGreaterThanOrEqual(390)
  expect(sample.total_ms).toBeLessThan(lastAfterMs)
})

test('without an end marker total_ms is the end of the body, and a reset is no end', async () => {
  const pieces = [delta({ content: 'a' }) + finish('stop')]
  const isFinish = ({ finishReason }: EventReading): boolean => finishReason !== undefined
  const ended = await askInSteps(pieces, (socket) => socket.write(LAST_CHUNK), isFinish)
  expect(ended.sample.total_ms).toBeGreaterThanOrEqual(ended.lastAfterMs)
  const { sample } = await askInSteps(pieces, (socket) => socket.resetAndDestroy(), isFinish)
  expect(sample).toMatchObject({ outcome: 'ok', total_ms: sample.last_token_ms })
})

test('counts of tokens again and again after the finish reason put nothing off', async () => {
  let timer: NodeJS.Timeout | undefined
  const sample = await ask(({ socket }) => {
    socket.write(`${streamHead(CHUNKED)}${httpChunk(delta({ content: 'a' }) + finish('stop')).toString()}`)
    timer = setInterval(() => socket.write(httpChunk(usage)), 200)
  })
  clearInterval(timer)
  expect(sample).toMatchObject({ outcome: 'ok', completion_tokens: 4, finish_reason: 'stop' })
  expect(sample.total_ms).toBeLessThan(20_000)
})

test('tokens after a finish reason, as of a second choice, are waited for as any others', async () => {
  const sample = await ask(
    ({ socket }) => {
      socket.write(`${streamHead(CHUNKED)}${httpChunk(delta({ content: 'a' }) + finish('stop')).toString()}`)
      setTimeout(() => socket.write(httpChunk(delta({ content: 'b' }))), 50)
      setTimeout(
        () => socket.write(Buffer.concat([httpChunk(delta({ content: 'c' }) + done), Buffer.from(LAST_CHUNK)])),
        3600,
      )
    },
    { timeouts: { ...timeouts, stall: 10_000 } },
  )
  expect(sample).toMatchObject({ outcome: 'ok', token_events: 3 })
})

test.each([
  ['neither finish reason nor end marker', streamHead() + delta({ content: 'a' }), 1],
  ['half an event at the end', `${streamHead() + delta({ content: 'a' })}data: {"choices":[{"de`, 1],
  ['nothing but half an event', `${streamHead()}data: {"choices":[{"de`, undefined],
  ['pings alone', `${streamHead()}: ping\n\n`, undefined],
  ['a length that is not reached', `${streamHead({ 'content-length': 9999 })}${delta({ content: 'a' })}`, 1],
  ['HTTP chunks that end without the last one', streamHead(CHUNKED) + httpChunk(delta({ content: 'a' })).toString(), 1],
])('truncated: %s', async (_name, bytes, tokens) => {
  const sample = failed(await ask(({ socket }) => socket.end(bytes)))
  expect(sample.error_kind).toBe('truncated')
  expect(sample.token_events).toBe(tokens)
})

test('half a character at the end is half an event', async () => {
  const bytes = Buffer.from(delta({ content: '世' }))
  const cut = bytes.subarray(0, bytes.indexOf('世') + 1)
  const sample = failed(
    await ask(({ socket }) => {
      socket.write(streamHead())
      socket.end(cut)
    }),
  )
  expect(sample.error_kind).toBe('truncated')
})

test.each([
  ['an object', sse({ error: { message: 'overloaded', code: 529 } }), '529: overloaded'],
  ['a string', sse({ error: 'overloaded' }), 'overloaded'],
  ['an event called error', 'event: error\ndata: {"message":"overloaded"}\n\n', 'overloaded'],
  ['a reason to finish that is one', finish('cancelled') + done, 'cancelled: what the stream finished with'],
  ['an event called error that is no JSON', 'event: error\ndata: overloaded\n\n', 'overloaded'],
])('error_event: %s', async (_name, event, message) => {
  const sample = failed(await ask(({ socket }) => socket.write(whole(delta({ content: 'a' }) + event))))
  expect(sample).toMatchObject({ error_kind: 'error_event', error_message: message, token_events: 1 })
})

test.each([
  ['an event', delta({ content: 'a' }) + sse({ error: { code: 429, message: 'slow down', retry_after: 2 } }), 2000],
  ['one answer in JSON', '{"error":{"code":429,"message":"Please try again in 7.5s."}}', 7500],
  ['a stream that is good', delta({ content: 'retry after 5 seconds' }) + finish('stop') + done, undefined],
])('when to ask again is read of a 200, too: %s', async (_name, body, ms) => {
  const sample = await ask(({ socket }) => socket.write(whole(body, 200, { 'x-ratelimit-reset-requests': '9s' })))
  expect(sample).toMatchObject({ status: 200, ...(ms === undefined ? {} : { retry_after_ms: ms }) })
  expect(sample.outcome === 'ok' ? undefined : sample.retry_after_ms).toBe(ms)
})

test('malformed: nothing but noise', async () => {
  const sample = failed(await ask(({ socket }) => socket.write(whole('data: hello\n\ndata: [1]\n\n'))))
  expect(sample).toMatchObject({ error_kind: 'malformed', flags: ['malformed'] })
})

test('malformed: not even HTTP', async () => {
  const sample = failed(await ask(({ socket }) => socket.write('SSH-2.0-OpenSSH\r\n\r\n')))
  expect(sample.error_kind).toBe('malformed')
})

test('a malformed event among good ones is flagged, no failure', async () => {
  const sample = await ask(({ socket }) => socket.write(whole(`data: {oops\n\n${goodStream}`)))
  expect(sample).toMatchObject({ outcome: 'ok', token_events: 4 })
  expect(sample.flags).toContain('malformed')
})

test.each([
  ['not one byte', ''],
  ['finished', role + finish('stop')],
  ['only the end marker', done],
])('empty: %s', async (_name, body) => {
  const sample = failed(await ask(({ socket }) => socket.write(whole(body))))
  expect(sample).toMatchObject({ error_kind: 'empty', status: 200 })
  expect(sample.error_message).toMatch(/finish reason: (?:stop|none)$/)
})

test.each(['length', 'model_length', 'max_tokens', 'MAX_TOKENS', 'incomplete:max_output_tokens'])(
  'stopped at the cap (%s) without a token is ok, without TTFT',
  async (reason) => {
    const sample = await ask(({ socket }) => socket.write(whole(role + finish(reason))))
    expect(sample).toMatchObject({ outcome: 'ok', finish_reason: reason })
    expect(sample).not.toHaveProperty('ttft_ms')
  },
)

test('oversize: an event without end', async () => {
  const piece = httpChunk('x'.repeat(1024 * 1024))
  const sample = failed(
    await ask(({ socket }) => {
      socket.write(streamHead(CHUNKED))
      socket.write(httpChunk('data: '))
      const more = (): void => {
        let room = true
        while (room && !socket.destroyed) room = socket.write(piece)
        socket.once('drain', more)
      }
      more()
    }),
  )
  expect(sample.error_kind).toBe('oversize')
})

test('dns', async () => {
  const sample = failed(await asker.ask(orderTo('http://no-such-host.invalid/v1'), new AbortController().signal))
  expect(sample.error_kind).toBe('dns')
  expect(sample.error_message).toMatch(/ENOTFOUND|EAI_AGAIN/)
  expect(sample).not.toHaveProperty('total_ms')
  expect(sample).not.toHaveProperty('reused')
})

test('connect', async () => {
  const closed = await scriptedServer(() => {})
  await closed.close()
  const sample = failed(await asker.ask(orderTo(closed.url), new AbortController().signal))
  expect(sample.error_kind).toBe('connect')
  expect(sample.error_message).toContain('ECONNREFUSED')
  expect(sample.connect_ms).toBeGreaterThanOrEqual(0)
})

test('tls: the other side does not speak it', async () => {
  server = await scriptedServer(() => {})
  const plain = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  await new Promise<void>((resolve) => {
    plain.listen(0, '127.0.0.1', resolve)
  })
  const url = `https://127.0.0.1:${(plain.address() as AddressInfo).port}/v1`
  const sample = failed(await asker.ask(orderTo(url), new AbortController().signal))
  plain.close()
  expect(sample.error_kind).toBe('tls')
  expect(sample.tcp_ms).toBeGreaterThanOrEqual(0)
})

test('connect_timeout: a handshake that nobody answers', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => {
    silent.listen(0, '127.0.0.1', resolve)
  })
  const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`
  const order = orderTo(url, { timeouts: { ...timeouts, connect: 60 } })
  const sample = failed(await asker.ask(order, new AbortController().signal))
  silent.close()
  expect(sample.error_kind).toBe('connect_timeout')
  expect(sample.error_message).toBe('no TLS handshake within 60 ms')
  expect(sample.tcp_ms).toBeGreaterThanOrEqual(0)
  expect(sample).not.toHaveProperty('tls_ms')
  expect(sample.connect_ms).toBeGreaterThanOrEqual(58)
})

test('aborted: in the stream, and what came is kept', async () => {
  const controller = new AbortController()
  server = await scriptedServer(({ socket }) => {
    socket.write(`${streamHead(CHUNKED)}${httpChunk(delta({ content: 'a' })).toString()}`)
    setTimeout(() => controller.abort(), 200)
  })
  const sample = failed(await asker.ask(orderTo(server.url), controller.signal))
  expect(sample).toMatchObject({ error_kind: 'aborted', token_events: 1 })
})

test('a HTTP chunk that holds many events gives them one time', async () => {
  const sample = await ask(({ socket }) => {
    const pieces = [delta({ content: 'a' }), delta({ content: 'b' }), finish('stop')].map((text) => httpChunk(text))
    socket.write(Buffer.concat([Buffer.from(streamHead(CHUNKED)), ...pieces, Buffer.from(LAST_CHUNK)]))
  })
  expect(sample).toMatchObject({ outcome: 'ok', gap_max_ms: 0 })
  expect(sample.flags).toContain('buffered')
  expect(sample.flags).not.toContain('batched')
})
