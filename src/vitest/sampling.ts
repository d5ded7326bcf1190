import { SloError } from '../errors.ts'
import type { Prober } from '../probe/types.ts'
import type { Sample, Slot } from '../sample/types.ts'
import { freshNonce } from '../schedule/index.ts'
import type { SlotQueue } from '../schedule/index.ts'
import type { RealTarget, TargetSpec } from '../spec/types.ts'
import type { Note } from '../report/types.ts'
import type { SelectedProbe } from './messages.ts'
import { targetKey } from './preflight.ts'
import type { SessionOptions, StopReason } from './session-types.ts'

/** A prompt that takes longer will not come. */
const LONGEST_RENDERING_MS = 120_000

/** The prompt, unless the run is stopped meanwhile (the prober cuts only what is in flight) or it takes too long. */
async function inTime<T>(context: SamplingContext, rendering: Promise<T>, name: string): Promise<T> {
  const { signal, options } = context
  const done = new AbortController()
  const either = AbortSignal.any([signal, done.signal])
  const late = options.clock.sleep(LONGEST_RENDERING_MS, either).then(() => {
    throw new SloError('PROMPT_FAILED', `prompt ${name} was not made within ${LONGEST_RENDERING_MS / 1000} s`)
  })
  try {
    const made = await Promise.race([rendering, late])
    signal.throwIfAborted()
    return made
  } finally {
    done.abort(new Error('the prompt is there'))
    late.catch(() => undefined)
  }
}

/** What the loop needs beside the options. */
export interface SamplingContext {
  readonly options: SessionOptions
  readonly runId: string
  readonly plan: string
  readonly probes: readonly SelectedProbe[]
  readonly seeds: Readonly<Record<string, number>>
  readonly baseUrls: ReadonlyMap<string, string>
  readonly simulatorUrl: string | null
  readonly prober: Prober
  /** Aborted when the run must end; its reason is a {@link StopReason}. */
  readonly signal: AbortSignal
}

/** Longest single wait, so that a wall clock that jumps is noticed. */
const LONGEST_WAIT_MS = 1000

/** Asks one slot: prompt first, then the request. */
export async function askSlot(context: SamplingContext, slot: Slot, warmup: boolean): Promise<Sample> {
  const { options, prober, baseUrls, simulatorUrl } = context
  const selected = context.probes.find((each) => each.probe.name === slot.probe)
  const target = selected?.probe.targets.find((each) => each.name === slot.target)
  if (selected === undefined || target === undefined)
    throw new SloError('RUNNER_DIED', `slot of an unknown target ${slot.target}`)
  const { probe } = selected
  const seed = context.seeds[probe.name] ?? 0
  const nonce = freshNonce()
  const { target: targetName, prompt, round } = slot
  const rendering = options.render({ probe: probe.name, target: targetName, prompt, round, nonce, seed })
  const rendered = await inTime(context, rendering, `${probe.name}/${prompt}`)
  return prober.ask({
    slot,
    runId: context.runId,
    plan: context.plan,
    target: resolved(target, baseUrls.get(targetKey(probe.name, target.name))),
    baseUrl:
      target.kind === 'simulated'
        ? `${simulatorUrl ?? ''}/v1`
        : (baseUrls.get(targetKey(probe.name, target.name)) ?? ''),
    request: probe.request,
    messages: rendered.messages,
    nonce,
    region: options.environment.region,
    labels: { ...probe.labels, ...rendered.labels },
    simulation:
      target.kind === 'simulated'
        ? {
            cell: [slot.probe, slot.target, slot.prompt].map(encodeURIComponent).join('/'),
            k: slot.round,
            profile: target.profile,
            timeScale: target.timeScale,
            seed,
          }
        : null,
    warmup,
  })
}

function resolved(target: TargetSpec, baseUrl: string | undefined): TargetSpec {
  if (target.kind === 'simulated' || baseUrl === undefined) return target
  return { ...target, baseUrl } satisfies RealTarget
}

/** The discarded requests before the first round; a failed one is a note. */
export async function warmUp(context: SamplingContext): Promise<readonly Note[]> {
  const notes: Note[] = []
  for (const { probe, cells } of context.probes) {
    for (const target of new Set(cells.map((cell) => cell.target))) {
      const prompt = cells.find((cell) => cell.target === target)?.prompt ?? ''
      for (let count = 0; count < probe.warmup && !context.signal.aborted; count += 1) {
        const slot: Slot = { seq: 0, round: 0, probe: probe.name, target, prompt, dueAt: context.options.clock.wall() }
        const sample = await askSlot(context, slot, true)
        if (sample.outcome === 'ok' || sample.error_kind === 'aborted') continue
        const status = sample.status === undefined ? '' : ` ${sample.status}`
        const message = `warm-up request failed: ${sample.error_kind}${status}: ${sample.error_message}`
        notes.push({ code: 'warm-up-failed', message, probe: probe.name, target })
      }
    }
  }
  return notes
}

/** Called with every sample that is on disk. */
export type OnSample = (sample: Sample) => void

async function waitUntil(context: SamplingContext, until: number): Promise<void> {
  const { clock } = context.options
  const ms = Math.min(Math.max(0, until - clock.wall()), LONGEST_WAIT_MS)
  try {
    await clock.sleep(ms, context.signal)
  } catch (error) {
    if (!context.signal.aborted) throw error
  }
}

/** Why a run ends, and the message of what broke. */
export interface Stopped {
  /** `null`: the schedule is done. */
  readonly reason: StopReason | null
  readonly message: string | null
}

/** What an error that ends the sampling means; an error that is not ours is thrown on. */
export function stopReasonOf(error: unknown, signal: AbortSignal): Stopped {
  if (signal.aborted) return { reason: signal.reason as StopReason, message: null }
  if (!(error instanceof SloError)) throw error
  const message = error.hint === undefined ? error.message : `${error.message}; ${error.hint}`
  if (error.code === 'SAMPLES_WRITE_FAILED' || error.code === 'SAMPLES_LOCKED')
    return { reason: 'write-failed', message }
  if (error.code === 'PROBER_FAILED') return { reason: 'prober-died', message }
  if (error.code === 'CREDENTIAL_FAILED') return { reason: 'no-credential', message }
  return { reason: error.code === 'RUNNER_DIED' ? 'worker-died' : 'prompt-failed', message }
}

/**
 * Asks slot after slot until the schedule ends, the run is stopped or something of ours breaks. Each sample is on disk
 * (`append` resolved) before the next request starts.
 */
export async function sampleAll(
  context: SamplingContext,
  queue: SlotQueue,
  append: (sample: Sample) => Promise<void>,
  onSample: OnSample,
): Promise<Stopped> {
  const { clock } = context.options
  let previousEndedAt: number | null = null
  try {
    for (;;) {
      if (context.signal.aborted) return { reason: context.signal.reason as StopReason, message: null }
      const next = queue.next(clock.wall(), previousEndedAt)
      if (next.kind === 'done') return { reason: null, message: null }
      if (next.kind === 'wait') {
        await waitUntil(context, next.until)
        continue
      }
      const sample = await askSlot(context, next.slot, false)
      previousEndedAt = clock.wall()
      await append(sample)
      onSample(sample)
    }
  } catch (error) {
    return stopReasonOf(error, context.signal)
  }
}
