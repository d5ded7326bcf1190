import type { Timeouts } from '../budget/types.ts'

/** What a spec declares, once checked and made plain: {@link Probe}. Secrets are named here, never held. */

/** A header's value, or the name of the environment variable that the prober reads it from. */
export type HeaderValue = string | EnvReference

/** Made by `env('NAME')`. */
export interface EnvReference {
  readonly env: string
}

/** Per million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  /** @default input */
  readonly cachedInput?: number | undefined
  /** ISO 4217, as `'USD'`. */
  readonly currency: string
}

/** What is asked of every target of a probe. */
export interface RequestSettings {
  readonly maxTokens: number
  readonly temperature: number | null
  readonly cache: 'cold' | 'warm'
  /** Laid over the request's body last, object by object. */
  readonly body: Readonly<Record<string, unknown>>
  /** Paths of fields that are taken out of the body in the end. @default none */
  readonly omit?: readonly (readonly string[])[]
  /** What the cap on tokens is called, where the target does not take the protocol's own name for it. */
  readonly maxTokensField?: string
}

/** How requests to AWS are signed: names of variables, read by the prober. */
export interface AwsSigning {
  readonly service: string
  /** `null`: as the host says. */
  readonly region: string | null
  readonly accessKeyIdEnv: string
  readonly secretAccessKeyEnv: string
  /** Sent where the variable is set. */
  readonly sessionTokenEnv: string
}

interface TargetBase {
  readonly name: string
  /** The wire protocol: its file in `src/probe/protocols/` has this name; or the `file:` URL of a user's own. */
  readonly protocol: string
  readonly model: string
  readonly headers: Readonly<Record<string, HeaderValue>>
  /** Milliseconds, unscaled. */
  readonly timeouts: Timeouts
  readonly price: Price | null
  readonly http: '1.1' | '2'
}

/** A command that prints a bearer token: no shell, the environment of the run. */
export interface AuthCommand {
  /** Program and arguments. */
  readonly command: readonly string[]
  /** Milliseconds after which it is run again, before the next request's clock starts. */
  readonly everyMs: number
}

/** Where PEM texts are: absolute paths, or variables that hold a path or the text itself. */
export interface TlsFiles {
  /** Trusted beside the usual authorities. */
  readonly ca?: HeaderValue
  /** The client's own certificate; `cert` and `key` go together. */
  readonly cert?: HeaderValue
  readonly key?: HeaderValue
}

/** A provider over the network. */
export interface RealTarget extends TargetBase {
  readonly kind: 'real'
  /** What the provider calls its base URL, without a slash at the end, or where it stands in the environment. */
  readonly baseUrl: HeaderValue
  /** Environment variable that holds the bearer token. */
  readonly apiKeyEnv: string | null
  /** In place of `apiKeyEnv`, where tokens expire. */
  readonly auth?: AuthCommand
  readonly tls?: TlsFiles
  /** For AWS. @default none */
  readonly signing?: AwsSigning
  /** This target's own part of {@link RequestSettings}. */
  readonly request?: Pick<RequestSettings, 'body' | 'omit' | 'maxTokensField'>
}

/** The built-in simulator, which is started when the first request is near. */
export interface SimulatedTarget extends TargetBase {
  readonly kind: 'simulated'
  /** Name of a profile in `fixtures/profiles/`, or the path of a profile file. */
  readonly profile: string
  /** Provider waits and timeouts are divided by this. */
  readonly timeScale: number
}

export type TargetSpec = RealTarget | SimulatedTarget

/** One message of a conversation, as every provider understands it. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** What a prompt function is given. */
export interface PromptContext {
  /** Fresh in every request, so that no prefix is cached. */
  readonly nonce: string
  readonly round: number
  readonly target: string
  readonly prompt: string
  /** Seeded: uniform in [0, 1). */
  readonly random: () => number
}

/** A prompt, ready to be sent; `labels` go to the CSV (the line of a `jsonl` pick, for one). */
export interface RenderedPrompt {
  readonly messages: readonly Message[]
  readonly labels?: Readonly<Record<string, string>>
}

/** A prompt generator as made by `text()`, `opsNotes()` and the others. Lives in the spec worker. */
export interface PromptSource {
  readonly kind: 'ops-notes' | 'text' | 'file' | 'messages' | 'jsonl' | 'function'
  /** What the plan's hash knows of it: options and content, or a function's source text. */
  readonly fingerprint: string
  /** May throw; the run then ends with `PROMPT_FAILED`, naming the prompt. */
  readonly render: (context: PromptContext) => RenderedPrompt | Promise<RenderedPrompt>
}

/** What crosses threads in place of a {@link PromptSource}. */
export interface PromptPlan {
  readonly name: string
  readonly kind: PromptSource['kind']
  readonly fingerprint: string
}

export interface SchedulePlan {
  /** Milliseconds between grid points; 0: back to back. */
  readonly everyMs: number
  /** One of `rounds` and `forMs` is a number, the other `null`. */
  readonly rounds: number | null
  readonly forMs: number | null
  /** `null`: drawn per run, and recorded. */
  readonly seed: number | null
}

/** One `probe()` call, checked, plain JSON. */
export interface Probe {
  readonly name: string
  /** Spec file, relative to the project's root. */
  readonly file: string
  readonly targets: readonly TargetSpec[]
  readonly prompts: readonly PromptPlan[]
  readonly request: RequestSettings
  readonly schedule: SchedulePlan
  /** Discarded requests per target before the first round. */
  readonly warmup: number
  readonly labels: Readonly<Record<string, string>>
}
