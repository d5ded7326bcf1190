import type { ErrorClass } from '../sample/types.ts'

/** What an error says of itself: the words that name its kind, and its sentence. */
interface Said {
  readonly words: string
  readonly message: string
}

type Json = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Providers put the same four things in different places: at the top, in `error`, in the first element of an array. */
function saidIn(value: unknown): Said {
  const top = Array.isArray(value) ? (value as unknown[])[0] : value
  if (!isObject(top)) return { words: '', message: typeof top === 'string' ? top : '' }
  const inner = isObject(top['error']) ? top['error'] : {}
  const named = [top, inner].flatMap((part) =>
    ['type', 'code', 'status', 'reason', '__type', 'error_type'].map((name) => part[name]),
  )
  const spoken = [inner['message'], top['error'], top['message'], top['detail'], top['error_description']]
  const text = (values: readonly unknown[]): string =>
    values.filter((each) => typeof each === 'string' || typeof each === 'number').join(' ')
  return { words: text(named), message: text(spoken) }
}

/** Longest text that is looked at, characters. */
const LONGEST = 16_384

function saidBy(text: string): Said {
  const trimmed = text.slice(0, LONGEST).trim()
  if (/^[{[]/.test(trimmed)) {
    try {
      return saidIn(JSON.parse(trimmed))
    } catch {
      // cut off, or not JSON after all: its text speaks as a whole
    }
  }
  const [, word = '', rest] = /^([\w.-]{1,80}): (.*)$/s.exec(trimmed) ?? []
  return { words: word, message: rest ?? trimmed }
}

const IS_PAGE = /^\s*(?:<!doctype html|<html|<head|<\?xml[^>]*>\s*<!doctype html)/i

/** By the words that name a kind; the first that matches. */
const WORDS: readonly (readonly [ErrorClass, RegExp])[] = [
  ['overloaded', /overload|capacity_exceeded|service_?unavailable|\bUNAVAILABLE\b|model_?not_?ready/i],
  ['quota', /insufficient_(?:user_)?quota|insufficient_(?:balance|credits?|funds)|billing|payment_required/i],
  ['rate_limit', /rate_?limit|throttl|RESOURCE_EXHAUSTED|too_?many_?requests/i],
  ['context_length', /context_length|context_window|string_above_max|max_tokens_exceeded/i],
  [
    'content_filter',
    /content_?filter|content_?policy|responsible_?ai|moderation|data_inspection|guardrail|PROHIBITED_CONTENT|\bSAFETY\b/i,
  ],
  [
    'auth',
    /invalid_api_key|api_key_invalid|authentication|unauthori[sz]ed|unauthenticated|permission|access_?denied|invalid_?token|expired_?token|UnrecognizedClient|InvalidSignature/i,
  ],
  ['not_found', /model_?not_?found|not_?found|invalid_model|unknown_model/i],
]

/** By what the sentence says, where no word does. */
const SENTENCES: readonly (readonly [ErrorClass, RegExp])[] = [
  ['quota', /insufficient (?:quota|balance|credits?|funds)|credit balance is too low|out of credits|payment required/i],
  [
    'auth',
    /\b(?:api|access|x-api|subscription)[ _-]?key\b|\b(?:security|access|bearer|auth\w*) token\b|\bauthentication\b|\bauthorization header\b|\bunauthori[sz]ed\b|\bcredentials?\b|access denied/i,
  ],
  [
    'overloaded',
    /\boverload|at capacity|over capacity|no capacity|server (?:is )?busy|temporarily unavailable|currently loading/i,
  ],
  [
    'rate_limit',
    /rate[ -]?limit|too many requests|throttl|(?:tokens|requests) per (?:second|minute|hour|day)|exceeded your current quota/i,
  ],
  [
    'context_length',
    /context (?:length|window|size)|(?:prompt|input|request) (?:is )?too (?:long|large)|too many (?:input |prompt )?tokens|tokens > \d+ maximum|reduce the length|maximum (?:input|prompt) (?:length|tokens)/i,
  ],
  [
    'content_filter',
    /content[ -]?filter|content (?:management )?polic|usage polic|moderation|guardrail|flagged (?:as|for)|blocked (?:by|due to|for) .{0,40}(?:safety|polic)/i,
  ],
  [
    'not_found',
    /\bmodels?\b.{0,120}(?:not found|not exist|n['’]t exist|unknown|not supported for|was removed|decommissioned|no longer)|model identifier is invalid|\b(?:unknown|no such|invalid) model\b/is,
  ],
]

function match(rules: readonly (readonly [ErrorClass, RegExp])[], text: string): ErrorClass | undefined {
  return rules.find(([, pattern]) => pattern.test(text))?.[0]
}

/** What a status means where nothing that is said means more. */
function byStatus(status: number): ErrorClass {
  if (status === 401 || status === 403 || status === 407) return 'auth'
  if (status === 402) return 'quota'
  if (status === 404 || status === 410) return 'not_found'
  if (status === 413) return 'context_length'
  if (status === 429) return 'rate_limit'
  if (status === 451) return 'content_filter'
  if (status === 498 || status === 503 || status === 529) return 'overloaded'
  if (status < 400 || status === 408 || status === 502 || status === 504 || (status >= 520 && status <= 530))
    return 'gateway'
  return status >= 500 ? 'server_error' : 'bad_request'
}

/** Statuses that say all there is to say; the others are used for anything. */
const CLEAR = new Set([401, 402, 404, 407, 410, 451, 529])

/**
 * What a status other than 200 and its body mean: providers use 400 for a wrong key, 403 for a filter, 429 for an empty account.
 * @param text - the first bytes of the body
 */
export function classOfStatus(status: number, text: string): ErrorClass {
  if (CLEAR.has(status)) return byStatus(status)
  if (IS_PAGE.test(text)) return status === 429 ? 'rate_limit' : 'gateway'
  const { words, message } = saidBy(text)
  if (status === 429) {
    const named = match(WORDS, words)
    return named === 'overloaded' || named === 'quota' ? named : 'rate_limit'
  }
  const said = match(WORDS, words) ?? match(SENTENCES, message)
  // a crash is a crash, whatever its words: only who is too busy may say so
  if (status >= 500) return said === 'overloaded' || said === 'rate_limit' ? said : byStatus(status)
  return said ?? byStatus(status)
}

/** What an error event in a stream means. Its status, if any, is the number in front. */
export function classOfEvent(text: string): ErrorClass {
  const { words, message } = saidBy(text)
  const [status] = /\b[45]\d\d\b/.exec(words) ?? []
  const said = match(WORDS, words) ?? (status === undefined ? undefined : classOfStatus(Number(status), message))
  if (said !== undefined) return said
  if (/server_error|internal|api_error/i.test(words))
    return (
      match(
        SENTENCES.filter(([kind]) => kind === 'overloaded'),
        message,
      ) ?? 'server_error'
    )
  return (
    match(SENTENCES, message) ??
    (/invalid|bad_request|validation|unsupported/i.test(words) ? 'bad_request' : 'server_error')
  )
}

/** What a 200 that is no stream means, if it is the error of somebody: a page, or JSON with an error in it. */
export function classOfForeign(text: string): ErrorClass | undefined {
  if (IS_PAGE.test(text)) return 'gateway'
  const { words, message } = saidBy(text)
  const speaksOfError = /"(?:error|errors|detail|message)"\s*:/.test(text.slice(0, LONGEST))
  return speaksOfError && (words !== '' || message !== '') ? classOfEvent(`${words}: ${message}`) : undefined
}

/** A finish without a token that a filter of the provider's forced. */
export function classOfFinish(reason: string | undefined): ErrorClass | undefined {
  return reason !== undefined &&
    /content_?filter|^blocked|safety|prohibited|recitation|blocklist|refusal|guardrail/i.test(reason)
    ? 'content_filter'
    : undefined
}
