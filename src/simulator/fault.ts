import type { Script } from './script.ts'

/** What a fault may use of the request. */
interface FaultContext {
  readonly authorization: string
  readonly model: string
  /** A number parameter, or its default. */
  readonly number: (name: string, fallback: number) => number
  readonly text: (name: string, fallback: string) => string
}

/** One way to misbehave. */
export interface Fault {
  readonly about: string
  /** Own parameters, with their defaults. */
  readonly params?: Readonly<Record<string, string>>
  /** The only version of HTTP that can do it. @default both can */
  readonly http?: '1.1' | '2'
  readonly apply: (script: Script, context: FaultContext) => Script
}
