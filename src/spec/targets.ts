import type { OpenaiChatOptions, OpenaiChatTarget, SimulatedOptions, SimulatedTargetDeclaration } from './options.ts'
import type { EnvReference } from './types.ts'

/** A value that the prober reads from its environment when it asks; it appears in no file, log or error. */
export function env(name: string): EnvReference {
  return { env: name }
}

/** An OpenAI-compatible streaming `/chat/completions` endpoint. */
export function openaiChat(options: OpenaiChatOptions): OpenaiChatTarget {
  return { type: 'openai-chat', options }
}

/**
 * The built-in simulator, for practice: no key, no network.
 * @param profile - a name of `fixtures/profiles/`, or the path of a profile file
 */
export function simulated(profile: string, options: SimulatedOptions = {}): SimulatedTargetDeclaration {
  return { type: 'simulated', profile, options }
}
