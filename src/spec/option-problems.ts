import type * as z from 'zod'
import { nearestWord } from '../budget/index.ts'

/** Names of options at every level, for the nearest right word. */
const NAMES: readonly string[] = (
  'targets prompts schedule request timeouts warmup labels every rounds for seed maxTokens temperature cache body ' +
  'connect firstToken stall total input output cachedInput currency baseUrl model apiKeyEnv headers http price timeScale ' +
  'auth tls maxTokensField ca cert key command region protocol role content words'
).split(' ')
const DURATIONS = new Set(['every', 'for', 'connect', 'firstToken', 'stall', 'total'])

function unknownKey(key: string): string {
  if (/^(?:api_?key|token)$/i.test(key)) {
    return `${key} is no option: a secret is never written down; name its variable: apiKeyEnv: 'MY_KEY'`
  }
  const meant =
    NAMES.find((name) => name.toLowerCase() === key.toLowerCase().replaceAll('_', '')) ?? nearestWord(key, NAMES)
  return `${key} is no option here${meant === undefined ? '' : `; did you mean ${meant}?`}`
}

function wrongType(path: readonly PropertyKey[], message: string): string {
  const last = String(path.at(-1) ?? '')
  if (message.endsWith('received undefined')) return 'is missing'
  if (DURATIONS.has(last)) return "write a number and a unit, in quotes: '500ms', '10s', '5m', '48h'"
  if (last === 'baseUrl') return "write the provider's base URL in quotes, or env('NAME')"
  if (path[0] === 'prompts' && path.length === 2) return "write text('…'), file('…') or another prompt, or a function"
  if (path[0] === 'targets' && path.length === 2) return 'write openaiChat({ … }), simulated(…) or another target'
  return message
}

/** What one issue says to a person, a line each, with the path of the option. */
function linesOf(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): readonly string[] {
  const at = [...above, ...issue.path]
  // of a union, the last branch is the one that a person meant, unless nothing or a plain value stands there
  const branch = issue.code === 'invalid_union' ? issue.errors.at(-1) : undefined
  if (branch !== undefined && branch.length > 0) return branch.flatMap((each) => linesOf(each, at))
  const place = at.map(String).join('.') || 'options'
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `  ${place}: ${unknownKey(key)}`)
  return [`  ${place}: ${issue.code === 'invalid_type' ? wrongType(at, issue.message) : issue.message}`]
}

/** Everything that is wrong with a value, a line a problem, indented. */
export function problemLines(error: z.ZodError): readonly string[] {
  return error.issues.flatMap((issue) => linesOf(issue, []))
}
