import { anthropicMessages } from './anthropic-messages.ts'
import { cohere } from './cohere.ts'
import { gemini } from './gemini.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiCompletions } from './openai-completions.ts'
import { openaiResponses } from './openai-responses.ts'
import type { Dialect } from './types.ts'

/** Every dialect that the simulator speaks. */
export const dialects: readonly Dialect[] = [
  openaiChat,
  openaiCompletions,
  openaiResponses,
  anthropicMessages,
  gemini,
  cohere,
]
