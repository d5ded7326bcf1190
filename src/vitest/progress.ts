import type { Sample } from '../sample/types.ts'
import { quantile, sortSamples } from '../statistics/index.ts'
import { formatMs, trim } from '../units.ts'

/** What the progress shows; fed by the coordinator, drawn by {@link progressBlock} and {@link progressLine}. */
export interface ProgressState {
  readonly planned: number | null
  readonly done: number
  readonly failed: number
  /** Largest number of rounds of any probe; `null` where the clock ends the run. */
  readonly rounds: number | null
  /** Round that is asked, from 1. */
  readonly round: number
  readonly missedRounds: number
  /** Wall-clock milliseconds of the run so far, in this sitting. */
  readonly elapsedMs: number
  readonly etaMs: number | null
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
  /** Milliseconds, ok samples. */
  readonly ttft: readonly number[]
}

function percentiles(values: readonly number[]): string {
  const sorted = sortSamples(values)
  if (sorted === undefined) return 'ttft –'
  return `ttft p50 ${formatMs(quantile(sorted, 0.5))}  p99 ${formatMs(quantile(sorted, 0.99))}`
}

function outcomeOf(sample: Sample): string {
  if (sample.outcome === 'error')
    return sample.status === undefined ? sample.error_kind : `${sample.error_kind} ${sample.status}`
  return [
    sample.ttft_ms === undefined ? 'no token' : `ttft ${formatMs(sample.ttft_ms)}`,
    ...(sample.decode_tps === undefined ? [] : [`${trim(sample.decode_tps, 1)} tok/s`]),
  ].join('  ')
}

/** No more precise than a guess is. */
function formatEta(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 100) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}

function headline(state: ProgressState): string {
  const { planned, done, failed, rounds, round, missedRounds, etaMs, cost, currency } = state
  return [
    `round ${round}${rounds === null ? '' : `/${rounds}`}`,
    `${done}${planned === null ? '' : `/${planned}`} requests`,
    `${failed} failed`,
    ...(missedRounds > 0 ? [`${missedRounds} rounds missed`] : []),
    ...(etaMs === null ? [] : [`ETA ${formatEta(etaMs)}`]),
    ...(cost === null ? [] : [`cost ${trim(cost, 4)} ${currency ?? ''}`.trim()]),
    ...(state.simulated ? ['SIMULATED'] : []),
  ].join(' · ')
}

/** The run in one line, for logs. */
export function progressLine(state: ProgressState): string {
  const last = state.last === null ? '' : ` · last ${state.last.target}/${state.last.prompt} ${outcomeOf(state.last)}`
  const running = state.targets.map((each) => `${each.name} ${percentiles(each.ttft)}`).join(' · ')
  return `slo  ${headline(state)}${last}${running === '' ? '' : ` · ${running}`}`
}

/** The run in a few lines, for a terminal that is `columns` wide. */
export function progressBlock(state: ProgressState, columns: number): readonly string[] {
  const width = Math.max(4, ...state.targets.map((each) => each.name.length))
  const last = state.last === null ? '' : `${state.last.target}/${state.last.prompt}  ${outcomeOf(state.last)}`
  return [
    `slo   ${headline(state)}`,
    `last  ${last}`,
    ...state.targets.map(
      (each) =>
        `      ${each.name.padEnd(width)}  n ${String(each.n).padStart(4)}  ${percentiles(each.ttft)}  ${each.failed} failed`,
    ),
  ].map((line) => (line.length < columns ? line : `${line.slice(0, Math.max(0, columns - 2))}…`))
}
