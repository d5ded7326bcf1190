import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { CellKey } from '../budget/types.ts'
import { SloError } from '../errors.ts'
import type { Sample } from '../sample/types.ts'
import { plannedRounds } from '../schedule/index.ts'
import type { TargetSpec } from '../spec/types.ts'
import { median, sortSamples } from '../statistics/index.ts'
import type { PlanFile } from '../vitest/plan-file.ts'
import { loadRuns } from './load-runs.ts'
import { cellId } from './merge-runs.ts'

/** Bytes of English text that make a token, as the tokenizers of the day cut it; for want of anything measured. */
const BYTES_PER_TOKEN = 4.5

/** What one request of a cell took in the newest run; absent numbers were not reported. */
interface Experience {
  readonly n: number
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  /** Milliseconds of the provider's time. */
  readonly totalMs: number | null
}

/** What is expected of one cell. */
export interface CellForecast extends CellKey {
  readonly target: string
  readonly requests: number | null
  readonly promptTokens: number | null
  /** Measured in the newest run, or an estimate from the prompt's bytes. */
  readonly measured: boolean
  /** Of one request: expected where measured, else `null`; and at most. */
  readonly completionTokens: number | null
  readonly maxTokens: number
  /** Of all requests; `null` without a price or a number of requests. */
  readonly costExpected: number | null
  readonly costAtMost: number | null
  readonly currency: string | null
  /** Milliseconds of one request; `null` where nothing is known. */
  readonly requestMs: number | null
}

/** When the requests of one probe come. */
export interface ProbeForecast {
  readonly probe: string
  readonly everyMs: number
  readonly rounds: number | null
  readonly forMs: number | null
  /** Milliseconds from start to the last round's end; `null` where nothing is known. */
  readonly lastsMs: number | null
  /** Milliseconds that one round of all probes due with it is expected to take. */
  readonly roundMs: number | null
}

/** A plan with its numbers. */
export interface Forecast {
  readonly cells: readonly CellForecast[]
  readonly probes: readonly ProbeForecast[]
  readonly requests: number | null
  readonly warmups: number
  /** Where the experience comes from; `null`: there is none. */
  readonly basis: string | null
}

/** A forecast and what it rests on. */
export interface GroundedForecast {
  readonly numbers: Forecast
  /** Of the newest run, those that are practice where the plan is. */
  readonly earlier: readonly Sample[]
}

function middle(samples: readonly Sample[], of: (sample: Sample) => number | undefined): number | null {
  const sorted = sortSamples(samples.flatMap((sample) => of(sample) ?? []))
  return sorted === undefined ? null : median(sorted)
}

/** Whether the plan asks the simulator for a cell; `null` where it does not have the cell. */
function isSimulated(plan: PlanFile, cell: CellKey): boolean | null {
  const selected = plan.probes.find(({ probe }) => probe.name === cell.probe)
  const target = selected?.probe.targets.find(({ name }) => name === cell.target)
  return target === undefined ? null : target.kind === 'simulated'
}

async function experience(plan: PlanFile): Promise<{
  readonly by: Map<string, Experience>
  readonly run: string | null
  readonly samples: readonly Sample[]
}> {
  const by = new Map<string, Experience>()
  const path = join(plan.outDir, 'samples.csv')
  try {
    await access(path)
  } catch {
    return { by, run: null, samples: [] }
  }
  try {
    const [newest] = await loadRuns([path], {
      cwd: plan.root,
      choice: { kind: 'newest' },
      maps: [],
      earlier: false,
      note: () => undefined,
    })
    // practice says nothing of what a provider will do, and the other way round
    const like = (newest?.samples ?? []).filter(
      (sample) => isSimulated(plan, sample) === (sample.simulated !== undefined),
    )
    const groups = Map.groupBy(like, cellId)
    for (const [id, samples] of groups) {
      by.set(id, {
        n: samples.length,
        promptTokens: middle(samples, (sample) => sample.prompt_tokens),
        completionTokens: middle(samples, (sample) => sample.completion_tokens),
        totalMs: middle(samples, (sample) => sample.total_ms),
      })
    }
    return { by, run: by.size === 0 ? null : (newest?.id ?? null), samples: like }
  } catch (error) {
    if (!(error instanceof SloError)) throw error
    return { by, run: null, samples: [] }
  }
}

