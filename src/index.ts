/** What a spec file imports. */
export { probe } from './vitest/index.ts'
export type { ProbeFunction, ProbeHandle, SampleFilter, ToMeetOptions } from './vitest/index.ts'
export {
  anthropicMessages,
  bedrockConverse,
  cohere,
  custom,
  env,
  file,
  gemini,
  jsonl,
  messages,
  ollama,
  openaiChat,
  openaiCompletions,
  openaiResponses,
  opsNotes,
  simulated,
  text,
} from './spec/index.ts'
export type {
  AuthOptions,
  BedrockOptions,
  CustomOptions,
  EndpointOptions,
  EnvReference,
  Message,
  OpenaiChatOptions,
  Price,
  ProbeOptions,
  Prompt,
  PromptContext,
  PromptFunction,
  RequestOptions,
  ScheduleOptions,
  SimulatedOptions,
  Target,
  TimeoutOptions,
  TlsOptions,
} from './spec/index.ts'
export type { FailedSample, OkSample, Sample, TokenKind } from './sample/types.ts'
export type { BodyOrder, EventReading, Protocol, UsageCounts, UsageRules, WireEvent } from './probe/types.ts'
export { SloError } from './errors.ts'
export type { SloErrorCode } from './errors.ts'
