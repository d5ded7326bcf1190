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

/** Scheme, host, port and nothing else; the host must not be taken for a scheme that is spelt wrong. */
const PROXY_URL = /^(?:https?:\/\/)?(?:[^@/]*@)?(?:\[[\da-f:.]+\]|[^\s:/?#@[\]\\]+)(?::\d{1,5})?\/?$/i

/** A value as it may be shown: whatever stands before an `@` may be a password, even where the rest is no URL. */
function withoutCredentials(value: string): string {
  return value.replace(/^([a-z][a-z\d+.-]*:\/+)?.*@/is, (_all, scheme: string = '') => `${scheme}***@`)
}

function notAProxy(name: string, value: string): SloError {
  const scheme = /^([a-z][a-z\d+.-]*):\/\//i.exec(value)?.[1] ?? ''
  const socks = /^socks/i.test(scheme) ? ': SOCKS is not spoken' : ''
  const shown = JSON.stringify(withoutCredentials(value).slice(0, 200))
  return new SloError('CONFIG_INVALID', `${name} is ${shown}, no URL of an HTTP proxy${socks}`, {
    hint: 'write http://proxy.example:3128, or https:// where the proxy itself speaks TLS; NO_PROXY exempts a host',
    facts: { variable: name },
  })
}

/** The variable that holds sway over an origin, and its proxy. */
function proxyUrlFor(origin: string, variables: Variables): URL | null {
  const url = new URL(origin)
  const upper = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const name = variables[upper.toLowerCase()] === undefined ? upper : upper.toLowerCase()
  const value = variable(variables, upper)
  if (value === '') return null
  const exempt = variable(variables, 'NO_PROXY').split(/[\s,]+/)
  const host = bare(url.hostname)
  if (exempt.some((entry) => entry !== '' && isExempt(entry.toLowerCase(), host, defaultPort(url)))) return null
  const proxy = PROXY_URL.test(value) ? URL.parse(/^https?:\/\//i.test(value) ? value : `http://${value}`) : null
  if (proxy === null || proxy.port === '0') throw notAProxy(name, value)
  return proxy
}

/** @throws SloError `CONFIG_INVALID` where the variable that is about this origin is no URL of an HTTP proxy */
export function checkProxy(origin: string, variables: Variables): void {
  proxyUrlFor(origin, variables)
}

/**
 * What `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say about an origin; lower-case spellings win, as with curl.
 * @param secrets - told the proxy's credentials
 * @returns `null`: straight
 * @throws SloError `CONFIG_INVALID`, as {@link checkProxy}
 */
export function proxyFor(origin: string, variables: Variables, secrets: Secrets): Proxy | null {
  const proxy = proxyUrlFor(origin, variables)
  if (proxy === null) return null
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
