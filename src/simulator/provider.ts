import { createHash } from 'node:crypto'
import type { Dialect, ScriptContext } from './dialects/types.ts'
import { drawAt, neutralPoint, pointsOf, promptTokensOf } from './draw.ts'
import type { Draw } from './draw.ts'
import { faultNames, faults, faultsOfAnyDialect } from './faults.ts'
import { FaultCounter, commonParams, parseFaultOrder } from './fault-order.ts'
import type { FaultOrder } from './fault-order.ts'
import { defaultProfile, loadProfile, profileNames } from './profile.ts'
import type { Profile } from './profile.ts'
import { BadRequest, wordsOf } from './request.ts'
import type { ChatBody, Control } from './request.ts'
import { healthyScript } from './script.ts'
import type { Script } from './script.ts'

/** A warm-up answers in so few tokens, whatever its cap. */
const WARMUP_TOKENS = 16

/** A request's place on the wire. */
export interface Arrival {
  readonly authorization: string
  readonly reusedSocket: boolean
  readonly http: '1.1' | '2'
  readonly dialect: Dialect
}

/** Decides what each request gets: profile, draw, faults. Knows no sockets. */
export class Provider {
  readonly #seed: number
  readonly #profilesDir: string | undefined
  readonly #profiles = new Map<string, Profile>()
  readonly #counters = new Map<string, number>()
  readonly #faultCounter = new FaultCounter()

  constructor(options: { readonly seed: number; readonly profilesDir?: string | undefined }) {
    this.#seed = options.seed
    this.#profilesDir = options.profilesDir
  }

  /**
   * @throws BadRequest for an unknown fault
   * @throws SimulatorError `PROFILE_INVALID`
   */
  answer(
    body: ChatBody,
    control: Control,
    arrival: Arrival,
  ): { readonly script: Script; readonly draw: Draw; readonly context: ScriptContext } {
    const profile = this.#profileFor(control.profile ?? body.model, control.profile !== null)
    const promptTokens = promptTokensOf(profile, wordsOf(body))
    const cell = control.cell ?? `direct/${profile.name}/${promptTokens}`
    const seed = control.seed ?? this.#seed
    const k = control.warmup ? -1 : (control.k ?? this.#next(cell))
    const cap = body.max_completion_tokens ?? body.max_tokens ?? null
    const draw = control.warmup
      ? drawAt(profile, neutralPoint, promptTokens, Math.min(cap ?? WARMUP_TOKENS, WARMUP_TOKENS))
      : drawAt(profile, pointsOf({ seed, cell, k }), promptTokens, cap)
    const context: ScriptContext = {
      id: `slo-sim-${createHash('sha256').update(`${seed}\n${cell}\n${k}`).digest('hex').slice(0, 16)}`,
      model: body.model,
      includeUsage: body.stream_options?.include_usage === true,
      created: Math.floor(Date.now() / 1000),
    }
    const healthy = healthyScript(draw, context, profile, arrival.dialect)
    const script = this.#withOwnError(healthy, draw, arrival, body.model)
    const order = body.slo_fault ?? control.fault
    if (order === null || order.trim() === '') return { script, draw, context }
    const fault = parseFaultOrder(order)
    checkFault(fault, arrival)
    const moment = { k: control.warmup ? null : k, warmup: control.warmup, reusedSocket: arrival.reusedSocket }
    if (!this.#faultCounter.strikes(fault, moment)) return { script, draw, context }
    // A fault that is asked for takes the place of the profile's own failures, so that tests get what they asked for.
    return { script: applyFault(fault, healthy, arrival, body.model), draw, context }
  }

  #withOwnError(script: Script, draw: Draw, arrival: Arrival, model: string): Script {
    if (draw.error === null) return script
    const order = parseFaultOrder(draw.error.fault)
    checkFault(order, arrival)
    return applyFault(order, { ...script, headersAt: draw.error.afterMs }, arrival, model)
  }

  #next(cell: string): number {
    const k = this.#counters.get(cell) ?? 0
    this.#counters.set(cell, k + 1)
    return k
  }

  #profileFor(name: string, named: boolean): Profile {
    const known = this.#profiles.get(name)
    if (known !== undefined) return known
    // A client without our headers may name any model; only a profile that was asked for must exist.
    const exists = named || profileNames(this.#profilesDir).includes(name)
    const profile = loadProfile(exists ? name : defaultProfile, this.#profilesDir)
    this.#profiles.set(name, profile)
    return profile
  }
}

function checkFault(order: FaultOrder, { http, dialect }: Arrival): void {
  const fault = faults[order.name]
  if (fault === undefined)
    throw new BadRequest(`there is no fault ${order.name}; the faults are ${faultNames.join(', ')}`)
  if (dialect.name !== 'openai-chat' && !faultsOfAnyDialect.includes(order.name))
    throw new BadRequest(`fault ${order.name} is for chat completions only, not ${dialect.name}`)
  if (fault.http !== undefined && fault.http !== http)
    throw new BadRequest(`fault ${order.name} is for HTTP/${fault.http}, not ${http}`)
  const allowed = [...Object.keys(fault.params ?? {}), ...Object.keys(commonParams)]
  for (const param of Object.keys(order.params)) {
    if (!allowed.includes(param)) throw new BadRequest(`fault ${order.name} takes ${allowed.join(', ')}, not ${param}`)
  }
}

function applyFault(order: FaultOrder, script: Script, arrival: Arrival, model: string): Script {
  const fault = faults[order.name]
  if (fault === undefined) return script
  return fault.apply(script, {
    authorization: arrival.authorization,
    model,
    text: (name, fallback) => order.params[name] ?? fallback,
    number: (name, fallback) => {
      const value = order.params[name]
      if (value === undefined) return fallback
      if (value === '' || !Number.isFinite(Number(value)))
        throw new BadRequest(`fault ${order.name}: ${name} is not a number`)
      return Number(value)
    },
  })
}
