import type { Socket } from 'node:net'

const timers = new WeakMap<Socket, NodeJS.Timeout>()

/** Closes the connection after so many milliseconds without another request. */
export function closeWhenIdle(socket: Socket, ms: number): void {
  stayOpen(socket)
  timers.set(socket, setTimeout(() => socket.end(), ms).unref())
}

/** A request has come: the connection is not idle any more. */
export function stayOpen(socket: Socket): void {
  clearTimeout(timers.get(socket))
  timers.delete(socket)
}
