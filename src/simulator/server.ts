import { createServer } from 'node:http'
import { createSecureServer } from 'node:http2'
import type { Socket } from 'node:net'
import { dialects } from './dialects/index.ts'
import { usageOf } from './dialects/openai-chat.ts'
import type { Dialect } from './dialects/types.ts'
import { connectionKey, openDoor, openServer } from './doors.ts'
import type { DoorOrder, OpenDoor } from './doors.ts'
import { SimulatorError } from './errors.ts'
import { stayOpen } from './idle-close.ts'
import { play } from './player.ts'
import { profileNames } from './profile.ts'
import { Provider } from './provider.ts'
import { BadRequest, parseBody, readControl } from './request.ts'
import { StallWatch } from './stall-watch.ts'
import { Wire } from './wire.ts'
import type { Request, Response } from './wire.ts'

/** Keep-alive outlives every pause between rounds that tests make; faults close connections, idleness does not. */
const KEEP_ALIVE_MS = 600_000

function sendJson(response: Response, status: number, body: unknown): void {
  response.statusCode = status
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body))
}

async function readBody(request: Request): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

/** A provider on 127.0.0.1, in this process. */
export interface SimulatorServer {
  readonly url: string
  /** URLs of {@link ServeOptions.doors}, by their names: all `https:`. */
  readonly doors: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** @see serve */
export interface ServeOptions {
  readonly seed: number
  /** 0: any free one */
  readonly port?: number | undefined
  readonly profilesDir?: string | undefined
  readonly timeScale?: number | undefined
  /** More ways in, by names of the caller's. */
  readonly doors?: Readonly<Record<string, DoorOrder>> | undefined
}

/** Serves until closed: `POST` to the paths of the dialects, as `/v1/chat/completions` (and without `/v1`), `GET /v1/models`. */
export async function serve(options: ServeOptions): Promise<SimulatorServer> {
  const provider = new Provider(options)
  const used = new WeakSet<Socket>()
  // under TLS a request does not show its TCP connection
  const connections = new Map<string, Socket>()
  const watch = new StallWatch()

  const answer = async (request: Request, response: Response, dialect: Dialect, model?: string): Promise<void> => {
    const startedAt = performance.now()
    const arrivalLateMs = watch.lateness(startedAt)
    const tcp = connections.get(connectionKey(request.socket))
    if (tcp === undefined) return
    stayOpen(tcp)
    const reusedSocket = used.has(tcp)
    used.add(tcp)
    const wire = new Wire(response, tcp)
    const http = 'stream' in response ? '2' : '1.1'
    const body = dialect.read(parseBody(await readBody(request)), model)
    const control = readControl(request.headers, options.timeScale ?? 1)
    const authorization = request.headers.authorization ?? ''
    const { script, draw, context } = provider.answer(body, control, { authorization, reusedSocket, http, dialect })
    if (body.stream === true || script.status !== 200 || script.ending !== 'end') {
      return await play(script, wire, { startedAt, timeScale: control.timeScale, arrivalLateMs })
    }
    const at = script.steps.at(-1)?.at ?? 0
    const message = { role: 'assistant', content: 'Check the queue first.' }
    const whole = {
      id: context.id,
      object: 'chat.completion',
      created: context.created,
      model: context.model,
      choices: [{ index: 0, message, finish_reason: draw.finishReason }],
      usage: usageOf(draw),
    }
    const steps = [{ at, kind: 'other' as const, data: JSON.stringify(whole) }]
    const headers = { ...script.headers, 'content-type': 'application/json' }
    await play({ ...script, headers, steps, headersAt: at }, wire, {
      startedAt,
      timeScale: control.timeScale,
      arrivalLateMs,
    })
  }

  const handle = async (request: Request, response: Response): Promise<void> => {
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    if (request.method === 'POST') {
      for (const dialect of dialects) {
        const match = dialect.path.exec(path.replace(/^\/v1(?=\/)/, ''))
        if (match !== null) return await answer(request, response, dialect, match[1] && decodeURIComponent(match[1]))
      }
    }
    if (request.method === 'GET' && /^(?:\/v1)?\/models$/.test(path)) {
      const data = profileNames(options.profilesDir).map((id) => ({ id, object: 'model' }))
      return sendJson(response, 200, { object: 'list', data })
    }
    return sendJson(response, 404, { error: { message: `no ${request.method} ${path} here`, type: 'not_found_error' } })
  }

  const serveRequest = (request: Request, response: Response): void => {
    // a client that leaves is no failure of ours
    request.on('error', () => {})
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) {
        response.destroy()
        return
      }
      const ours = error instanceof BadRequest || error instanceof SimulatorError
      const hint = error instanceof SimulatorError && error.hint !== undefined ? `; ${error.hint}` : ''
      sendJson(response, ours ? 400 : 500, {
        error: { message: `${(error as Error).message}${hint}`, type: 'simulator_error' },
      })
    })
  }

  const kept = { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0, noDelay: true }
  const main = await openServer(createServer(kept, serveRequest), connections, options.port)
  const opened: OpenDoor[] = [main]
  const doors: Record<string, string> = {}
  for (const [name, order] of Object.entries(options.doors ?? {})) {
    const door = await (order.kind === 'tls'
      ? openServer(createSecureServer({ ...kept, ...order, allowHTTP1: true }, serveRequest), connections)
      : openDoor(order.kind))
    opened.push(door)
    doors[name] = `https://127.0.0.1:${door.port}`
  }
  return {
    url: `http://127.0.0.1:${main.port}`,
    doors,
    close: async () => {
      watch.stop()
      for (const door of opened) door.close()
    },
  }
}
