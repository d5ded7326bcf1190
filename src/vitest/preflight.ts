import { checkBudgets, formatProblems } from '../budget/index.ts'
import type { BudgetProblem, CellFacts, ParsedBudgets } from '../budget/types.ts'
import { earlierCounter } from './earlier-runs.ts'
import type { EarlierRuns } from './earlier-runs.ts'
import { refusalText } from './refusal.ts'
import { plannedRounds } from '../schedule/index.ts'
import { loadProfile } from '../simulator/index.ts'
import { baseUrlOf, effectiveProbe } from '../spec/index.ts'
import type { RunEnvironment } from '../spec/index.ts'
import type { Probe } from '../spec/types.ts'
import type { InspectedTarget } from '../probe/types.ts'
import type { CollectedPlan, SelectedProbe } from './messages.ts'
import { targetProblems } from './target-problems.ts'
import type { Inspect } from './target-problems.ts'

/** The text of `slo.yaml` with what was understood of it. */
export interface LoadedBudgets {
  readonly text: string
  readonly parsed: ParsedBudgets
  /** Folder of the file, absolute: what it names is relative to it. */
  readonly dir: string
}

/** Everything that can be known to be wrong before the first request, and the probes as this run asks them. */
export interface Preflight {
  readonly probes: readonly SelectedProbe[]
  /** Base URL of each real target, by probe and target. */
  readonly baseUrls: ReadonlyMap<string, string>
  /** Why nothing may be asked, ready to print; `null` where all is well. */
  readonly refusal: string | null
  /** Worth knowing, ready to print. */
  readonly notes: readonly BudgetProblem[]
}

export interface PreflightInput {
  readonly plan: CollectedPlan
  readonly budgets: LoadedBudgets
  readonly environment: RunEnvironment
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly profiles: readonly string[]
  readonly narrowed: boolean
  readonly maxCost: number | null
  /** Of the folder, for budgets that look back. */
  readonly earlier: EarlierRuns
  /** Baselines that cannot be read, ready to print. */
  readonly baselineProblems?: readonly string[]
  /** Looks at targets without asking them. @default only what can be seen from here is told */
  readonly inspect?: Inspect
  /** Wall-clock milliseconds. */
  readonly now: number
}

/** Key of {@link Preflight.baseUrls}. */
export function targetKey(probe: string, target: string): string {
  return JSON.stringify([probe, target])
}

function selectedTargets(selected: SelectedProbe): Probe {
  const names = new Set(selected.cells.map((cell) => cell.target))
  return { ...selected.probe, targets: selected.probe.targets.filter((target) => names.has(target.name)) }
}

function cellFacts(asWritten: readonly SelectedProbe[], effective: readonly SelectedProbe[]): readonly CellFacts[] {
  return effective.flatMap(({ probe, cells }, index) => {
    const written = asWritten[index]?.probe ?? probe
    return cells.flatMap((cell) => {
      const target = probe.targets.find((each) => each.name === cell.target)
      if (target === undefined) return []
      return [
        {
          ...cell,
          planned: plannedRounds(probe.schedule),
          plannedByItself: plannedRounds(written.schedule),
          timeouts: target.timeouts,
          currency: target.price?.currency ?? null,
        },
      ]
    })
  })
}

function attempt<T>(problems: string[], action: () => T): T | undefined {
  try {
    return action()
  } catch (error) {
    problems.push(refusalText(error))
    return undefined
  }
}

function costProblems(probes: readonly Probe[], maxCost: number | null): readonly string[] {
  if (maxCost === null) return []
  const targets = probes.flatMap((probe) => probe.targets)
  const currencies = new Set(targets.flatMap((target) => (target.price === null ? [] : [target.price.currency])))
  if (currencies.size === 1) return []
  if (currencies.size === 0)
    return [`maxCost is set, and no target has a price\n  give the targets a price: { input, output, currency }`]
  return [`maxCost needs one currency, and the targets have ${[...currencies].join(', ')}`]
}

/** Checks a plan: budgets against cells, credentials, proxies, profiles, money. Reports everything at once. */
export async function preflight(input: PreflightInput): Promise<Preflight> {
  const { plan, budgets, environment, variables, profiles } = input
  const asWritten = plan.probes
  const probes = asWritten.map((each) => ({ ...each, probe: effectiveProbe(each.probe, environment, profiles) }))
  const asked = probes.map(selectedTargets)
  const problems: string[] = plan.broken.map(({ file, message }) => `${file} could not be loaded: ${message}`)
  const checked = checkBudgets(budgets.parsed.file, {
    cells: cellFacts(asWritten, probes),
    narrowed: input.narrowed || plan.narrowed || plan.broken.length > 0,
    earlier: earlierCounter(
      input.earlier,
      probes.map((each) => each.probe),
      input.now,
    ),
  })
  const found = [...budgets.parsed.problems, ...checked]
  const errors = found.filter((problem) => problem.level === 'error')
  const baseUrls = new Map<string, string>()
  const targets: InspectedTarget[] = []
  const unfit: string[] = []
  for (const probe of asked) {
    for (const target of probe.targets) {
      if (target.kind === 'simulated') {
        attempt(unfit, () => loadProfile(target.profile))
        continue
      }
      const isKnown = typeof target.baseUrl === 'string' || (variables[target.baseUrl.env] ?? '').trim() !== ''
      const url = isKnown ? attempt(unfit, () => baseUrlOf(target, variables)) : undefined
      if (url !== undefined) baseUrls.set(targetKey(probe.name, target.name), url)
      targets.push({ name: `${probe.name}/${target.name}`, target, baseUrl: url ?? null })
    }
  }
  problems.push(
    ...(input.baselineProblems ?? []),
    ...(await targetProblems(asked, targets, variables, input.inspect ?? null)),
    ...costProblems(asked, input.maxCost),
    ...unfit,
  )
  const texts = [...(errors.length === 0 ? [] : [formatProblems(errors, budgets.text)]), ...problems]
  const count = errors.length + problems.length
  return {
    probes,
    baseUrls,
    notes: found.filter((problem) => problem.level === 'note'),
    refusal:
      count === 0
        ? null
        : `nothing was asked: ${count} ${count === 1 ? 'problem' : 'problems'}\n\n${texts.join('\n\n')}\n`,
  }
}
