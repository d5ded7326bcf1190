import type { DurationText } from '../units.ts'
import type { EnvReference, Message, Price, PromptContext } from './types.ts'

/** How long each phase of a request may last. Times from 9-interface's `timeouts`: values of a target win over the probe's. */
export interface TimeoutOptions {
  /** Opening the connection. @default '10s' */
  readonly connect?: DurationText | undefined
  /** From t₀ to the first token. @default '240s' */
  readonly firstToken?: DurationText | undefined
  /** From the last token, finish or usage event. @default '60s' */
  readonly stall?: DurationText | undefined
  /** From t₀ to the end of the stream. @default '300s' */
  readonly total?: DurationText | undefined
}

/** What every target may set. */
interface TargetOptions {
  /** Cost of a request in the CSV, for `cost` budgets and `maxCost`. */
  readonly price?: Price | undefined
  readonly timeouts?: TimeoutOptions | undefined
}

/** A command that prints a bearer token, where tokens expire. */
export interface AuthOptions {
  /** Program and arguments, without a shell: `['gcloud', 'auth', 'print-access-token']`. Its output is a secret like any other. */
  readonly command: readonly [string, ...string[]]
  /** Run again when the token is so old, before a request's clock starts. @default '30m' */
  readonly every?: DurationText | undefined
}

/** PEM files, relative to the project's root; `env('NAME')`: a variable that holds a path or the text itself. */
export interface TlsOptions {
  /** A private authority, trusted beside the usual ones. */
  readonly ca?: string | URL | EnvReference | undefined
  /** The client's certificate, with `key`. */
  readonly cert?: string | URL | EnvReference | undefined
  readonly key?: string | URL | EnvReference | undefined
}

/** Options of {@link openaiChat} and of every other endpoint. */
export interface EndpointOptions extends TargetOptions {
  /** What the provider calls its base URL; the protocol adds its path, as `/chat/completions`. */
  readonly baseUrl: string | EnvReference
  readonly model: string
  /** Name of the environment variable with the key; the prober reads it, and sends it as the protocol wants it. @default none is sent */
  readonly apiKeyEnv?: string | undefined
  /** In place of `apiKeyEnv`. @default none */
  readonly auth?: AuthOptions | undefined
  readonly tls?: TlsOptions | undefined
  /** More headers; `env('NAME')` for secret ones. */
  readonly headers?: Readonly<Record<string, string | EnvReference>> | undefined
  /** @default '1.1' */
  readonly http?: '1.1' | '2' | undefined
  /** What this provider calls the cap on tokens, as `'max_tokens'`. @default the protocol's name for it */
  readonly maxTokensField?: string | undefined
  /** Fields for this target alone, laid over the probe's `request.body`; `undefined` takes a field away. @default {} */
  readonly body?: Readonly<Record<string, unknown>> | undefined
}

/** Options of {@link openaiChat}. */
export type OpenaiChatOptions = EndpointOptions

/** Options of {@link bedrockConverse}. */
export interface BedrockOptions extends EndpointOptions {
  /** Signs each request, unless `apiKeyEnv` is given. Values are names of environment variables, but for the region. */
  readonly aws?:
    | {
        /** @default the one in the host's name */
        readonly region?: string | undefined
        /** @default 'AWS_ACCESS_KEY_ID' */
        readonly accessKeyIdEnv?: string | undefined
        /** @default 'AWS_SECRET_ACCESS_KEY' */
        readonly secretAccessKeyEnv?: string | undefined
        /** Sent where the variable is set. @default 'AWS_SESSION_TOKEN' */
        readonly sessionTokenEnv?: string | undefined
      }
    | undefined
}

/** Options of {@link custom}. */
export interface CustomOptions extends EndpointOptions {
  /** A module whose default export is a `Protocol`: `new URL('./mine.ts', import.meta.url)`. */
  readonly protocol: URL
}

