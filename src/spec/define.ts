import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import type { Timeouts } from '../budget/types.ts'
import { SloError, messageOf } from '../errors.ts'
import { durationMs } from '../units.ts'
import { authCommand, tlsFiles } from './credentials.ts'
import type { BedrockTarget, EndpointOptions, PlainProtocol, ProbeOptions, Target, TimeoutOptions } from './options.ts'
import { promptSource } from './prompts.ts'
import { plainBody } from './request-body.ts'
import type { AwsSigning, Probe, PromptSource, RealTarget, TargetSpec } from './types.ts'

/** The defaults of 9-interface, in milliseconds. */
const DEFAULT_TIMEOUTS: Timeouts = { connect: 10_000, firstToken: 240_000, stall: 60_000, total: 300_000 }

const PLAIN_PROTOCOLS = [
  'openai-chat',
  'openai-completions',
  'openai-responses',
  'anthropic-messages',
  'gemini',
  'ollama',
  'cohere',
] as const satisfies readonly PlainProtocol[]

const NAME_RULE = 'a name has no control characters, no spaces at its ends, and is not "all" (pools are called so)'
const name = z
  .string()
  .min(1)
  .max(200)
  // oxlint-disable-next-line no-control-regex -- control characters are what this rule keeps out
  .refine((value) => value === value.trim() && !/[\u0000-\u001f\u007f]/.test(value) && value !== 'all', NAME_RULE)
const duration = z
  .string()
  .refine((value) => durationMs(value) !== undefined, 'not a duration; write 500ms, 10s, 5m, 48h')
const positiveDuration = duration.refine((value) => (durationMs(value) ?? 0) > 0, 'must be longer than nothing')
const optional = <T extends z.ZodType>(schema: T) => schema.optional()
const envReference = z.strictObject({ env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'not the name of a variable') })
const timeouts = z.strictObject({
  connect: optional(positiveDuration),
  firstToken: optional(positiveDuration),
  stall: optional(positiveDuration),
  total: optional(positiveDuration),
})
const amount = z.number().nonnegative()
const price = z.strictObject({
  input: amount,
  output: amount,
  cachedInput: optional(amount),
  currency: z.string().regex(/^[A-Z]{3}$/, 'write a currency as USD or EUR'),
})
const baseUrl = z.string().refine((value) => {
  const url = URL.parse(value)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}, 'not an http(s) URL (credentials do not belong in it: use apiKeyEnv or headers)')
const header = z.record(
  z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'not a header name'),
  z.union([z.string(), envReference]),
)
const pem = z.union([z.string().min(1), z.instanceof(URL), envReference])
const auth = z.strictObject({ command: z.array(z.string().min(1)).min(1), every: optional(positiveDuration) })
const tls = z
  .strictObject({ ca: optional(pem), cert: optional(pem), key: optional(pem) })
  .refine((value) => (value.cert === undefined) === (value.key === undefined), 'cert and key go together')
const endpoint = {
  baseUrl: z.union([baseUrl, envReference]),
  model: z.string().min(1),
  apiKeyEnv: optional(envReference.shape.env),
  auth: optional(auth),
  tls: optional(tls),
  headers: optional(header),
  http: optional(z.enum(['1.1', '2'])),
  maxTokensField: optional(z.string().min(1)),
  body: optional(z.record(z.string(), z.unknown())),
  price: optional(price),
  timeouts: optional(timeouts),
}
const oneCredential = (value: { readonly apiKeyEnv?: unknown; readonly auth?: unknown }): boolean =>
  value.apiKeyEnv === undefined || value.auth === undefined
const ONE_CREDENTIAL = 'give one of apiKeyEnv and auth'
const endpointTarget = z.strictObject({
  type: z.enum(PLAIN_PROTOCOLS),
  options: z.strictObject(endpoint).refine(oneCredential, ONE_CREDENTIAL),
})
const aws = z.strictObject({
  region: optional(z.string().min(1)),
  accessKeyIdEnv: optional(envReference.shape.env),
  secretAccessKeyEnv: optional(envReference.shape.env),
  sessionTokenEnv: optional(envReference.shape.env),
})
const bedrockTarget = z.strictObject({
  type: z.literal('bedrock-converse'),
  options: z.strictObject({ ...endpoint, aws: optional(aws) }).refine(oneCredential, ONE_CREDENTIAL),
})
const protocolUrl = z.instanceof(URL, { error: "not a URL; write new URL('./mine.ts', import.meta.url)" })
const customTarget = z.strictObject({
  type: z.literal('custom'),
  options: z.strictObject({ ...endpoint, protocol: protocolUrl }).refine(oneCredential, ONE_CREDENTIAL),
})
const simulatedTarget = z.strictObject({
  type: z.literal('simulated'),
  profile: z.string().min(1),
  options: z.strictObject({
    timeScale: optional(z.number().min(1).max(10_000)),
    model: optional(z.string().min(1)),
    price: optional(price),
    timeouts: optional(timeouts),
  }),
})
const message = z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: z.string() })
const path = z.union([z.string().min(1), z.instanceof(URL)])
const prompt = z.union([
  z.custom<(...args: never[]) => unknown>((value) => typeof value === 'function'),
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('ops-notes'), words: z.int().min(1).max(1_000_000) }),
    z.strictObject({ type: z.literal('text'), text: z.string().min(1) }),
    z.strictObject({ type: z.literal('file'), path }),
    z.strictObject({ type: z.literal('messages'), messages: z.array(message).min(1) }),
    z.strictObject({ type: z.literal('jsonl'), path }),
  ]),
])
const count = z.int().min(1).max(1_000_000)
const options = z.strictObject({
  targets: z.record(
    z.string(),
    z.discriminatedUnion('type', [endpointTarget, bedrockTarget, customTarget, simulatedTarget]),
  ),
  prompts: z.record(z.string(), prompt),
  schedule: z
    .strictObject({
      every: duration,
      rounds: optional(count),
      for: optional(positiveDuration),
      seed: optional(z.int().min(0)),
    })
    .refine((value) => (value.rounds === undefined) !== (value.for === undefined), 'give one of rounds and for'),
  request: optional(
    z.strictObject({
      maxTokens: optional(count),
      temperature: optional(z.number().min(0)),
      cache: optional(z.enum(['cold', 'warm'])),
      body: optional(z.record(z.string(), z.unknown())),
    }),
  ),
  timeouts: optional(timeouts),
  warmup: optional(z.int().min(0).max(1000)),
  labels: optional(z.record(z.string().min(1), z.string().optional())),
})

