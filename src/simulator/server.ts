import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { SimulatorError } from './errors.ts'
import { stayOpen } from './idle-close.ts'
import { play } from './player.ts'
import { profileNames } from './profile.ts'
import { Provider } from './provider.ts'
import { BadRequest, parseChatBody, readControl } from './request.ts'
import { usageOf } from './script.ts'
import { StallWatch } from './stall-watch.ts'

/** Keep-alive outlives every pause between rounds that tests make; faults close connections, idleness does not. */
const KEEP_ALIVE_MS = 600_000

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

/** A provider on 127.0.0.1, in this process. */
export interface SimulatorServer {
  readonly url: string
  close(): Promise<void>
}

/**
 * Serves until closed: `POST /v1/chat/completions` (and without `/v1`), `GET /v1/models`.
 * @param options.port - 0: any free one
 */
export async function serve(options: {
  readonly seed: number
  readonly port?: number | undefined
  readonly profilesDir?: string | undefined
  readonly timeScale?: number | undefined
}): Promise<SimulatorServer> {
  const provider = new Provider(options)
  const used = new WeakSet<Socket>()
  const watch = new StallWatch()

  const chat = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const startedAt = performance.now()
    const arrivalLateMs = watch.lateness(startedAt)
    stayOpen(request.socket)
    const reusedSocket = used.has(request.socket)
    used.add(request.socket)
    const body = parseChatBody(await readBody(request))
    const control = readControl(request.headers, options.timeScale ?? 1)
    const authorization = request.headers.authorization ?? ''
    const { script, draw, context } = provider.answer(body, control, { authorization, reusedSocket })
    if (body.stream === true || script.status !== 200 || script.ending !== 'end') {
      return await play(script, response, { startedAt, timeScale: control.timeScale, arrivalLateMs })
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
    await play({ ...script, headers, steps, headersAt: at }, response, {
      startedAt,
      timeScale: control.timeScale,
      arrivalLateMs,
    })
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    if (request.method === 'POST' && /^(?:\/v1)?\/chat\/completions$/.test(path)) return await chat(request, response)
    if (request.method === 'GET' && /^(?:\/v1)?\/models$/.test(path)) {
      const data = profileNames(options.profilesDir).map((id) => ({ id, object: 'model' }))
      return sendJson(response, 200, { object: 'list', data })
    }
    return sendJson(response, 404, { error: { message: `no ${request.method} ${path} here`, type: 'not_found_error' } })
  }

  const server: Server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0, noDelay: true },
    (request, response) => {
      handle(request, response).catch((error: unknown) => {
        if (response.destroyed) return
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
    },
  )
  // Silence is a client's right, and a reset is one of the things that happen here.
  server.timeout = 0
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      watch.stop()
      server.closeAllConnections()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
    },
  }
}
