import { budgetCases } from '../budget/index.ts'
import type { BudgetCase, CellKey } from '../budget/types.ts'
import { messageOf } from '../errors.ts'
import { startProber } from '../probe/index.ts'
import { buildReport, writeReports } from '../report/index.ts'
import type { Note, RunReport } from '../report/types.ts'
import { openSampleStore } from '../sample/index.ts'
import type { SampleStore } from '../sample/index.ts'
import type { RunStart, Sample } from '../sample/types.ts'
import {
  createSlotQueue,
  drawSeed,
  findResumable,
  planHash,
  plannedByCell,
  plannedSamples,
  runId as newRunId,
} from '../schedule/index.ts'
import type { ScheduledProbe, SlotQueue } from '../schedule/index.ts'
import { profileNames, startSimulator } from '../simulator/index.ts'
import type { SelectedProbe } from './messages.ts'
import { judgeAll } from '../verdict/index.ts'
import { isoTime } from '../units.ts'
import type { CollectedPlan } from './messages.ts'
import { everyScale, preflight } from './preflight.ts'
import type { Preflight } from './preflight.ts'
import { refusalText } from './refusal.ts'
import { createTracker } from './run-tracker.ts'
import { sampleAll, warmUp } from './sampling.ts'
import type { SamplingContext } from './sampling.ts'
import type { Session, SessionOptions, SessionResult, StopReason } from './session-types.ts'

const HOUR_MS = 3_600_000

interface Currency {
  readonly probe: string
  readonly target: string
  readonly currency: string
}

function currenciesOf(probes: readonly SelectedProbe[]): readonly Currency[] {
  return probes.flatMap(({ probe }) =>
    probe.targets.flatMap((target) =>
      target.price === null ? [] : [{ probe: probe.name, target: target.name, currency: target.price.currency }],
    ),
  )
}

function isAborted(sample: Sample): boolean {
  return sample.outcome === 'error' && sample.error_kind === 'aborted'
}

function inCell(sample: Sample, cell: CellKey): boolean {
  return sample.probe === cell.probe && sample.target === cell.target && sample.prompt === cell.prompt
}

/** The run that goes on, or a new one. */
interface RunIdentity {
  readonly start: RunStart
  readonly present: readonly Sample[]
  /** `null`: a new run. */
  readonly resumed: { readonly nextSeq: number } | null
}

/** Selected budget cases in the order of `slo.yaml`, then of the cells. */
function selectedCases(options: SessionOptions, probes: readonly SelectedProbe[]): readonly BudgetCase[] {
  const { file } = options.budgets.parsed
  const cells = probes.flatMap(({ probe }) =>
    probe.targets.flatMap((target) =>
      probe.prompts.map((prompt) => ({ probe: probe.name, target: target.name, prompt: prompt.name })),
    ),
  )
  const key = (each: CellKey & { readonly budget: string }): string =>
    JSON.stringify([each.budget, each.probe, each.target, each.prompt])
  const wanted = new Set(probes.flatMap((each) => each.cases.map(key)))
  return budgetCases(file, cells).filter((each) => wanted.has(key(each)))
}

function scheduledProbes(
  probes: readonly SelectedProbe[],
  seeds: Readonly<Record<string, number>>,
): readonly ScheduledProbe[] {
  const scale = everyScale(probes.map((each) => each.probe))
  return probes.map(({ probe, cells }) => ({
    probe: probe.name,
    cells,
    everyMs: probe.schedule.everyMs / scale,
    rounds: probe.schedule.rounds,
    forMs: probe.schedule.forMs === null ? null : probe.schedule.forMs / scale,
    seed: seeds[probe.name] ?? 0,
  }))
}

