import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import type { Vitest } from 'vitest/node'
import { systemClock } from '../clock.ts'
import { painter } from '../colour.ts'
import { SloError, messageOf } from '../errors.ts'
import { readEnvironment } from '../spec/index.ts'
import type { RunEnvironment } from '../spec/index.ts'
import { internals } from './internals.ts'
import { isAsked } from './asked.ts'
import { loadBudgets } from './budgets-file.ts'
import type { LoadedBudgets } from './preflight.ts'
import { demandExit, forgetExit } from './exit-code.ts'
import type { CollectedPlan } from './messages.ts'
import type { ResolvedSloOptions } from './plugin-options.ts'
import { runnerModule } from './pool-worker.ts'
import type { PoolWorkerHooks, SpecWorker } from './pool-worker.ts'
import { createProgressPrinter } from './progress-printer.ts'
import { PROJECT } from './projects.ts'
import type { Session, SessionOptions, SessionResult } from './session-types.ts'
import { takeSignals } from './signals.ts'

/** Set by `vitest-slo plan`; see `plan-file.ts`. */
const PLAN_VARIABLE = 'SLO_PLAN_FILE'

/** What one `vitest` process does about probes: at most one session a run. */
export interface Gate {
  readonly hooks: (method: 'run' | 'collect') => PoolWorkerHooks
  /** Whether this run may ask. */
  readonly asked: () => boolean
  /** Resolves when the session of this run, if there is one, has written its reports. */
  readonly settled: () => Promise<SessionResult | null>
  /** The root, and the folder of reports, absolute. */
  readonly root: string
  readonly outDir: () => string
  /** A new run of the watch mode. */
  readonly reset: () => void
}

function versionsOf(vitest: Vitest): Record<string, string> {
  const own = createRequire(import.meta.url)('../../package.json') as { version: string }
  return { 'vitest-slo': own.version, vitest: vitest.version, node: process.versions.node }
}

/** Other runs ask what this one does not. */
function isSharded({ config: { shard } }: Vitest): boolean {
  return shard !== undefined && shard.count > 1
}

/** Other shards, or a filter, ask what this run does not; a filter that leaves nothing out narrows nothing. */
async function narrowedByVitest(vitest: Vitest, plan: CollectedPlan): Promise<boolean> {
  if (isSharded(vitest)) return true
  if ((internals(vitest).filenamePattern?.length ?? 0) === 0) return false
  const project = vitest.projects.find(({ name }) => name === PROJECT)
  const { testFiles } = (await project?.globTestFiles()) ?? { testFiles: [] }
  return testFiles.length > plan.files
}

/** @throws nothing: what is wrong with the environment refuses the session, with exit code 2 */
function safeEnvironment(): { readonly environment: RunEnvironment; readonly problem: string | null } {
  try {
    return { environment: readEnvironment(process.env), problem: null }
  } catch (error) {
    if (!(error instanceof SloError)) throw error
    const hint = error.hint === undefined ? '' : `\n  ${error.hint}`
    const neutral = readEnvironment({ SLO_RUN: process.env['SLO_RUN'] === '1' ? '1' : '0' })
    return { environment: neutral, problem: `nothing was asked: ${messageOf(error)}${hint}\n` }
  }
}

/** The coordinator of a Vitest: reads the budgets, decides whether to ask, runs the session. */
export function createGate(vitest: Vitest, options: ResolvedSloOptions): Gate {
  const { root } = vitest.config
  let current: { readonly session: Session; readonly result: Promise<SessionResult> } | null = null
  let finished: SessionResult | null = null

  const asked = (): boolean =>
    isAsked({
      run: safeEnvironment().environment.run,
      watch: vitest.config.watch,
      projectName: PROJECT,
      projectFilters: [vitest.config.project ?? []].flat(),
      fileFilters: internals(vitest).filenamePattern ?? [],
    })

  const budgets = (): LoadedBudgets => loadBudgets(root, safeEnvironment().environment.budgets ?? options.budgets)
  const outDir = (): string => resolve(root, safeEnvironment().environment.out ?? options.outDir)

  /** Ctrl+C is ours from here on, even while what asking takes is still being loaded. */
  async function sample(plan: CollectedPlan, worker: SpecWorker): Promise<SessionResult> {
    let session: Session | null = null
    let early = false
    const giveBack = takeSignals(systemClock, () => {
      early = true
      session?.stop('interrupted')
    })
    const onSession = (created: Session): void => {
      session = created
      if (early) created.stop('interrupted')
    }
    try {
      return await sampleWith(plan, worker, onSession)
    } finally {
      giveBack()
    }
  }

  async function sampleWith(
    plan: CollectedPlan,
    worker: SpecWorker,
    onSession: (session: Session) => void,
  ): Promise<SessionResult> {
    const { environment, problem } = safeEnvironment()
    if (problem !== null) return { kind: 'refused', message: problem }
    // a run that asks nothing need not load what asking takes
    const { createSession } = await import('./session.ts')
    const planFile = process.env[PLAN_VARIABLE]
    const given: SessionOptions = {
      budgets: budgets(),
      environment,
      outDir: outDir(),
      fresh: options.fresh || environment.fresh,
      resumeWithinMs: options.resumeWithinMs,
      maxCost: options.maxCost,
      junit: options.junit,
      narrowed: await narrowedByVitest(vitest, plan),
      sharded: isSharded(vitest),
      variables: process.env,
      versions: versionsOf(vitest),
      clock: systemClock,
      printer: createProgressPrinter(process.stderr, systemClock, painter(process.stderr)),
      render: (request) => worker.render(request),
    }
    if (planFile !== undefined) {
      const { writePlan } = await import('./plan-file.ts')
      return writePlan(given, plan, planFile)
    }
    const session = createSession(given)
    onSession(session)
    const result = session.run(plan)
    current = { session, result }
    return await result
  }

  function onPlan(plan: CollectedPlan, worker: SpecWorker): void {
    const running = sample(plan, worker).catch((error: unknown): SessionResult => {
      // a defect of ours: say so, and let nobody take the run for a pass
      vitest.logger.error(error instanceof Error ? (error.stack ?? error.message) : String(error))
      return { kind: 'refused', message: `the run broke: ${messageOf(error)}\n` }
    })
    current = { session: current?.session ?? { run: () => running, stop: () => undefined }, result: running }
    void running.then((result) => {
      finished = result
      if (result.kind === 'refused') {
        demandExit(2)
        worker.reply({ type: 'refused', message: result.message })
        return
      }
      demandExit(result.exit)
      worker.reply({ type: 'outcome', outcome: result.outcome })
    })
  }

  return {
    root,
    outDir,
    asked,
    reset() {
      current = null
      finished = null
      forgetExit()
    },
    settled: async () => (current === null ? finished : await current.result),
    hooks: (method) => {
      vitest.onCancel((reason) => {
        if (reason === 'keyboard-input') current?.session.stop('interrupted')
      })
      return {
        data: () => ({
          root,
          budgets: budgets().parsed.file,
          asked: method === 'run' && asked(),
          runner: runnerModule(),
        }),
        onPlan,
        onStray: () => demandExit(2),
        onDeath: () => {
          if (finished === null) {
            demandExit(2)
            current?.session.stop('worker-died')
          }
        },
      }
    },
  }
}
