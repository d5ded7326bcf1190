import { startProber } from '../probe/index.ts'
import type { InspectedTarget, Prober, TargetProblem } from '../probe/types.ts'
import { buildReport } from '../report/index.ts'
import type { Note } from '../report/types.ts'
import { openSampleStore } from '../sample/index.ts'
import type { SampleStore } from '../sample/index.ts'
import { createSlotQueue } from '../schedule/index.ts'
import type { SlotQueue } from '../schedule/index.ts'
import { profileNames, startSimulator } from '../simulator/index.ts'
import type { Simulator } from '../simulator/index.ts'
import { isoTime } from '../units.ts'
import { readBaselineFiles } from './baselines.ts'
import type { Baselines } from './baselines.ts'
import { createEarlyEnd } from './early-end.ts'
import { readEarlierRuns } from './earlier-runs.ts'
import type { CollectedPlan } from './messages.ts'
import { watchHope } from './hopeless.ts'
import { preflight } from './preflight.ts'
import type { Preflight } from './preflight.ts'
import { refusalText } from './refusal.ts'
import { endRun } from './run-end.ts'
import type { Sampled } from './run-end.ts'
import { identify } from './run-identity.ts'
import type { RunIdentity } from './run-identity.ts'
import { createTracker } from './run-tracker.ts'
import { sampleAll, stopReasonOf, warmUp } from './sampling.ts'
import type { SamplingContext } from './sampling.ts'
import { cellsOf, hasSimulated, scheduledProbes } from './selected.ts'
import type { Session, SessionOptions, SessionResult, StopReason } from './session-types.ts'

/**
 * Nothing was selected: nothing is asked, nothing is written. Where probes were asked for by name and a filter took them all away, that is no
 * pass; with `SLO_RUN=1` the filter may have meant other tests, and a shard may be without any.
 */
function emptyResult(options: SessionOptions, plan: CollectedPlan, notes: readonly Note[]): SessionResult {
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
  const outcome = { samples: [], findings: [], interrupted: false }
  const meantProbes = plan.narrowed && !options.environment.run && !options.sharded
  return { kind: 'done', outcome, report, reason: null, written: [], failed: [], exit: meantProbes ? 2 : 0 }
}

function refused(error: unknown): SessionResult {
  return { kind: 'refused', message: `nothing was asked: ${refusalText(error)}\n` }
}

