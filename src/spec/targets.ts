import type {
  BedrockOptions,
  BedrockTarget,
  CustomOptions,
  CustomTarget,
  EndpointOptions,
  EndpointTarget,
  OpenaiChatOptions,
  SimulatedOptions,
  SimulatedTargetDeclaration,
} from './options.ts'
import type { EnvReference } from './types.ts'

/** A value that the prober reads from its environment when it asks; it appears in no file, log or error. */
export function env(name: string): EnvReference {
  return { env: name }
}

/** An OpenAI-compatible streaming `/chat/completions` endpoint. */
export function openaiChat(options: OpenaiChatOptions): EndpointTarget {
  return { type: 'openai-chat', options }
}

/** An OpenAI-compatible streaming `/completions` endpoint: a prompt's messages are sent as one text. */
export function openaiCompletions(options: EndpointOptions): EndpointTarget {
  return { type: 'openai-completions', options }
}

/** An OpenAI-compatible streaming `/responses` endpoint. */
export function openaiResponses(options: EndpointOptions): EndpointTarget {
  return { type: 'openai-responses', options }
}

/** Anthropic's `/messages`, as `https://api.anthropic.com/v1` has it. */
export function anthropicMessages(options: EndpointOptions): EndpointTarget {
  return { type: 'anthropic-messages', options }
}

/** Gemini's `/models/{model}:streamGenerateContent`, as `https://generativelanguage.googleapis.com/v1beta` has it. */
export function gemini(options: EndpointOptions): EndpointTarget {
  return { type: 'gemini', options }
}

/** Ollama's own `/api/chat`, as `http://127.0.0.1:11434` has it. */
export function ollama(options: EndpointOptions): EndpointTarget {
  return { type: 'ollama', options }
}

/** Cohere's `/v2/chat`, as `https://api.cohere.com` has it. */
export function cohere(options: EndpointOptions): EndpointTarget {
  return { type: 'cohere', options }
}

/**
 * Bedrock's `/model/{model}/converse-stream`, as `https://bedrock-runtime.us-east-1.amazonaws.com` has it; needs `@smithy/eventstream-codec`
 * and, unless a key of Bedrock is given, `@smithy/signature-v4`.
 */
export function bedrockConverse(options: BedrockOptions): BedrockTarget {
  return { type: 'bedrock-converse', options }
}

/** An endpoint that speaks a wire format of the user's own. */
export function custom(options: CustomOptions): CustomTarget {
  return { type: 'custom', options }
}

/**
 * The built-in simulator, for practice: no key, no network.
 * @param profile - a name of `fixtures/profiles/`, or the path of a profile file
 */
export function simulated(profile: string, options: SimulatedOptions = {}): SimulatedTargetDeclaration {
  return { type: 'simulated', profile, options }
}
