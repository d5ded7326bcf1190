import type { ErrorClass } from '../sample/types.ts'
import { isObject } from './protocols/json.ts'

/** What an error says of itself: the words that name its kind, and its sentence. */
interface Said {
  readonly words: string
  readonly message: string
}

/** Names under which providers put what names the kind, what says it, and what holds another such object. */
const WORD_NAMES =
  'type code status reason __type error_type error_code status_code http_status_code Code ErrorCode tpe'.split(' ')
const SPOKEN_NAMES =
  'message error detail error_description error_msg status_msg msg Message title raw description'.split(' ')
const HOLDERS = 'error errors detail details base_resp metadata innererror Response Error'.split(' ')
/** Holders in holders, and elements of a list, that are looked at. */
const DEEPEST = 6
const ELEMENTS = 5

function gather(value: unknown, words: string[], spoken: string[], depth: number): void {
  if (depth > DEEPEST) return
  if (Array.isArray(value)) for (const each of value.slice(0, ELEMENTS)) gather(each, words, spoken, depth + 1)
  if (!isObject(value)) return
  for (const name of WORD_NAMES) {
    const word = value[name]
    if (typeof word === 'string' || typeof word === 'number') words.push(String(word).replaceAll(/[\s-]+/g, '_'))
  }
  for (const name of SPOKEN_NAMES) {
    const text = value[name]
    if (typeof text !== 'string') continue
    spoken.push(text)
    // what stood behind a gateway may have said it in JSON of its own
    if (text.startsWith('{')) gather(parsed(text), words, spoken, depth + 1)
  }
  for (const name of HOLDERS) gather(value[name], words, spoken, depth + 1)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // cut off, or not JSON after all
    return undefined
  }
}

function saidIn(value: unknown): Said {
  if (typeof value === 'string') return { words: '', message: value }
  const words: string[] = []
  const spoken: string[] = []
  gather(value, words, spoken, 0)
  return { words: words.join('|'), message: spoken.join(' ') }
}

/** Longest text that is looked at, characters. */
const LONGEST = 16_384

