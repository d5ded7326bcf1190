import { request } from 'node:http'
import type { Agent, IncomingHttpHeaders } from 'node:http'

/** What came of a request, as a client sees it on the wire. */
export interface Answer {
  readonly status: number | null
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly bytes: Buffer
  /** `end`: a whole response; `stopped`: we had what we waited for and left; else the code of what broke it. */
  readonly ended: string
  readonly chunks: number
}

/** @see ask */
export interface Question {
  readonly url: string
  readonly path?: string
  readonly agent?: Agent
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
  /** Leaves as soon as the text so far has this. */
  readonly until?: RegExp
}

/** A fast chat request for tests, 1,000 times faster than its provider unless the headers say otherwise. */
export function ask({
  url,
  path = '/v1/chat/completions',
  agent,
  headers = {},
  body = {},
  until,
}: Question): Promise<Answer> {
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    let status: number | null = null
    let received: IncomingHttpHeaders = {}
    const finish = (ended: string): void => {
      const bytes = Buffer.concat(parts)
      resolve({ status, headers: received, text: bytes.toString('utf8'), bytes, ended, chunks: parts.length })
    }
    const sent = {
      model: 'default',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'What should we check first?' }],
      ...body,
    }
    const call = request(
      `${url}${path}`,
      {
        method: 'POST',
        ...(agent === undefined ? {} : { agent }),
        headers: {
          'content-type': 'application/json',
          'x-slo-time-scale': '1000',
          'x-slo-profile': 'default',
          ...headers,
        },
      },
      (response) => {
        status = response.statusCode ?? null
        received = response.headers
        const leave = (): void => {
          if (until === undefined || !until.test(Buffer.concat(parts).toString('utf8'))) return
          finish('stopped')
          call.destroy()
        }
        response
          .on('data', (part: Buffer) => {
            parts.push(part)
            leave()
          })
          .once('end', () => finish('end'))
          .once('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
        leave()
      },
    )
    call.once('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
    call.end(JSON.stringify(sent))
  })
}

/** The JSON payloads of a stream's events, in order; `[DONE]` as that text, what is not JSON as `malformed`. */
export function events(text: string): unknown[] {
  return text
    .split(/\r?\n\r?\n/)
    .flatMap((block) => block.split(/\r?\n/).filter((line) => line.startsWith('data: ')))
    .map((line) => line.slice('data: '.length))
    .map((data): unknown => {
      if (data === '[DONE]') return data
      try {
        return JSON.parse(data)
      } catch {
        return 'malformed'
      }
    })
}
