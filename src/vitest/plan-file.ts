import { writeFile } from 'node:fs/promises'
import type { BudgetFile, BudgetProblem } from '../budget/types.ts'
import { messageOf, SloError } from '../errors.ts'
import { drawSeed, freshNonce } from '../schedule/index.ts'
import { profileNames } from '../simulator/index.ts'
import type { CollectedPlan, SelectedProbe } from './messages.ts'
import { readEarlierRuns } from './earlier-runs.ts'
import { preflight } from './preflight.ts'
import { everyScale } from './selected.ts'
import type { SessionOptions, SessionResult } from './session-types.ts'

/** A rendered prompt's size, from one rendering. */
export interface PlannedPrompt {
  readonly probe: string
  readonly prompt: string
  /** UTF-8 bytes of all messages; `null` where it could not be made. */
  readonly bytes: number | null
  readonly problem: string | null
}

/** What would be asked, as plain JSON. */
export interface PlanFile {
  readonly root: string
  readonly outDir: string
  readonly probes: readonly SelectedProbe[]
  /** `every` is divided by it where everything is simulated. */
  readonly everyScale: number
  /** Why a run would ask nothing; `null` where all is well. */
  readonly refusal: string | null
  readonly notes: readonly BudgetProblem[]
  readonly budgets: BudgetFile
  readonly overrides: Readonly<Record<string, string>>
  readonly maxCost: number | null
  readonly prompts: readonly PlannedPrompt[]
}

async function measure(options: SessionOptions, probes: readonly SelectedProbe[]): Promise<readonly PlannedPrompt[]> {
  const sizes: PlannedPrompt[] = []
  for (const { probe, cells } of probes) {
    const seed = probe.schedule.seed ?? drawSeed()
    for (const prompt of new Set(cells.map((cell) => cell.prompt))) {
      const target = cells.find((cell) => cell.prompt === prompt)?.target ?? ''
      const request = { probe: probe.name, target, prompt, round: 0, nonce: freshNonce(), seed }
      try {
        const { messages } = await options.render(request)
        const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
        sizes.push({ probe: probe.name, prompt, bytes, problem: null })
      } catch (error) {
        if (!(error instanceof SloError)) throw error
        sizes.push({ probe: probe.name, prompt, bytes: null, problem: messageOf(error) })
      }
    }
  }
  return sizes
}

/** Everything a run does before its first request, written to `path`; then nothing more. */
export async function writePlan(options: SessionOptions, plan: CollectedPlan, path: string): Promise<SessionResult> {
  const { budgets, environment, variables, narrowed, maxCost, outDir, clock } = options
  const profiles = environment.simulate ? profileNames() : []
  const earlier = await readEarlierRuns(outDir, budgets.parsed.file)
  const now = clock.wall()
  const checked = await preflight({ plan, budgets, environment, variables, profiles, narrowed, maxCost, earlier, now })
  const file: PlanFile = {
    root: process.cwd(),
    outDir,
    probes: checked.probes,
    everyScale: everyScale(checked.probes.map((each) => each.probe)),
    refusal: checked.refusal,
    notes: checked.notes,
    budgets: budgets.parsed.file,
    overrides: environment.overrides,
    maxCost,
    prompts: await measure(options, checked.probes),
  }
  await writeFile(path, JSON.stringify(file))
  return { kind: 'refused', message: 'this was a plan: nothing was asked\n' }
}
