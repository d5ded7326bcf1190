import * as z from 'zod'
import { durationMs } from '../units.ts'
import type { PlainProtocol } from './options.ts'

const PLAIN_PROTOCOLS = [
  'openai-chat',
  'openai-completions',
  'openai-responses',
  'anthropic-messages',
  'gemini',
  'ollama',
  'cohere',
] as const satisfies readonly PlainProtocol[]

/** Text that is a duration. */
export const duration = z
  .string()
  .refine((value) => durationMs(value) !== undefined, 'not a duration; write 500ms, 10s, 5m, 48h')
/** Longer than nothing. */
export const positiveDuration = duration.refine((value) => (durationMs(value) ?? 0) > 0, 'must be longer than nothing')
/** May be left out, or be `undefined`. */
export const optional = <T extends z.ZodType>(schema: T) => schema.optional()
const envReference = z.strictObject({ env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'not the name of a variable') })
/** @see TimeoutOptions */
export const timeouts = z.strictObject({
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
  z.union([
    envReference,
    // oxlint-disable-next-line no-control-regex -- control characters are what a header must not have
    z
      .string()
      .regex(/^[\t\u0020-\u007e\u0080-\u00ff]*$/, 'holds a line break, or another character that no header can hold'),
  ]),
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

/** Anything that a probe can ask. */
export const target = z.discriminatedUnion('type', [endpointTarget, bedrockTarget, customTarget, simulatedTarget])