/** Options of {@link simulated}. */
export interface SimulatedOptions extends TargetOptions {
  /** Provider waits and timeouts are divided by this. @default 1 */
  readonly timeScale?: number | undefined
  /** @default the profile's name */
  readonly model?: string | undefined
}

/** Wire formats that need no options of their own. */
export type PlainProtocol =
  | 'openai-chat'
  | 'openai-completions'
  | 'openai-responses'
  | 'anthropic-messages'
  | 'gemini'
  | 'ollama'
  | 'cohere'

/** A target as `openaiChat()`, `anthropicMessages()` and their like make it. */
export interface EndpointTarget {
  readonly type: PlainProtocol
  readonly options: EndpointOptions
}

/** A target as `bedrockConverse()` makes it. */
export interface BedrockTarget {
  readonly type: 'bedrock-converse'
  readonly options: BedrockOptions
}

/** A target as `custom()` makes it. */
export interface CustomTarget {
  readonly type: 'custom'
  readonly options: CustomOptions
}

/** A target as `simulated()` makes it. */
export interface SimulatedTargetDeclaration {
  readonly type: 'simulated'
  readonly profile: string
  readonly options: SimulatedOptions
}

/** Anything that a probe can ask. */
export type Target = EndpointTarget | BedrockTarget | CustomTarget | SimulatedTargetDeclaration

/** The study's task: a numbered list of service-operations notes, then five points for the on-call engineer. */
export interface OpsNotesPrompt {
  readonly type: 'ops-notes'
  readonly words: number
}
export interface TextPrompt {
  readonly type: 'text'
  readonly text: string
}
export interface FilePrompt {
  readonly type: 'file'
  readonly path: string | URL
}
export interface MessagesPrompt {
  readonly type: 'messages'
  readonly messages: readonly Message[]
}
export interface JsonlPrompt {
  readonly type: 'jsonl'
  readonly path: string | URL
}

/** Called in the spec worker for every request, before its clock starts. */
export type PromptFunction = (
  context: PromptContext,
) => string | readonly Message[] | Promise<string | readonly Message[]>

/** Anything that a probe can say. */
export type Prompt = OpsNotesPrompt | TextPrompt | FilePrompt | MessagesPrompt | JsonlPrompt | PromptFunction

/** What is asked of every target. */
export interface RequestOptions {
  /** @default 2000 */
  readonly maxTokens?: number | undefined
  /** @default none is sent */
  readonly temperature?: number | undefined
  /** `'cold'` puts a fresh session id first in every prompt, so that no prefix is cached. @default 'cold' */
  readonly cache?: 'cold' | 'warm' | undefined
  /** Laid over the request's body last, object by object: the provider's own fields. `undefined` takes a field away. @default {} */
  readonly body?: Readonly<Record<string, unknown>> | undefined
}

interface ScheduleBase {
  /** Distance of the rounds on the wall clock; `'0s'`: back to back. */
  readonly every: DurationText
  /** Orders the rounds and drives prompt picks. @default drawn per run, and recorded */
  readonly seed?: number | undefined
}

/** How often and how long; one of `rounds` and `for`. */
export type ScheduleOptions =
  | (ScheduleBase & { readonly rounds: number; readonly for?: undefined })
  | (ScheduleBase & { readonly for: DurationText; readonly rounds?: undefined })

/** Everything that {@link probe} takes. */
export interface ProbeOptions<TargetName extends string = string, PromptName extends string = string> {
  /** What is asked, by the name that it has in `slo.yaml`, the CSV and JUnit. */
  readonly targets: Readonly<Record<TargetName, Target>>
  /** What is said, by name. */
  readonly prompts: Readonly<Record<PromptName, Prompt>>
  readonly schedule: ScheduleOptions
  readonly request?: RequestOptions | undefined
  readonly timeouts?: TimeoutOptions | undefined
  /** Discarded requests per target before the first round. @default 1 */
  readonly warmup?: number | undefined
  /** Words for the CSV's `labels`; those that are undefined are left out. */
  readonly labels?: Readonly<Record<string, string | undefined>> | undefined
}
