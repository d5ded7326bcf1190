import { Buffer } from 'node:buffer'
import { BlockList, isIP } from 'node:net'
import { SloError } from '../errors.ts'
import type { Secrets } from './secrets.ts'

/** The proxy that a connection goes through, by a tunnel (CONNECT). */
export interface Proxy {
  readonly hostname: string
  readonly port: string
  /** The proxy itself speaks TLS. */
  readonly secure: boolean
  /** Value of `Proxy-Authorization`. */
  readonly authorization: string | null
}

type Variables = Readonly<Record<string, string | undefined>>

function variable(variables: Variables, name: string): string {
  return (variables[name.toLowerCase()] ?? variables[name] ?? '').trim()
}

function defaultPort(url: URL): string {
  return url.port !== '' ? url.port : url.protocol === 'https:' ? '443' : '80'
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').toLowerCase()
}

function inRange(host: string, range: string): boolean {
  const [address = '', bits = ''] = range.split('/')
  const family = isIP(bare(address)) === 6 ? 'ipv6' : 'ipv4'
  if (isIP(bare(address)) === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 'ipv6' ? 128 : 32))
    return false
  const list = new BlockList()
  list.addSubnet(bare(address), Number(bits), family)
  return list.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4')
}

/** One entry of `NO_PROXY`: `*`, a host with all its subdomains (`example.com`, `.example.com`), an address, a range; with a port if need be. */
function isExempt(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true
  if (entry.includes('/')) return isIP(host) !== 0 && inRange(host, entry)
  const [, named = entry, onlyPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? []
  if (onlyPort !== undefined && onlyPort !== port) return false
  const name = bare(named).replace(/^\*?\./, '')
  if (name === '') return false
  return host === name || (isIP(host) === 0 && host.endsWith(`.${name}`))
}

/**
 * What `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say about an origin; lower-case spellings win, as with curl.
 * @param secrets - told the proxy's credentials
 * @returns `null`: straight
 * @throws SloError `PROBER_FAILED` where the variable is no URL of an HTTP proxy
 */
export function proxyFor(origin: string, variables: Variables, secrets: Secrets): Proxy | null {
  const url = new URL(origin)
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const value = variable(variables, name)
  if (value === '') return null
  const exempt = variable(variables, 'NO_PROXY').split(/[\s,]+/)
  const host = bare(url.hostname)
  if (exempt.some((entry) => entry !== '' && isExempt(entry.toLowerCase(), host, defaultPort(url)))) return null
  const proxy = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`)
  if (proxy === null || !/^https?:$/.test(proxy.protocol) || proxy.hostname === '')
    throw new SloError('PROBER_FAILED', `${name} is not the URL of an HTTP proxy`, {
      hint: 'write http://proxy.example:3128, or exempt the host in NO_PROXY; SOCKS is not spoken',
      facts: { variable: name },
    })
  return {
    hostname: bare(proxy.hostname),
    port: defaultPort(proxy),
    secure: proxy.protocol === 'https:',
    authorization: authorizationOf(proxy, secrets),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function authorizationOf(proxy: URL, secrets: Secrets): string | null {
  if (proxy.username === '' && proxy.password === '') return null
  const pair = `${decoded(proxy.username)}:${decoded(proxy.password)}`
  const credential = Buffer.from(pair, 'utf8').toString('base64')
  for (const secret of [credential, pair, decoded(proxy.password), proxy.password]) secrets.add(secret)
  return `Basic ${credential}`
}
