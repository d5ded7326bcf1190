import { request } from 'node:http'
import type { Socket } from 'node:net'
import type { Proxy } from './connection-proxy.ts'

/** The proxy answered, and gave no tunnel. */
export class TunnelRefused extends Error {}

/**
 * Asks a proxy for a tunnel to `host` on a socket that is connected to it; resolves when bytes flow through.
 * @param host - with its port
 * @throws TunnelRefused, or whatever broke the socket
 */
export async function tunnel(socket: Socket, proxy: Proxy, host: string): Promise<Socket> {
  return await new Promise((resolve, reject) => {
    const call = request({
      method: 'CONNECT',
      path: host,
      createConnection: () => socket,
      setHost: false,
      headers: {
        host,
        'user-agent': 'vitest-slo',
        ...(proxy.authorization === null ? {} : { 'proxy-authorization': proxy.authorization }),
      },
    })
    call.on('error', reject)
    call.once('connect', (response, through, head) => {
      const status = response.statusCode ?? 0
      if (status < 200 || status > 299) {
        reject(new TunnelRefused(`the proxy answered CONNECT with ${status} ${response.statusMessage ?? ''}`.trim()))
        return
      }
      if (head.length > 0) through.unshift(head)
      resolve(through)
    })
    call.once('response', (response) => {
      response.resume()
      const { statusCode = 0, statusMessage = '' } = response
      reject(new TunnelRefused(`the proxy answered CONNECT with ${statusCode} ${statusMessage}`.trim()))
    })
    call.end()
  })
}
