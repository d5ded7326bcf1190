import diagnostics from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

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
