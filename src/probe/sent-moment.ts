import diagnostics from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { ClientHttp2Stream } from 'node:http2'

const waiting = new Map<Socket, (at: number) => void>()
let subscribed = false

/**
 * Tells t₀: the moment before the next request's bytes are written to a socket.
 * @see https://undici.nodejs.org/#/docs/api/DiagnosticsChannel, `undici:client:sendHeaders`
 */
export function onceSent(socket: Socket, onSent: (at: number) => void): void {
  waiting.set(socket, onSent)
  if (subscribed) return
  subscribed = true
  diagnostics.subscribe('undici:client:sendHeaders', (message) => {
    const at = performance.now()
    const { socket: sender } = message as { readonly socket: Socket }
    const listener = waiting.get(sender)
    if (listener === undefined) return
    waiting.delete(sender)
    listener(at)
  })
}

/** Whoever waits for a request on this socket waits no longer. */
export function forgetSent(socket: Socket): void {
  waiting.delete(socket)
}

let nextStream: ((stream: ClientHttp2Stream) => void) | undefined
let watchingStreams = false

/**
 * The next HTTP/2 stream that this thread creates: of the request whose headers are being sent right now. Never called where this Node
 * does not tell.
 * @see https://nodejs.org/api/diagnostics_channel.html, `http2.client.stream.created`
 */
export function onceStreamCreated(onStream: (stream: ClientHttp2Stream) => void): void {
  nextStream = onStream
  if (watchingStreams) return
  watchingStreams = true
  diagnostics.subscribe('http2.client.stream.created', (message) => {
    const listener = nextStream
    nextStream = undefined
    listener?.((message as { readonly stream: ClientHttp2Stream }).stream)
  })
}