function saidBy(text: string): Said {
  const trimmed = text.slice(0, LONGEST).trim()
  const json = /^[{["]/.test(trimmed) ? parsed(trimmed) : undefined
  if (json !== undefined) return saidIn(json)
  const [, word = '', rest] = /^([\w. -]{1,80}): (.*)$/s.exec(trimmed) ?? []
  return { words: word.replaceAll(/[\s-]+/g, '_'), message: rest ?? trimmed }
}

const IS_PAGE = /^\s*(?:<!doctype html|<html|<head|<\?xml[^>]*>\s*<!doctype html)/i

const NAMES_BUSY =
  /overload|capacity_?exceeded|queue_?(?:is_)?(?:full|exceeded)|service_?unavailable|\bUNAVAILABLE\b|unavailable_error|model_?not_?ready|insufficient_system_resource|server_?busy/i
const SAYS_QUOTA =
  /insufficient (?:quota|balance|credits?|funds)|balance is (?:too low|insufficient|not enough)|not enough (?:balance|credits?)|out of (?:credits?|funds)|(?:no|n['’]t have any|all available|included|cloud) credits|credits? (?:have |has )?(?:expired|been exhausted)|spending limit|payment required|budget has been exceeded|\btop[ -]?up\b|\brecharge\b|in good standing|plan does not (?:yet )?include|余额|欠费|额度不足/i
const SAYS_BUSY =
  /\boverload|at capacity|over capacity|no capacity|capacity (?:is )?(?:temporarily )?exceeded|(?:server|model) (?:is )?busy|(?:high|heavy) (?:traffic|load|demand)|queue is full|temporarily unavailable|currently loading|loading model|访问量过大|繁忙|过载/i

/** By the words that name a kind; the first that matches. Chinese providers speak Chinese in their sentences, not in these. */
const WORDS: readonly (readonly [ErrorClass, RegExp])[] = [
  ['overloaded', NAMES_BUSY],
  [
    'quota',
    /insufficient_(?:user_)?(?:quota|balance|credits?|funds)|not_?enough_?(?:balance|credits?)|billing|payment_required|arrear|overdue|exceeded_current_quota|budget_?exceeded|credit_limit|out_?of_?credits|spending_limit|token_quota_reached|free_?tier_?only|(?<!request_|service_|service)quota_?(?:exceeded|exhausted)/i,
  ],
  [
    'rate_limit',
    /rate_?(?:limit|quota)|throttl|RESOURCE_EXHAUSTED|too_?many_?requests|request_?limit_?exceeded|request_quota_exceeded|service_?quota/i,
  ],
  [
    'context_length',
    /context_?(?:length|window|size)|out_?of_?context|string_above_max|max_tokens_exceeded|tokens_limit_reached|(?:prompt|input)_?(?:is_)?too_?long/i,
  ],
  [
    'content_filter',
    /content_?filter|content_?policy|responsible_?ai|moderation|data_?inspection|guardrail|PROHIBITED_CONTENT|\bSAFETY\b|sensitive/i,
  ],
  [
    'auth',
    /(?:invalid|wrong|incorrect|missing)_?(?:api_?)?key|api_?key_?invalid|auth(?:enti|ori[sz]|_?fail|_error)|failed_to_auth|permission|access_?denied|(?:invalid|expired)_?(?:[a-z]{1,10}_)?token(?!s)|UnrecognizedClient|InvalidSignature/i,
  ],
  [
    'not_found',
    /not_?found|invalid_model|unknown_model|unsupported_model|model_?(?:is_)?not_?(?:supported|available|exist)|model_decommissioned|no_such_model|does_?not_?exist/i,
  ],
]

/** By what the sentence says, where no word does. */
const SENTENCES: readonly (readonly [ErrorClass, RegExp])[] = [
  ['quota', SAYS_QUOTA],
  [
    'auth',
    /\b(?:api|access|x-api|subscription)[ _-]?(?:key|token)\b|\b(?:security|bearer|auth\w*) token\b|\b(?:un|not )?authenticat(?:ed|ion)\b|\blog(?:ged)? ?in\b|\bauthorization header\b|\bunauthori[sz]ed\b|\bcredentials?\b|access denied|have access to (?:this|the) model|(?:location|country|region)\b.{0,40}not supported|身份验证|鉴权|密钥/i,
  ],
  ['overloaded', SAYS_BUSY],
  [
    'rate_limit',
    /rate[ -]?limit|too many (?:concurrent )?requests|throttl|(?:tokens|requests|calls) ?(?:per|\/) ?(?:second|minute|hour|day)|exceeded your current quota|频率|限流|并发/i,
  ],
  [
    'context_length',
    /context (?:length|window|size|limit)|(?:prompt|input|request) (?:is )?too (?:long|large)|too many (?:input |prompt )?tokens|tokens > \d+ maximum|reduce the length|maximum (?:input|prompt) (?:length|tokens)|\b(?:prompt|input|messages?)\b[^.]{0,80}\bexceed[^.]{0,60}(?:tokens?|length)|上下文/i,
  ],
  [
    'content_filter',
    /content[ -]?filter|content (?:management )?polic|usage polic|moderation|guardrail|flagged (?:as|for)|(?:sensitive|inappropriate|unsafe) (?:content|words?|information)|blocked (?:by|due to|for) .{0,40}(?:safety|polic)|敏感|违规/i,
  ],
  [
    'not_found',
    /\bmodels?\b.{0,120}(?:not found|not exist|n['’]t exist|unknown|not supported for|was removed|decommissioned|no longer)|\bmodels?:? (?:['"`][^'"`]{1,200}['"`]|\w*[./:\d-][\w./:-]{0,200}) (?:is not|isn['’]t) (?:supported|available|deployed|enabled)|model identifier is invalid|not a valid model|throughput isn['’]t supported|non-serverless model|no endpoints? found|\b(?:unknown|no such|invalid) model\b|模型.{0,40}不存在/is,
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

/** Words with which a provider names what it did wrong. */
const CRASH = /server_?error|internal|api_error|DEADLINE_EXCEEDED/i
/** What the words of a crash may still mean; its sentences are the stack trace's. */
const NAMED_IN_CRASH: ReadonlySet<ErrorClass> = new Set([
  'overloaded',
  'rate_limit',
  'quota',
  'context_length',
  'not_found',
])

/** The most telling of words and sentence: an empty account is told under the name of whatever was refused for it. */
function classOfSaid({ words, message }: Said): ErrorClass | undefined {
  return SAYS_QUOTA.test(message) ? 'quota' : (match(WORDS, words) ?? match(SENTENCES, message))
}

/**
 * What a status other than 200 and its body mean: providers use 400 for a wrong key, 403 for a filter, 429 for an empty account.
 * @param text - the first bytes of the body
 */
export function classOfStatus(status: number, text: string): ErrorClass {
  if (CLEAR.has(status)) return byStatus(status)
  if (IS_PAGE.test(text)) return status === 429 ? 'rate_limit' : 'gateway'
  const said = saidBy(text)
  return classFor(status, said)
}

function classFor(status: number, said: Said): ErrorClass {
  const { words, message } = said
  const found = classOfSaid(said)
  if (status === 429)
    return found === 'quota' ? found : NAMES_BUSY.test(words) || SAYS_BUSY.test(message) ? 'overloaded' : 'rate_limit'
  if (status < 500) return found ?? byStatus(status)
  // a crash is a crash, whatever its sentence: only who is too busy may say so
  const named = match(WORDS, words)
  if (named !== undefined && NAMED_IN_CRASH.has(named)) return named
  if (found === 'overloaded' || found === 'rate_limit') return found
  return byStatus(status) === 'gateway' && CRASH.test(words) ? 'server_error' : byStatus(status)
}

/** What an error event in a stream means. Its status, if any, is the number in front. */
export function classOfEvent(text: string): ErrorClass {
  return classOfError(saidBy(text))
}

function classOfError(said: Said): ErrorClass {
  const { words, message } = said
  const [status] = /(?<!\d)[45]\d\d(?!\d)/.exec(words) ?? []
  if (status !== undefined && !CLEAR.has(Number(status))) return classFor(Number(status), said)
  const named = match(WORDS, words)
  if (named !== undefined) return classOfSaid(said) === 'quota' ? 'quota' : named
  if (status !== undefined) return byStatus(Number(status))
  if (CRASH.test(words)) return SAYS_BUSY.test(message) ? 'overloaded' : 'server_error'
  return (
    match(SENTENCES, message) ??
    (/invalid|bad_?request|validation|unsupported|missing_?param|failed_precondition/i.test(words)
      ? 'bad_request'
      : 'server_error')
  )
}

/** What a 200 that is no stream means, if it is the error of somebody: a page, or JSON with an error in it. */
export function classOfForeign(text: string): ErrorClass | undefined {
  if (IS_PAGE.test(text)) return 'gateway'
  const said = saidBy(text)
  const speaksOfError = /"(?:error|errors|detail|message|error_msg|status_msg|Error)"\s*:/.test(text.slice(0, LONGEST))
  return speaksOfError && (said.words !== '' || said.message !== '') ? classOfError(said) : undefined
}

const FILTERED =
  /content_?filter|^blocked|safety|prohibited|recitation|blocklist|refusal|guardrail|sensitive|spii|model_armor|toxic/i

/** A finish without a token that a filter of the provider's forced, or a prompt that left no room. */
export function classOfFinish(reason: string | undefined): ErrorClass | undefined {
  if (reason === undefined) return undefined
  if (FILTERED.test(reason)) return 'content_filter'
  return /context_(?:window|length)/i.test(reason) ? 'context_length' : undefined
}
