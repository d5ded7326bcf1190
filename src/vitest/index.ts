export { probe } from './declare.ts'
export type { ProbeFunction, ProbeHandle, SampleFilter, SloTaskMeta } from './declare.ts'
export type { ToMeetOptions } from './matcher.ts'