function costOf(target: TargetSpec, requests: number | null, prompt: number | null, completion: number): number | null {
  const { price } = target
  if (price === null || requests === null || prompt === null) return null
  return (requests * (prompt * price.input + completion * price.output)) / 1e6
}

function cellForecast(plan: PlanFile, cell: CellKey, known: Experience | undefined): CellForecast[] {
  const selected = plan.probes.find(({ probe }) => probe.name === cell.probe)
  const target = selected?.probe.targets.find(({ name }) => name === cell.target)
  if (selected === undefined || target === undefined) return []
  const { probe } = selected
  const requests = plannedRounds(probe.schedule)
  const bytes = plan.prompts.find((each) => each.probe === probe.name && each.prompt === cell.prompt)?.bytes ?? null
  const promptTokens = known?.promptTokens ?? (bytes === null ? null : Math.round(bytes / BYTES_PER_TOKEN))
  const completionTokens = known?.completionTokens ?? null
  const { maxTokens } = probe.request
  const scale = target.kind === 'simulated' ? target.timeScale : 1
  const price = target.price
  return [
    {
      ...cell,
      requests,
      promptTokens,
      measured: (known?.promptTokens ?? null) !== null,
      completionTokens,
      maxTokens,
      costExpected: completionTokens === null ? null : costOf(target, requests, promptTokens, completionTokens),
      costAtMost: costOf(target, requests, promptTokens, maxTokens),
      currency: price?.currency ?? null,
      requestMs: known === undefined || known.totalMs === null ? null : known.totalMs / scale,
    },
  ]
}

function sum(values: readonly (number | null)[]): number | null {
  return values.reduce((total, value) => (total === null || value === null ? null : total + value), 0)
}

function probeForecast(plan: PlanFile, cells: readonly CellForecast[], name: string): ProbeForecast[] {
  const probe = plan.probes.find((each) => each.probe.name === name)?.probe
  if (probe === undefined) return []
  const everyMs = probe.schedule.everyMs / plan.everyScale
  const forMs = probe.schedule.forMs === null ? null : probe.schedule.forMs / plan.everyScale
  const rounds = plannedRounds(probe.schedule)
  const roundMs = sum(cells.filter((each) => each.probe === name).map((each) => each.requestMs))
  const last = roundMs ?? 0
  const byGrid = rounds === null ? forMs : everyMs === 0 ? null : (rounds - 1) * Math.max(everyMs, last) + last
  const backToBack = rounds === null || roundMs === null ? forMs : rounds * roundMs
  return [{ probe: name, everyMs, rounds, forMs, roundMs, lastsMs: everyMs === 0 ? backToBack : byGrid }]
}

/** Numbers of a plan: measured in the newest run of its folder where there is one, else estimated from the prompts. */
export async function forecast(plan: PlanFile): Promise<GroundedForecast> {
  const { by, run, samples } = await experience(plan)
  const cells = plan.probes.flatMap((each) =>
    each.cells.flatMap((cell) => cellForecast(plan, cell, by.get(cellId(cell)))),
  )
  const numbers = {
    cells,
    probes: plan.probes.flatMap(({ probe }) => probeForecast(plan, cells, probe.name)),
    requests: sum(cells.map((each) => each.requests)),
    warmups: plan.probes.reduce(
      (total, each) => total + each.probe.warmup * new Set(each.cells.map((cell) => cell.target)).size,
      0,
    ),
    basis: run,
  }
  return { numbers, earlier: samples }
}
