import type { Socket } from 'node:net'

const timers = new WeakMap<Socket, NodeJS.Timeout>()

/** Closes the connection after so many milliseconds without another request; 0: at once, whatever has come meanwhile. */
export function closeWhenIdle(socket: Socket, ms: number, close: () => void): void {
  stayOpen(socket)
  if (ms === 0) close()
  else timers.set(socket, setTimeout(close, ms).unref())
}

/** A request has come: the connection is not idle any more. */
export function stayOpen(socket: Socket): void {
  clearTimeout(timers.get(socket))
  timers.delete(socket)
}