/** Runs one check: what is selected is sampled on schedule, judged, and reported. */
export function createSession(options: SessionOptions): Session {
  const controller = new AbortController()
  let abortRequest: (() => void) | undefined

  const stop = (reason: StopReason): void => {
    if (controller.signal.aborted) return
    controller.abort(reason)
    abortRequest?.()
  }

  async function identify(store: SampleStore, checked: Preflight, cells: readonly CellKey[]): Promise<RunIdentity> {
    const { clock, environment, fresh, resumeWithinMs } = options
    const plan = planHash({ probes: checked.probes.map((each) => each.probe), cells })
    const longest = Math.max(...checked.probes.map((each) => each.probe.schedule.everyMs))
    const now = clock.wall()
    const found = fresh
      ? null
      : findResumable(store.runLines(), store.rows(), {
          plan,
          now,
          resumeWithinMs: resumeWithinMs ?? Math.max(HOUR_MS, 2 * longest),
        })
    if (found !== null) return { start: found.start, present: found.samples, resumed: { nextSeq: found.nextSeq } }
    const seeds = Object.fromEntries(checked.probes.map(({ probe }) => [probe.name, probe.schedule.seed ?? drawSeed()]))
    const scheduled = scheduledProbes(checked.probes, seeds)
    const start: RunStart = {
      type: 'start',
      run_id: newRunId(now),
      plan,
      started_at: isoTime(now),
      seeds,
      planned: plannedSamples(scheduled),
      cells: plannedByCell(scheduled),
      overrides: environment.overrides,
      versions: options.versions,
      currencies: currenciesOf(checked.probes),
    }
    return { start, present: [], resumed: null }
  }

  async function sample(
    store: SampleStore,
    checked: Preflight,
    identity: RunIdentity,
    notes: Note[],
  ): Promise<{ samples: readonly Sample[]; queue: SlotQueue; reason: StopReason | null }> {
    const { clock, printer } = options
    const { start, present } = identity
    const scheduled = scheduledProbes(checked.probes, start.seeds)
    const simulated = checked.probes.some(({ probe }) => probe.targets.some((target) => target.kind === 'simulated'))
    const simulator = simulated ? await startSimulator() : null
    const prober = startProber()
    abortRequest = () => prober.abort()
    try {
      await prober.ready
      const context: SamplingContext = {
        options,
        runId: start.run_id,
        plan: start.plan,
        probes: checked.probes,
        seeds: start.seeds,
        baseUrls: checked.baseUrls,
        simulatorUrl: simulator?.url ?? null,
        prober,
        signal: controller.signal,
      }
      if (!controller.signal.aborted) notes.push(...(await warmUp(context)))
      const startedAt = identity.resumed !== null ? Date.parse(start.started_at) : clock.wall()
      if (identity.resumed !== null) {
        await store.appendRunLine({
          type: 'resume',
          run_id: start.run_id,
          resumed_at: isoTime(clock.wall()),
          present: present.length,
        })
      } else await store.appendRunLine({ ...start, started_at: isoTime(startedAt) })
      const queue = createSlotQueue(
        scheduled,
        identity.resumed === null
          ? { startedAt }
          : { startedAt, resume: present, resumedAt: clock.wall(), nextSeq: identity.resumed.nextSeq },
      )
      const tracker = createTracker(options, checked.probes, queue, present)
      tracker.begin()
      const ended = await sampleAll(
        context,
        queue,
        (each) => store.append(each),
        (each) => {
          tracker.add(each)
          if (options.maxCost !== null && (tracker.cost() ?? 0) >= options.maxCost) stop('max-cost')
        },
      )
      printer.end()
      if (ended.message !== null) notes.push({ code: ended.reason ?? 'stopped', message: ended.message })
      return { samples: tracker.samples(), queue, reason: ended.reason }
    } finally {
      abortRequest = undefined
      await Promise.allSettled([prober.close(), simulator?.stop()])
    }
  }

  async function run(plan: CollectedPlan): Promise<SessionResult> {
    const { budgets, environment, variables, printer, clock } = options
    const checked = preflight({
      plan,
      budgets,
      environment,
      variables,
      profiles: environment.simulate ? profileNames() : [],
      narrowed: options.narrowed,
      maxCost: options.maxCost,
    })
    if (checked.refusal !== null) return { kind: 'refused', message: checked.refusal }
    const notes: Note[] = checked.notes.map(({ code, message, hint }) => ({
      code,
      message: hint === undefined ? message : `${message} (${hint})`,
    }))
    for (const note of notes) printer.say(`slo  note: ${note.message}`)
    const cells = checked.probes.flatMap((each) => each.cells)
    if (cells.length === 0) return emptyResult(notes)
    let store: SampleStore
    try {
      store = await openSampleStore(options.outDir, { clock })
    } catch (error) {
      return { kind: 'refused', message: `nothing was asked: ${refusalText(error)}\n` }
    }
    try {
      for (const note of store.notes) {
        notes.push(note)
        printer.say(`slo  note: ${note.message}`)
      }
      const identity = await identify(store, checked, cells)
      const { start, present, resumed } = identity
      const total = start.planned === null ? '' : ` of ${start.planned}`
      if (resumed !== null) {
        const message = `run ${start.run_id} goes on: ${present.length}${total} samples are there (SLO_FRESH=1 starts anew)`
        notes.push({ code: 'resumed', message })
        printer.say(`slo  ${message}`)
      }
      const sampled = await sample(store, checked, identity, notes)
      return await finish(store, checked, identity, sampled, notes)
    } finally {
      await store.close()
    }
  }

  async function finish(
    store: SampleStore,
    checked: Preflight,
    identity: RunIdentity,
    sampled: { readonly samples: readonly Sample[]; readonly queue: SlotQueue; readonly reason: StopReason | null },
    notes: Note[],
  ): Promise<SessionResult> {
    const { clock, budgets, environment, outDir, junit } = options
    const { start } = identity
    const { reason, queue } = sampled
    const samples = sampled.samples.filter((each) => !isAborted(each))
    const cells = checked.probes.flatMap((each) => each.cells)
    const cutShort = reason !== null
    const missed = queue.missedRounds()
    if (missed > 0)
      notes.push({
        code: 'missed-rounds',
        message: `${missed} grid points passed while a round still ran: counted, not made up for`,
      })
    if (reason !== null) notes.push({ code: reason, message: STOPPED[reason] })
    const currencies = currenciesOf(checked.probes)
    const findings = judgeAll(selectedCases(options, checked.probes), {
      samples,
      incomplete: cutShort ? cells.filter((cell) => !samples.some((each) => inCell(each, cell))) : [],
      interrupted: cutShort,
      currencies,
    })
    const endedAt = clock.wall()
    const scales = [...new Set(samples.flatMap((each) => (each.simulated === undefined ? [] : [each.simulated])))]
    const report: RunReport = buildReport({
      run: {
        id: start.run_id,
        startedAt: start.started_at,
        endedAt: isoTime(endedAt),
        planned: start.planned,
        sampled: samples.length,
        missedRounds: missed,
        complete: reason === null,
        interrupted: reason === 'interrupted',
        simulated: scales.length > 0 || environment.simulate,
        ...(scales.length === 1 && scales[0] !== undefined ? { timeScale: scales[0] } : {}),
        timezone: budgets.parsed.file.timezone,
      },
      findings,
      samples,
      cells,
      currencies,
      notes,
    })
    const failed: { file: string; message: string }[] = []
    if (reason === 'write-failed')
      failed.push({
        file: 'samples.csv',
        message: notes.find((note) => note.code === 'write-failed')?.message ?? 'not written',
      })
    try {
      await store.appendRunLine({
        type: 'end',
        run_id: start.run_id,
        ended_at: isoTime(endedAt),
        sampled: samples.length,
        missed_rounds: missed,
        complete: reason === null,
        interrupted: reason === 'interrupted',
        ...(reason === null ? {} : { reason }),
        notes,
      })
    } catch (error) {
      failed.push({ file: 'runs.jsonl', message: messageOf(error) })
    }
    const { written, failed: unwritten } = await writeReports(report, outDir, { junit })
    failed.push(...unwritten)
    return {
      kind: 'done',
      outcome: { samples, findings, interrupted: cutShort },
      report,
      reason,
      written,
      failed,
      exit: exitOf(
        reason,
        failed.length > 0,
        findings.some((each) => each.broken),
        cells,
        samples,
      ),
    }
  }

  function emptyResult(notes: readonly Note[]): SessionResult {
    const now = isoTime(options.clock.wall())
    const report = buildReport({
      run: {
        id: '',
        startedAt: now,
        endedAt: now,
        planned: 0,
        sampled: 0,
        missedRounds: 0,
        complete: true,
        interrupted: false,
        simulated: false,
        timezone: options.budgets.parsed.file.timezone,
      },
      findings: [],
      samples: [],
      cells: [],
      currencies: [],
      notes,
    })
    return {
      kind: 'done',
      outcome: { samples: [], findings: [], interrupted: false },
      report,
      reason: null,
      written: [],
      failed: [],
      exit: 0,
    }
  }

  return { run, stop }
}

const STOPPED: Readonly<Record<StopReason, string>> = {
  interrupted: 'interrupted: the reports hold what was sampled until then; the next run of the same plan goes on',
  'max-cost': 'maxCost is reached: the run ended early',
  'write-failed': 'a sample could not be written: the run ended early',
  'prober-died': 'the prober died: the run ended early',
  'prompt-failed': 'a prompt could not be made: the run ended early',
  'worker-died': 'the spec worker died: the run ended early',
}

function exitOf(
  reason: StopReason | null,
  unwritten: boolean,
  broken: boolean,
  cells: readonly CellKey[],
  samples: readonly Sample[],
): 0 | 2 | 130 {
  if (reason === 'interrupted') return 130
  if (unwritten || broken) return 2
  if (reason !== null) return reason === 'max-cost' ? 0 : 2
  return cells.every((cell) => samples.some((each) => inCell(each, cell))) ? 0 : 2
}
