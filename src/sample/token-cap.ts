/** What providers call "stopped at the token cap", in lower case. A context that is full is not among them: it is not the cap we asked for. */
const CAPS: ReadonlySet<string> = new Set([
  'length',
  'model_length',
  'max_length',
  'max_tokens',
  'max_output_tokens',
  'max_completion_tokens',
  'max_new_tokens',
  'token_limit',
])

/** Whether a finish reason, as reported, says that the answer was cut at the token cap. The prober and `length_rate` share this list. */
export function endedAtTokenCap(finishReason: string | undefined): boolean {
  if (finishReason === undefined) return false
  return CAPS.has(finishReason.toLowerCase().replace(/^incomplete:/, ''))
}
