import type { CellKey } from '../budget/types.ts'
import { messageOf } from '../errors.ts'
import { budgetHistory, buildReport, writeReports } from '../report/index.ts'
import type { Note, RunSummary } from '../report/types.ts'
import type { RunStart, Sample } from '../sample/types.ts'
import { isoTime } from '../units.ts'
import { judgeAll } from '../verdict/index.ts'
import type { Finding } from '../verdict/types.ts'
import { isPassing } from './baselines.ts'
import { earlierRows } from './earlier-runs.ts'
import { judgeInput } from './judge-input.ts'
import type { RunMaterial } from './judge-input.ts'
import { cellsOf, currenciesOf, hasSimulated, inCell, isAborted, selectedCases } from './selected.ts'
import type { SessionOptions, SessionResult, StopReason } from './session-types.ts'

/** What the sampling of a run came to. */
export interface Sampled {
  /** When its first line was written; absent where that never came. */
  readonly startedAt?: string
  /** All of the run, those of earlier sittings first. */
  readonly samples: readonly Sample[]
  readonly missedRounds: number
  /** `null`: the schedule was done. */
  readonly reason: StopReason | null
  /** What went wrong, for a reason of ours. */
  readonly message: string | null
  /** Every verdict was certain: what is missing was not needed. */
  readonly stoppedEarly?: boolean
}

const STOPPED: Readonly<Record<StopReason, string>> = {
  decided: 'every verdict is certain: the run ended early',
  interrupted: 'interrupted: the reports hold what was sampled until then; the next run of the same plan goes on',
  'max-cost': 'maxCost is reached: the run ended early',
  'cannot-heal': 'no request can succeed as things are: the run ended early',
  'write-failed': 'a sample could not be written: the run ended early',
  'prober-died': 'the prober died: the run ended early',
  'no-credential': 'a credential could not be renewed: the run ended early; the next run of the same plan goes on',
  'prompt-failed': 'a prompt could not be made: the run ended early',
  'worker-died': 'the spec worker died: the run ended early',
}

/** The gate did its work: what was sampled decides. */
const STOPPED_WELL: ReadonlySet<StopReason> = new Set(['max-cost', 'cannot-heal'])

function earlyNotes({ stoppedEarly, samples }: Sampled, planned: number | null): readonly Note[] {
  if (stoppedEarly !== true) return []
  const message = `stopped early after ${samples.length} of ${planned ?? '?'} requests: no missing one could change a verdict; the run serves no window and no baseline`
  return [{ code: 'stopped-early', message }]
}

function endNotes(sampled: Sampled): readonly Note[] {
  const { missedRounds, reason, message } = sampled
  const missed = `${missedRounds} grid points passed while a round still ran, or nothing did: counted, not made up for`
  return [
    ...(missedRounds > 0 ? [{ code: 'missed-rounds', message: missed }] : []),
    ...(reason === null
      ? []
      : [{ code: reason, message: message === null ? STOPPED[reason] : `${STOPPED[reason]} (${message})` }]),
  ]
}

function summaryOf(
  options: SessionOptions,
  start: RunStart,
  sampled: Sampled,
  samples: readonly Sample[],
  simulated: boolean,
): RunSummary {
  const scales = [...new Set(samples.flatMap((each) => (each.simulated === undefined ? [] : [each.simulated])))]
  return {
    id: start.run_id,
    startedAt: sampled.startedAt ?? start.started_at,
    endedAt: isoTime(options.clock.wall()),
    planned: start.planned,
    sampled: samples.length,
    missedRounds: sampled.missedRounds,
    complete: sampled.reason === null,
    interrupted: sampled.reason === 'interrupted',
    ...(sampled.stoppedEarly === true ? { stoppedEarly: true } : {}),
    simulated,
    ...(scales.length === 1 && scales[0] !== undefined ? { timeScale: scales[0] } : {}),
    timezone: options.budgets.parsed.file.timezone,
  }
}

function exitOf(
  sampled: Sampled,
  unwritten: boolean,
  findings: readonly Finding[],
  cells: readonly CellKey[],
): 0 | 2 | 130 {
  const { reason, samples } = sampled
  if (reason === 'interrupted') return 130
  if (unwritten || findings.some((each) => each.broken)) return 2
  if (reason !== null) return STOPPED_WELL.has(reason) ? 0 : 2
  return cells.every((cell) => samples.some((each) => inCell(each, cell) && !isAborted(each))) ? 0 : 2
}

/** What a run comes to its end with. */
export interface RunToEnd extends RunMaterial {
  readonly sampled: Sampled
  readonly earlierNotes: readonly Note[]
}

/** Judges what was sampled, writes the end of the run and the reports. What cannot be written is named, and nothing throws. */
export async function endRun({
  options,
  store,
  probes,
  start,
  sampled,
  baselines,
  earlierNotes,
}: RunToEnd): Promise<Extract<SessionResult, { kind: 'done' }>> {
  const samples = sampled.samples.filter((each) => !isAborted(each))
  const cells = cellsOf(probes)
  const notes = [...earlierNotes, ...endNotes(sampled), ...earlyNotes(sampled, start.planned)]
  const cutShort = sampled.reason !== null
  const material = { options, store, probes, start, baselines }
  const currencies = currenciesOf(probes)
  const cases = selectedCases(options.budgets.parsed.file, probes)
  const input = judgeInput(material, samples, cutShort)
  const findings = judgeAll(cases, input)
  const nights = earlierRows({ rows: store.rows(), lines: store.runLines() }, start.run_id)
  const history = budgetHistory(cases, { ...input, earlier: nights }, findings)
  const run = summaryOf(options, start, sampled, samples, hasSimulated(probes))
  const report = buildReport({ run, findings, samples, cells, currencies, notes, history })
  const failed: { file: string; message: string }[] = []
  if (sampled.reason === 'write-failed') failed.push({ file: 'samples.csv', message: sampled.message ?? 'not written' })
  try {
    await store.appendRunLine({
      type: 'end',
      run_id: start.run_id,
      ended_at: run.endedAt,
      sampled: samples.length,
      missed_rounds: sampled.missedRounds,
      complete: sampled.reason === null,
      interrupted: sampled.reason === 'interrupted',
      ...(sampled.stoppedEarly === true ? { stopped_early: true } : {}),
      passed: isPassing(findings, sampled.reason === null),
      ...(sampled.reason === null ? {} : { reason: sampled.reason }),
      notes,
    })
  } catch (error) {
    failed.push({ file: 'runs.jsonl', message: messageOf(error) })
  }
  const files = await writeReports(report, options.outDir, { junit: options.junit, samples })
  failed.push(...files.failed)
  return {
    kind: 'done',
    outcome: { samples, findings, interrupted: cutShort },
    report,
    reason: sampled.reason,
    written: files.written,
    failed,
    exit: exitOf(sampled, failed.length > 0, findings, cells),
  }
}
