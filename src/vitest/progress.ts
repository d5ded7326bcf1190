import type { Paint, Style } from '../colour.ts'
import type { Sample } from '../sample/types.ts'
import { quantile, sortSamples } from '../statistics/index.ts'
import { formatMs, formatRatio, trim } from '../units.ts'

/** What the progress shows; fed by the coordinator, drawn by `progressBlock` and {@link progressLine}. */
export interface ProgressState {
  readonly planned: number | null
  readonly done: number
  readonly failed: number
  /** Largest number of rounds of any probe; `null` where the clock ends the run. */
  readonly rounds: number | null
  /** Round that is asked, from 1. */
  readonly round: number
  readonly missedRounds: number
  /** Wall-clock milliseconds; `null` where nobody can say yet. */
  readonly endsAt: number | null
  /** Wall-clock milliseconds; `null` where the run does not wait for a round. */
  readonly nextRoundAt: number | null
  readonly cost: number | null
  readonly currency: string | null
  readonly simulated: boolean
  readonly last: Sample | null
  readonly targets: readonly TargetProgress[]
}

export interface TargetProgress {
  readonly name: string
  readonly n: number
  readonly failed: number
  /** Milliseconds, ok samples, as they came. */
  readonly ttft: readonly number[]
}

/** A piece of text that is shown in one style. */
export interface Part {
  readonly text: string
  readonly style?: Style
}

/** `1 round`, `2 rounds`. */
export const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

/** No more precise than a guess is. */
function formatLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  if (seconds < 100) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}

/** What a request came to, in a few words. */
export function outcomeOf(sample: Sample): Part {
  if (sample.outcome === 'error')
    return { text: [sample.error_kind, sample.status ?? []].flat().join(' '), style: 'red' }
  const ttft = sample.ttft_ms === undefined ? 'no token' : `ttft ${formatMs(sample.ttft_ms)}`
  return { text: sample.decode_tps === undefined ? ttft : `${ttft}  ${trim(sample.decode_tps, 1)} tok/s` }
}

/** What is told of the whole run. */
export function headline(state: ProgressState, now: number): readonly Part[] {
  const { planned, done, failed, rounds, round, missedRounds, endsAt, nextRoundAt, cost, currency } = state
  return [
    { text: `${done}${planned === null ? '' : `/${planned}`} requests`, style: 'bold' },
    { text: `round ${round}${rounds === null ? '' : `/${rounds}`}` },
    ...(endsAt === null || done === planned ? [] : [{ text: `ETA ${formatLeft(endsAt - now)}` }]),
    failed === 0 ? { text: '0 failed' } : { text: `${failed} failed (${formatRatio(failed / done)})`, style: 'red' },
    ...(missedRounds > 0 ? [{ text: `${counted(missedRounds, 'round')} missed`, style: 'yellow' } as const] : []),
    ...(nextRoundAt !== null && nextRoundAt > now
      ? [{ text: `next round in ${formatLeft(nextRoundAt - now)}`, style: 'dim' } as const]
      : []),
    ...(cost === null ? [] : [{ text: `cost ${trim(cost, 4)} ${currency ?? ''}`.trim() }]),
    ...(state.simulated ? [{ text: 'SIMULATED', style: 'yellow' } as const] : []),
  ]
}

/** The part as the stream shows it. */
export const painted = (paint: Paint, { text, style }: Part): string =>
  style === undefined ? text : paint(style, text)

/** The run in one line, for logs. */
export function progressLine(state: ProgressState, now: number, paint: Paint): string {
  const { last, targets } = state
  const running = targets.map(({ name, ttft }) => {
    const sorted = sortSamples(ttft)
    if (sorted === undefined) return `${name} ttft –`
    return `${name} ttft p50 ${formatMs(quantile(sorted, 0.5))} p99 ${formatMs(quantile(sorted, 0.99))}`
  })
  const told = [
    ...headline(state, now).map((part) => painted(paint, part)),
    ...(last === null ? [] : [`last ${last.target}/${last.prompt} ${painted(paint, outcomeOf(last))}`]),
    ...running,
  ]
  return `slo  ${told.join(' · ')}`
}
