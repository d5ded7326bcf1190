import type { IncomingMessage } from 'node:http'
import * as z from 'zod'

const content = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() })), z.null()])

const bodySchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: content.optional() })).min(1),
  stream: z.boolean().optional(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  max_completion_tokens: z.number().int().positive().nullish(),
  max_tokens: z.number().int().positive().nullish(),
  slo_fault: z.string().nullish(),
})

/** The body of a chat completion request, as far as the simulator reads it. */
export type ChatBody = z.infer<typeof bodySchema>

/** What the prober asks of the simulator, by headers; each is `null` where a client does not send it. */
export interface Control {
  /** `x-slo-cell`, decoded. */
  readonly cell: string | null
  /** `x-slo-k` */
  readonly k: number | null
  /** `x-slo-profile`, decoded. */
  readonly profile: string | null
  /** `x-slo-time-scale`, else the simulator's own. */
  readonly timeScale: number
  /** `x-slo-seed` */
  readonly seed: number | null
  /** `x-slo-warmup: 1` */
  readonly warmup: boolean
  /** `x-slo-fault`, decoded. */
  readonly fault: string | null
}

/** A request that the simulator cannot make sense of: answered with status 400. */
export class BadRequest extends Error {}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** @throws BadRequest */
export function readControl(headers: IncomingMessage['headers'], defaultTimeScale: number): Control {
  const text = (name: string): string | null => {
    const value = headers[name]
    return typeof value === 'string' ? decoded(value) : null
  }
  const number = (name: string): number | null => {
    const value = text(name)
    if (value === null) return null
    if (value.trim() === '' || !Number.isFinite(Number(value)))
      throw new BadRequest(`header ${name}: not a number: ${value}`)
    return Number(value)
  }
  const timeScale = number('x-slo-time-scale') ?? defaultTimeScale
  if (timeScale <= 0) throw new BadRequest('header x-slo-time-scale: must be above 0')
  return {
    cell: text('x-slo-cell'),
    k: number('x-slo-k'),
    profile: text('x-slo-profile'),
    timeScale,
    seed: number('x-slo-seed'),
    warmup: text('x-slo-warmup') === '1',
    fault: text('x-slo-fault'),
  }
}

/** @throws BadRequest */
export function parseBody(text: string): Readonly<Record<string, unknown>> {
  try {
    return z.looseObject({}).parse(JSON.parse(text))
  } catch {
    throw new BadRequest('the body is not a JSON object')
  }
}

/** @throws BadRequest */
export function readChatBody(body: Readonly<Record<string, unknown>>): ChatBody {
  const parsed = bodySchema.safeParse(body)
  if (!parsed.success) throw new BadRequest(z.prettifyError(parsed.error))
  return parsed.data
}

/** Words of all messages: what the profile's tokenizer goes by. */
export function wordsOf(body: ChatBody): number {
  let words = 0
  for (const message of body.messages) {
    const parts = Array.isArray(message.content)
      ? message.content.map((part) => part.text ?? '')
      : [message.content ?? '']
    for (const part of parts) words += part.match(/\S+/g)?.length ?? 0
  }
  return words
}
