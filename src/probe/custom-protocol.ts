import { messageOf, SloError } from '../errors.ts'
import type { TokenKind } from '../sample/types.ts'
import { isObject } from './protocols/json.ts'
import type { Json } from './protocols/json.ts'
import type { EventReading, Protocol, UsageCounts } from './types.ts'

const KINDS: readonly unknown[] = ['reasoning', 'answer', 'tool'] satisfies TokenKind[]
const FRAMINGS: readonly unknown[] = ['sse', 'ndjson', 'aws-event-stream'] satisfies Protocol['framing'][]
const TEXTS = ['finishReason', 'servedModel', 'requestId', 'error'] as const
const MARKS = ['toolArguments', 'end'] as const
const COUNTS = [
  'promptTokens',
  'completionTokens',
  'totalTokens',
  'reasoningTokens',
  'cachedTokens',
  'cacheWriteTokens',
] as const satisfies (keyof UsageCounts)[]

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

/** What a user's module gives where there is nothing: providers write `null` and empty texts. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value === false
}

function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new TypeError(`read() gave ${what}`)
}

/** The fields of some names that are there, each of which must be of its kind. */
function present<Name extends string, Value>(
  fields: Json,
  names: readonly Name[],
  isKind: (value: unknown) => value is Value,
  kind: string,
): { [Key in Name]?: Value } {
  const found: { [Key in Name]?: Value } = {}
  for (const name of names) {
    const value = fields[name]
    if (isAbsent(value)) continue
    demand(isKind(value), `${name} that is not ${kind}`)
    found[name] = value
  }
  return found
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isMark = (value: unknown): value is true => value === true

/**
 * What a user's `read` gave, field by field; `null`, `false` and empty texts count as absent.
 * @throws TypeError that names the first field that is not of its type: the event is passed over as malformed
 */
function checkedReading(value: unknown): EventReading | 'malformed' {
  if (value === 'malformed') return value
  demand(isObject(value), 'no reading')
  const { tokens, characters, usage } = value
  demand(Array.isArray(tokens), 'tokens that are not a list')
  demand(
    tokens.every((kind) => KINDS.includes(kind)),
    'tokens of other kinds than reasoning, answer and tool',
  )
  demand(isCount(characters), 'characters that are not a number from 0')
  demand(isAbsent(usage) || isObject(usage), 'usage that is not an object')
  return {
    tokens: tokens as TokenKind[],
    characters,
    ...present(value, TEXTS, isText, 'a text'),
    ...present(value, MARKS, isMark, 'true'),
    ...(isObject(usage) ? { usage: present(usage, COUNTS, isCount, 'a number from 0') } : {}),
  }
}

/** What is wrong with a module's export; `undefined`: nothing that can be seen before it is used. */
function faultOf(exported: unknown): string | undefined {
  const { name, path, body, read, framing, keyHeader, headers, usage } = isObject(exported) ? exported : {}
  const hasMembers = [path, body, read].every((member) => typeof member === 'function')
  if (!isText(name) || name === '' || !hasMembers) return 'has no default export with name, path, body and read'
  if (framing !== undefined && !FRAMINGS.includes(framing))
    return `has a framing that is none of ${FRAMINGS.join(', ')}`
  if (keyHeader !== undefined && (!isText(keyHeader) || keyHeader === '')) return 'has a keyHeader that is no name'
  if (headers !== undefined && !(isObject(headers) && Object.values(headers).every(isText)))
    return 'has headers that are not texts by name'
  if (usage !== undefined && !isObject(usage)) return 'has a usage that is no object'
  return undefined
}

/**
 * A user's own protocol, held to its types wherever it is called.
 * @param where - the module, for messages
 * @throws SloError `CONFIG_INVALID` where a member is missing or not of its type, now or when `path` and `body` are called
 */
export function customProtocol(exported: unknown, where: string): Protocol {
  const fault = faultOf(exported)
  if (fault !== undefined)
    throw new SloError('CONFIG_INVALID', `the protocol ${where} ${fault}`, {
      hint: "export default { name: 'mine', path, body, read } satisfies Protocol",
    })
  const own = exported as Protocol
  const made = <Value>(
    member: string,
    make: () => Value,
    isRight: (value: unknown) => boolean,
    kind: string,
  ): Value => {
    let value: Value
    try {
      value = make()
    } catch (error) {
      throw new SloError('CONFIG_INVALID', `${member} of the protocol ${where} threw: ${messageOf(error)}`, {
        cause: error,
      })
    }
    if (isRight(value)) return value
    throw new SloError('CONFIG_INVALID', `${member} of the protocol ${where} gave no ${kind}`)
  }
  const { name, framing, keyHeader, headers, usage } = own
  return {
    name,
    ...(framing === undefined ? {} : { framing }),
    ...(keyHeader === undefined ? {} : { keyHeader }),
    ...(headers === undefined ? {} : { headers }),
    ...(usage === undefined ? {} : { usage }),
    path: (model) => made('path()', () => own.path(model), isText, 'text'),
    body: (order) => made('body()', () => own.body(order), isObject, 'object'),
    read: (event) => checkedReading(own.read(event)),
  }
}
