import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Timeouts } from '../budget/types.ts'
import { SloError, messageOf } from '../errors.ts'
import { durationMs } from '../units.ts'
import { authCommand, tlsFiles } from './credentials.ts'
import type { BedrockTarget, EndpointOptions, Target, TimeoutOptions } from './options.ts'
import { plainBody } from './request-body.ts'
import type { AwsSigning, RealTarget, TargetSpec } from './types.ts'

/** The defaults of 9-interface, in milliseconds. */
const DEFAULT_TIMEOUTS: Timeouts = { connect: 10_000, firstToken: 240_000, stall: 60_000, total: 300_000 }

function resolveTimeouts(own: TimeoutOptions | undefined, probe: TimeoutOptions | undefined): Timeouts {
  const pick = (key: keyof Timeouts): number => {
    const text = own?.[key] ?? probe?.[key]
    return (text === undefined ? undefined : durationMs(text)) ?? DEFAULT_TIMEOUTS[key]
  }
  return { connect: pick('connect'), firstToken: pick('firstToken'), stall: pick('stall'), total: pick('total') }
}

/**
 * A target made plain.
 * @param root - the project's, which paths are relative to
 * @throws SloError `PROBE_INVALID` where the module of a protocol cannot be read
 */
export function targetSpec(
  targetName: string,
  target: Target,
  probeTimeouts: TimeoutOptions | undefined,
  root: string,
): TargetSpec {
  const common = {
    name: targetName,
    timeouts: resolveTimeouts(target.options.timeouts, probeTimeouts),
    price: target.options.price ?? null,
  }
  if (target.type === 'simulated') {
    return {
      ...common,
      kind: 'simulated',
      protocol: 'openai-chat',
      model: target.options.model ?? target.profile,
      headers: {},
      http: '1.1',
      profile: target.profile,
      timeScale: target.options.timeScale ?? 1,
    }
  }
  const { baseUrl: url, model, apiKeyEnv, auth: command, tls: files, headers, http } = target.options
  return {
    ...common,
    kind: 'real',
    protocol: target.type === 'custom' ? protocolModule(target.options.protocol) : target.type,
    model,
    baseUrl: typeof url === 'string' ? url.replace(/\/+$/, '') : url,
    apiKeyEnv: apiKeyEnv ?? null,
    ...(command === undefined ? {} : { auth: authCommand(command) }),
    ...(files === undefined ? {} : { tls: tlsFiles(files, root) }),
    headers: headers ?? {},
    http: http ?? '1.1',
    ...(target.type === 'bedrock-converse' && apiKeyEnv === undefined && command === undefined
      ? { signing: signingOf(target) }
      : {}),
    ...ownRequest(target.options),
  }
}

/** Where the module is, and what is in it: another text is another plan, and another module to the prober. */
function protocolModule(module: URL): string {
  const url = new URL(module)
  let text: string
  try {
    text = readFileSync(url, 'utf8')
  } catch (error) {
    throw new SloError('PROBE_INVALID', `the protocol ${url.href} cannot be read: ${messageOf(error)}`, {
      hint: "write protocol: new URL('./mine.ts', import.meta.url)",
      cause: error,
    })
  }
  url.search = `v=${createHash('sha256').update(text).digest('hex').slice(0, 12)}`
  return url.href
}

function signingOf({ options: { aws } }: BedrockTarget): AwsSigning {
  return {
    service: 'bedrock',
    region: aws?.region ?? null,
    accessKeyIdEnv: aws?.accessKeyIdEnv ?? 'AWS_ACCESS_KEY_ID',
    secretAccessKeyEnv: aws?.secretAccessKeyEnv ?? 'AWS_SECRET_ACCESS_KEY',
    sessionTokenEnv: aws?.sessionTokenEnv ?? 'AWS_SESSION_TOKEN',
  }
}

function ownRequest(options: EndpointOptions): Pick<RealTarget, 'request'> {
  const { body, maxTokensField } = options
  if (body === undefined && maxTokensField === undefined) return {}
  return { request: { ...plainBody(body), ...(maxTokensField === undefined ? {} : { maxTokensField }) } }
}
