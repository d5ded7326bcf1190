export { defineProbe } from './define.ts'
export type { DefinedProbe } from './define.ts'
export { baseUrlOf, effectiveProbe, missingVariables, unreadableFiles, unusableVariables } from './effective.ts'
export { readEnvironment } from './environment.ts'
export type { RunEnvironment } from './environment.ts'
export { file, jsonl, messages, opsNotes, text, withSessionId } from './prompts.ts'
export {
  anthropicMessages,
  bedrockConverse,
  cohere,
  custom,
  env,
  gemini,
  ollama,
  openaiChat,
  openaiCompletions,
  openaiResponses,
  simulated,
} from './targets.ts'
export type * from './options.ts'
export type * from './types.ts'