/** Runs one check: what is selected is sampled on schedule, judged, and reported. */
export function createSession(options: SessionOptions): Session {
  const { clock, printer } = options
  const controller = new AbortController()
  let prober: Prober | undefined

  const stop = (reason: StopReason): void => {
    if (controller.signal.aborted) return
    controller.abort(reason)
    prober?.abort()
  }

  /** Started when it is first needed, closed at the end. */
  function theProber(): Prober {
    prober ??= startProber()
    if (controller.signal.aborted) prober.abort()
    return prober
  }

  async function inspect(targets: readonly InspectedTarget[]): Promise<readonly TargetProblem[]> {
    const inspector = theProber()
    // what is stopped before it has begun would not be cut
    await inspector.ready
    return controller.signal.aborted ? [] : await inspector.inspect(targets)
  }

  /** The line that opens the run, or this sitting of it, and the queue of what is to be asked. */
  async function open(
    store: SampleStore,
    checked: Preflight,
    identity: RunIdentity,
  ): Promise<{ readonly queue: SlotQueue; readonly startedAt: string }> {
    const { start, present, resumed } = identity
    const scheduled = scheduledProbes(checked.probes, start.seeds)
    const now = clock.wall()
    if (resumed === null) {
      await store.appendRunLine({ ...start, started_at: isoTime(now) })
      return { queue: createSlotQueue(scheduled, { startedAt: now }), startedAt: isoTime(now) }
    }
    await store.appendRunLine({
      type: 'resume',
      run_id: start.run_id,
      resumed_at: isoTime(now),
      present: present.length,
    })
    const startedAt = Date.parse(start.started_at)
    const queue = createSlotQueue(scheduled, {
      startedAt,
      resume: present,
      resumedAt: now,
      nextSeq: resumed.nextSeq,
    })
    return { queue, startedAt: start.started_at }
  }

  async function sample(
    store: SampleStore,
    checked: Preflight,
    identity: RunIdentity,
    simulator: Simulator | null,
    baselines: Baselines,
    notes: Note[],
  ): Promise<Sampled> {
    const { start, present } = identity
    if (controller.signal.aborted)
      return { samples: present, missedRounds: 0, ...stopReasonOf(null, controller.signal) }
    const isCertain = createEarlyEnd({ options, store, probes: checked.probes, start, baselines })
    const asker = theProber()
    const context: SamplingContext = {
      options,
      runId: start.run_id,
      plan: start.plan,
      probes: checked.probes,
      seeds: start.seeds,
      baseUrls: checked.baseUrls,
      simulatorUrl: simulator?.url ?? null,
      prober: asker,
      signal: controller.signal,
    }
    try {
      await asker.ready
      for (const note of await warmUp(context)) say(notes, note)
      const { queue, startedAt } = await open(store, checked, identity)
      const tracker = createTracker(options, checked.probes, { queue, startedAt: Date.parse(startedAt), present })
      const hope = watchHope(cellsOf(checked.probes).length)
      let hopeless = present.map((each) => hope.add(each)).at(-1) ?? null
      tracker.begin()
      const ended = await sampleAll(
        context,
        queue,
        (each) => store.append(each),
        (each) => {
          tracker.add(each)
          hopeless = hope.add(each)
          if (hopeless !== null && tracker.samples().length !== queue.planned) stop('cannot-heal')
          if (options.maxCost !== null && (tracker.cost() ?? 0) >= options.maxCost) stop('max-cost')
          else if (isCertain?.(tracker.samples()) === true) stop('decided')
        },
      )
      printer.end()
      if (ended.reason === 'decided') {
        const sampled = { startedAt, samples: tracker.samples(), missedRounds: queue.missedRounds() }
        return { ...sampled, reason: null, message: null, stoppedEarly: true }
      }
      const message = ended.reason === 'cannot-heal' ? hopeless : ended.message
      return { startedAt, samples: tracker.samples(), missedRounds: queue.missedRounds(), ...ended, message }
    } catch (error) {
      return { samples: present, missedRounds: 0, ...stopReasonOf(error, controller.signal) }
    }
  }

  function say(notes: Note[], note: Note): void {
    notes.push(note)
    printer.say(`slo  note: ${note.message}`)
  }

  async function runWith(
    store: SampleStore,
    checked: Preflight,
    baselines: Baselines,
    notes: Note[],
  ): Promise<SessionResult> {
    for (const note of store.notes) say(notes, note)
    let identity: RunIdentity
    try {
      identity = identify(options, store, checked.probes)
    } catch (error) {
      return refused(error)
    }
    const { start, present, resumed } = identity
    if (resumed !== null) {
      const total = start.planned === null ? '' : ` of ${start.planned}`
      const message = `run ${start.run_id} goes on: ${present.length}${total} samples are there (SLO_FRESH=1 starts anew)`
      say(notes, { code: 'resumed', message })
    }
    let simulator: Simulator | null
    try {
      simulator = hasSimulated(checked.probes) && !controller.signal.aborted ? await startSimulator() : null
    } catch (error) {
      return refused(error)
    }
    try {
      const sampled = await sample(store, checked, identity, simulator, baselines, notes)
      return await endRun({ options, store, probes: checked.probes, start, sampled, baselines, earlierNotes: notes })
    } finally {
      await simulator?.stop()
    }
  }

  async function checkAndRun(plan: CollectedPlan): Promise<SessionResult> {
    const { budgets, environment, variables, narrowed, maxCost } = options
    const profiles = environment.simulate ? profileNames() : []
    const earlier = await readEarlierRuns(options.outDir, budgets.parsed.file)
    const { baselines, problems: baselineProblems } = await readBaselineFiles(budgets)
    const checked = await preflight({
      plan,
      budgets,
      environment,
      variables,
      profiles,
      narrowed,
      maxCost,
      earlier,
      baselineProblems,
      inspect,
      now: clock.wall(),
    })
    if (checked.refusal !== null) return { kind: 'refused', message: checked.refusal }
    const notes: Note[] = []
    for (const { code, message, hint } of checked.notes) {
      say(notes, { code, message: hint === undefined ? message : `${message} (${hint})` })
    }
    if (cellsOf(checked.probes).length === 0) return emptyResult(options, plan, notes)
    let store: SampleStore
    try {
      store = await openSampleStore(options.outDir, { clock })
    } catch (error) {
      return refused(error)
    }
    try {
      return await runWith(store, checked, baselines, notes)
    } finally {
      await store.close()
    }
  }

  async function run(plan: CollectedPlan): Promise<SessionResult> {
    try {
      return await checkAndRun(plan)
    } finally {
      await prober?.close()
      prober = undefined
    }
  }

  return { run, stop }
}
