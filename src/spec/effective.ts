import { accessSync, constants } from 'node:fs'
import { SloError } from '../errors.ts'
import type { RunEnvironment } from './environment.ts'
import type { HeaderValue, Probe, RealTarget, SchedulePlan, SimulatedTarget, TargetSpec, TlsFiles } from './types.ts'

/** How much faster than its provider a simulated twin is, unless `SLO_TIME_SCALE` says otherwise. */
const TWIN_TIME_SCALE = 100

/** Protocols that the simulator speaks; twins of others speak the first. */
const PRACTISED = ['openai-chat', 'openai-completions', 'openai-responses', 'anthropic-messages', 'gemini', 'cohere']

function scheduleOf(plan: SchedulePlan, environment: RunEnvironment): SchedulePlan {
  const { rounds, forMs, everyMs, seed } = environment
  const ends = rounds === null && forMs === null ? { rounds: plan.rounds, forMs: plan.forMs } : { rounds, forMs }
  return { ...ends, everyMs: everyMs ?? plan.everyMs, seed: seed ?? plan.seed }
}

function twinOf(target: TargetSpec, environment: RunEnvironment, profiles: readonly string[]): SimulatedTarget {
  if (target.kind === 'simulated') return { ...target, timeScale: environment.timeScale ?? target.timeScale }
  const { name, model, timeouts, price } = target
  return {
    kind: 'simulated',
    name,
    protocol: PRACTISED.includes(target.protocol) ? target.protocol : 'openai-chat',
    model,
    timeouts,
    price,
    headers: {},
    http: '1.1',
    profile: profiles.includes(name) ? name : 'default',
    timeScale: environment.timeScale ?? TWIN_TIME_SCALE,
  }
}

/**
 * A probe as this run asks it: the environment's schedule, and simulated twins under `SLO_SIMULATE=1`.
 * @param profiles - names of the simulator's profiles; a twin takes the one with its target's name, else `default`
 */
export function effectiveProbe(probe: Probe, environment: RunEnvironment, profiles: readonly string[]): Probe {
  return {
    ...probe,
    schedule: scheduleOf(probe.schedule, environment),
    targets: environment.simulate
      ? probe.targets.map((target) => twinOf(target, environment, profiles))
      : probe.targets,
  }
}

function tlsValues(files: TlsFiles | undefined): readonly HeaderValue[] {
  return Object.values(files ?? {}).filter((value) => value !== undefined)
}

function variablesIn(values: readonly HeaderValue[]): readonly string[] {
  return values.flatMap((value) => (typeof value === 'string' ? [] : [value.env]))
}

function headerVariables(target: RealTarget): readonly string[] {
  const named = variablesIn([...Object.values(target.headers), target.baseUrl])
  const { apiKeyEnv, signing } = target
  const signed = signing === undefined ? [] : [signing.accessKeyIdEnv, signing.secretAccessKeyEnv]
  return [...(apiKeyEnv === null ? signed : [apiKeyEnv]), ...named]
}

type Variables = Readonly<Record<string, string | undefined>>

// oxlint-disable-next-line no-control-regex -- control characters are what a header must not have
const NOT_IN_A_HEADER = /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/

/** A variable that is not fit for its use, with the targets that need it. */
export interface VariableProblem {
  readonly name: string
  readonly neededBy: readonly string[]
}

/** Variables that the probes name and the environment does not have. */
export function missingVariables(probes: readonly Probe[], variables: Variables): readonly VariableProblem[] {
  const named = (target: RealTarget): readonly string[] => [
    ...headerVariables(target),
    ...variablesIn(tlsValues(target.tls)),
  ]
  return variablesWhere(probes, named, (name) => (variables[name] ?? '').trim() === '')
}

/** Variables whose value no header can hold: a line break at the end of a key, as a rule. The value is not told. */
export function unusableVariables(probes: readonly Probe[], variables: Variables): readonly VariableProblem[] {
  return variablesWhere(probes, headerVariables, (name) => NOT_IN_A_HEADER.test(variables[name] ?? ''))
}

function variablesWhere(
  probes: readonly Probe[],
  named: (target: RealTarget) => readonly string[],
  isWrong: (name: string) => boolean,
): readonly VariableProblem[] {
  const needed = new Map<string, Set<string>>()
  for (const probe of probes) {
    for (const target of probe.targets) {
      if (target.kind === 'simulated') continue
      for (const variable of named(target)) {
        if (!isWrong(variable)) continue
        needed.set(variable, (needed.get(variable) ?? new Set()).add(`${probe.name}/${target.name}`))
      }
    }
  }
  return [...needed].map(([variable, by]) => ({ name: variable, neededBy: [...by] }))
}

/** Files of `tls` that the prober could not read, with the target that names each. */
export function unreadableFiles(
  probes: readonly Probe[],
): readonly { readonly file: string; readonly neededBy: string }[] {
  return probes.flatMap((probe) =>
    probe.targets.flatMap((target) =>
      (target.kind === 'simulated' ? [] : tlsValues(target.tls)).flatMap((value) =>
        typeof value !== 'string' || isReadable(value)
          ? []
          : [{ file: value, neededBy: `${probe.name}/${target.name}` }],
      ),
    ),
  )
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/**
 * The base URL of a real target, read from the environment where the spec says so.
 * @throws SloError `CONFIG_INVALID` where it is no http(s) URL
 */
export function baseUrlOf(target: RealTarget, variables: Readonly<Record<string, string | undefined>>): string {
  if (typeof target.baseUrl === 'string') return target.baseUrl
  const url = URL.parse((variables[target.baseUrl.env] ?? '').trim())
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '') return url.href.replace(/\/+$/, '')
  throw new SloError('CONFIG_INVALID', `${target.baseUrl.env} is no http(s) URL (target ${target.name})`, {
    hint: `set it to what the provider calls its base URL, as https://inference.example/v1`,
  })
}
