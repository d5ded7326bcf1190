/** What a spec file imports. */
export { probe } from './vitest/index.ts'
export type { ProbeFunction, ProbeHandle, SampleFilter, ToMeetOptions } from './vitest/index.ts'
export { env, file, jsonl, messages, openaiChat, opsNotes, simulated, text } from './spec/index.ts'
export type {
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
} from './spec/index.ts'
export type { FailedSample, OkSample, Sample } from './sample/types.ts'
export { SloError } from './errors.ts'
export type { SloErrorCode } from './errors.ts'
