import type { Protocol } from '../types.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { bedrockConverse } from './bedrock-converse.ts'
import { cohere } from './cohere.ts'
import { gemini } from './gemini.ts'
import { ollama } from './ollama.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiCompletions } from './openai-completions.ts'
import { openaiResponses } from './openai-responses.ts'

/** Every wire format of this package, by its name. */
export const protocols: ReadonlyMap<string, Protocol> = new Map(
  [openaiChat, openaiCompletions, openaiResponses, anthropicMessages, gemini, ollama, cohere, bedrockConverse].map(
    (protocol) => [protocol.name, protocol],
  ),
)
