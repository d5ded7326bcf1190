import { Buffer } from 'node:buffer'
import { SloError } from '../errors.ts'
import type { HeaderValue } from '../spec/types.ts'
import { signedHeaders } from './aws-signature.ts'
import type { LoadedProtocol } from './protocol-loading.ts'
import { requestBody } from './request-body.ts'
import { isSensitive } from './secrets.ts'
import type { Secrets } from './secrets.ts'
import type { AskOrder, Protocol } from './types.ts'

/** An order as it goes on the wire, secrets read. Lives in the prober's thread only. */
export interface WireRequest extends LoadedProtocol {
  readonly origin: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const ACCEPTED = {
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
  'aws-event-stream': 'application/vnd.amazon.eventstream',
} as const satisfies Record<NonNullable<Protocol['framing']>, string>

function variable(name: string): string {
  const value = process.env[name]?.trim()
  if (value !== undefined && value !== '') return value
  throw new SloError('PROBER_FAILED', `the environment variable ${name} is not set`, {
    hint: `set ${name}, or name another variable in the target`,
    facts: { variable: name },
  })
}

function headerValue(name: string, value: HeaderValue, secrets: Secrets): string {
  const text = typeof value === 'string' ? value : variable(value.env)
  if (typeof value !== 'string' || isSensitive(name)) {
    secrets.add(text)
    const [, scheme, credential] = /^(\S+)\s+(\S+)$/.exec(text) ?? []
    if (credential !== undefined) secrets.add(credential)
    if (credential !== undefined && scheme?.toLowerCase() === 'basic') {
      const pair = Buffer.from(credential, 'base64').toString('utf8')
      secrets.add(pair)
      secrets.add(pair.slice(pair.indexOf(':') + 1))
    }
  }
  return text
}

/** Names of headers are compared by their letters alone. */
function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Headers to the simulator; never sent to anybody else. */
function simulationHeaders({ simulation, warmup }: AskOrder): Record<string, string> {
  if (simulation === null) return {}
  return {
    'x-slo-cell': simulation.cell,
    'x-slo-k': String(simulation.k),
    'x-slo-profile': encodeURIComponent(simulation.profile),
    'x-slo-time-scale': String(simulation.timeScale),
    'x-slo-seed': String(simulation.seed),
    ...(warmup ? { 'x-slo-warmup': '1' } : {}),
  }
}

function headersOf(
  order: AskOrder,
  protocol: Protocol,
  secrets: Secrets,
  token: string | null,
): Record<string, string> {
  const { target } = order
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: ACCEPTED[protocol.framing ?? 'sse'],
    // compressed streams arrive in lumps
    'accept-encoding': 'identity',
    'user-agent': 'vitest-slo',
    ...lowerCase(protocol.headers ?? {}),
  }
  if (target.kind === 'real' && target.apiKeyEnv !== null) {
    const key = variable(target.apiKeyEnv)
    secrets.add(key)
    if (protocol.keyHeader === undefined) headers['authorization'] = `Bearer ${key}`
    else headers[protocol.keyHeader.toLowerCase()] = key
  }
  if (token !== null) headers['authorization'] = `Bearer ${token}`
  for (const [name, value] of Object.entries(target.headers))
    headers[name.toLowerCase()] = headerValue(name, value, secrets)
  return { ...headers, ...simulationHeaders(order) }
}

/** The base URL's path, then the protocol's; both may have a query. */
function pathOf(base: URL, path: string): string {
  const query = path.includes('?') ? base.search.replace('?', '&') : base.search
  return `${base.pathname.replace(/\/+$/, '')}${path}${query}`
}

/**
 * @param secrets - told every secret that is read
 * @param token - a bearer token that stands in no variable
 * @throws SloError `PROBER_FAILED` where a variable is not set or the base URL is none
 */
export function wireRequest(
  order: AskOrder,
  { protocol, codec }: LoadedProtocol,
  secrets: Secrets,
  token: string | null = null,
): WireRequest {
  const { target } = order
  if (!URL.canParse(order.baseUrl) || !/^https?:/i.test(order.baseUrl))
    throw new SloError('PROBER_FAILED', `target ${target.name}: the base URL is not an http or https URL`, {
      hint: 'write it with its scheme: https://inference.example/v1',
    })
  const url = new URL(order.baseUrl)
  if (url.password !== '') secrets.add(decodeURIComponent(url.password))
  for (const [name, value] of url.searchParams) if (isSensitive(name)) secrets.add(value)
  return {
    protocol,
    codec,
    origin: url.origin,
    path: pathOf(url, protocol.path(target.model)),
    headers: headersOf(order, protocol, secrets, token),
    body: Buffer.from(JSON.stringify(requestBody(protocol, order)), 'utf8'),
  }
}

/**
 * The same request, signed where its target wants that.
 * @param wallMs - the time of day that is signed
 * @throws SloError `PROBER_FAILED` where a variable is not set, `CONFIG_INVALID` where a package is missing or the region is unknown
 */
export async function signedRequest(
  wire: WireRequest,
  { target }: AskOrder,
  secrets: Secrets,
  wallMs: number,
): Promise<WireRequest> {
  if (target.kind !== 'real' || target.signing === undefined) return wire
  const { signing } = target
  const credentials = {
    accessKeyId: variable(signing.accessKeyIdEnv),
    secretAccessKey: variable(signing.secretAccessKeyEnv),
    sessionToken: process.env[signing.sessionTokenEnv]?.trim() || undefined,
  }
  for (const value of Object.values(credentials)) if (value !== undefined) secrets.add(value)
  return { ...wire, headers: await signedHeaders(wire, signing, credentials, wallMs) }
}