function issueLines(issue: z.core.$ZodIssue, above: readonly PropertyKey[] = []): readonly string[] {
  const at = [...above, ...issue.path]
  // of a union, the last branch is the one that a person meant
  const branch = issue.code === 'invalid_union' ? issue.errors.at(-1) : undefined
  if (branch !== undefined && branch.length > 0) return branch.flatMap((each) => issueLines(each, at))
  return [`  ${at.map(String).join('.') || 'options'}: ${issue.message}`]
}

function problemLines(error: z.ZodError): readonly string[] {
  return error.issues.flatMap((issue) => issueLines(issue))
}

function nameProblems(kind: string, value: string): readonly string[] {
  const parsed = name.safeParse(value)
  return parsed.success ? [] : [`  ${kind}: ${parsed.error.issues[0]?.message ?? NAME_RULE}`]
}

function shapeProblems(declared: ProbeOptions): readonly string[] {
  return [
    ...(Object.keys(declared.targets).length === 0 ? ['  targets: give at least one'] : []),
    ...(Object.keys(declared.prompts).length === 0 ? ['  prompts: give at least one'] : []),
    ...Object.keys(declared.targets).flatMap((key) => nameProblems(`targets.${key}`, key)),
    ...Object.keys(declared.prompts).flatMap((key) => nameProblems(`prompts.${key}`, key)),
  ]
}

function resolveTimeouts(own: TimeoutOptions | undefined, probe: TimeoutOptions | undefined): Timeouts {
  const pick = (key: keyof Timeouts): number => {
    const text = own?.[key] ?? probe?.[key]
    return (text === undefined ? undefined : durationMs(text)) ?? DEFAULT_TIMEOUTS[key]
  }
  return { connect: pick('connect'), firstToken: pick('firstToken'), stall: pick('stall'), total: pick('total') }
}

function targetSpec(
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

function definedLabels(labels: ProbeOptions['labels']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** A probe made plain, and the sources of its prompts, which stay where they were made. */
export interface DefinedProbe {
  readonly probe: Probe
  readonly sources: ReadonlyMap<string, PromptSource>
}

/**
 * Checks the options of one `probe()` call and makes them plain.
 * @param place - the spec file, relative to `root`, and the project's root
 * @throws SloError `PROBE_INVALID`, every problem in one message
 */
export function defineProbe(
  probeName: string,
  declared: ProbeOptions,
  place: { readonly file: string; readonly root: string },
): DefinedProbe {
  const title = `probe ${JSON.stringify(probeName)}`
  const parsed = options.safeParse(declared)
  const problems = [
    ...nameProblems('name', probeName),
    ...(parsed.success ? [] : problemLines(parsed.error)),
    ...(typeof declared?.targets === 'object' && typeof declared.prompts === 'object' ? shapeProblems(declared) : []),
  ]
  if (problems.length > 0) {
    throw new SloError('PROBE_INVALID', `${title} in ${place.file}:\n${problems.join('\n')}`, {
      hint: 'the options are listed in docs/spec-api.md',
    })
  }
  const sources = new Map(
    Object.entries(declared.prompts).map(([promptName, value]) => [
      promptName,
      promptSource(value, place.root, `${title}: prompts.${promptName}`),
    ]),
  )
  const { schedule, request } = declared
  return {
    sources,
    probe: {
      name: probeName,
      file: place.file,
      targets: Object.entries(declared.targets).map(([key, target]) =>
        targetSpec(key, target, declared.timeouts, place.root),
      ),
      prompts: [...sources].map(([key, source]) => ({ name: key, kind: source.kind, fingerprint: source.fingerprint })),
      request: {
        maxTokens: request?.maxTokens ?? 2000,
        temperature: request?.temperature ?? null,
        cache: request?.cache ?? 'cold',
        ...plainBody(request?.body),
      },
      schedule: {
        everyMs: durationMs(schedule.every) ?? 0,
        rounds: schedule.rounds ?? null,
        forMs: schedule.for === undefined ? null : (durationMs(schedule.for) ?? null),
        seed: schedule.seed ?? null,
      },
      warmup: declared.warmup ?? 1,
      labels: definedLabels(declared.labels),
    },
  }
}
