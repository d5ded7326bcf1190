import { relative } from 'node:path'
import { describe, test } from 'vitest'
import { budgetCases } from '../budget/index.ts'
import type { BudgetCase, CellKey } from '../budget/types.ts'
import { SloError } from '../errors.ts'
import type { Sample } from '../sample/types.ts'
import { defineProbe } from '../spec/index.ts'
import type { DefinedProbe, ProbeOptions } from '../spec/index.ts'
import { RefusedError, runBudgetTest, runSampledTest } from './budget-test.ts'
import { registerMatcher } from './matcher.ts'
import { inSpec } from './spec-error.ts'
import { specState } from './spec-state.ts'

/** What the runner reads off a test that `probe()` declared. */
export type SloTaskMeta =
  | ({ readonly kind: 'sampled' } & CellKey)
  | ({ readonly kind: 'budget'; readonly budget: string; readonly cells: readonly CellKey[] } & CellKey)

declare module 'vitest' {
  interface TaskMeta {
    slo?: SloTaskMeta
  }
}

/** Which samples of a probe; what is left out is not filtered. */
export interface SampleFilter<TargetName extends string = string, PromptName extends string = string> {
  readonly target?: TargetName | undefined
  readonly prompt?: PromptName | undefined
}

/** What `probe()` returns: the way to its samples. */
export interface ProbeHandle<TargetName extends string = string, PromptName extends string = string> {
  readonly name: string
  /**
   * The samples of this run, in the order in which they were asked; aborted requests are not in it.
   * @throws SloError `SAMPLES_OUTSIDE_TEST` outside a test, where there are none yet
   */
  samples(filter?: SampleFilter<TargetName, PromptName>): readonly Sample[]
}

type Declare = <TargetName extends string, PromptName extends string>(
  name: string,
  options: ProbeOptions<TargetName, PromptName>,
) => ProbeHandle<TargetName, PromptName>

/** Declares a probe; `.only` and `.skip` work as on `describe`. */
export interface ProbeFunction extends Declare {
  readonly only: Declare
  readonly skip: Declare
}

// samples come from probes: who declares none needs no matcher for them
registerMatcher()

/** Stands in names where a budget pools. */
const POOL = 'all'

function declareCell(cell: CellKey, cases: readonly BudgetCase[]): void {
  describe(cell.prompt, () => {
    if (cell.target !== POOL && cell.prompt !== POOL) {
      const meta: SloTaskMeta = { kind: 'sampled', ...cell }
      test('sampled', { meta: { slo: meta } }, (context) => runSampledTest(cell, context))
    }
    for (const each of cases) {
      const { probe, target, prompt, budget } = each
      // a baseline's cells are needed too
      const cells = [...each.cells, ...(each.baselineCells ?? [])]
      const meta: SloTaskMeta = { kind: 'budget', probe, target, prompt, budget, cells }
      test(budget, { meta: { slo: meta } }, (context) => runBudgetTest(each, context))
    }
  })
}

function declareTests(probeName: string, targets: readonly string[], prompts: readonly string[]): void {
  const { budgets } = specState().data
  const cells = targets.flatMap((target) => prompts.map((prompt) => ({ probe: probeName, target, prompt })))
  const cases = budgetCases(budgets, cells)
  const casesOf = (target: string, prompt: string): readonly BudgetCase[] =>
    cases.filter((each) => each.target === target && each.prompt === prompt)
  for (const target of [...targets, POOL]) {
    const named = target === POOL || cases.some((each) => each.target === target && each.prompt === POOL)
    const rows = (named ? [...prompts, POOL] : prompts).map((prompt) => ({ prompt, cases: casesOf(target, prompt) }))
    const declared = rows.filter((row) => row.cases.length > 0 || (target !== POOL && row.prompt !== POOL))
    if (declared.length === 0) continue
    describe(target, () => {
      for (const row of declared) declareCell({ probe: probeName, target, prompt: row.prompt }, row.cases)
    })
  }
}

function define(name: string, options: ProbeOptions): DefinedProbe {
  const { data, file: path, probes } = specState()
  const file = relative(data.root, path)
  const known = probes.get(name)
  if (known === undefined) return defineProbe(name, options, { file, root: data.root })
  const message = `two probes are called ${JSON.stringify(name)}: in ${known.probe.file} and in ${file}`
  throw new SloError('PROBE_INVALID', message, {
    hint: 'a name is the key of samples and budgets: give each probe its own',
  })
}

function declareWith(suite: typeof describe | typeof describe.only): Declare {
  return (name, options) => {
    const state = specState()
    const defined = inSpec(() => define(name, options))
    state.probes.set(name, defined)
    // a file that is broken by itself shows its own error
    if (state.refusal !== undefined && !state.broken.has(defined.probe.file)) throw new RefusedError(state.refusal)
    suite(name, () => declareTests(name, Object.keys(options.targets), Object.keys(options.prompts)))
    return { name, samples: (filter) => inSpec(() => samplesOf(name, filter)) }
  }
}

function samplesOf(probeName: string, filter: SampleFilter | undefined): readonly Sample[] {
  const state = specState()
  if (state.outcome === undefined || !state.inTest) {
    throw new SloError(
      'SAMPLES_OUTSIDE_TEST',
      `samples() of probe ${JSON.stringify(probeName)} was called outside a test`,
      {
        hint: 'nothing is sampled while spec files are read: call it inside test(…)',
      },
    )
  }
  return state.outcome.samples.filter(
    (sample) =>
      sample.probe === probeName &&
      (filter?.target === undefined || sample.target === filter.target) &&
      (filter?.prompt === undefined || sample.prompt === filter.prompt) &&
      !(sample.outcome === 'error' && sample.error_kind === 'aborted'),
  )
}

/**
 * Declares what is asked: targets × prompts on a schedule. Its tests are describe(probe) > describe(target) >
 * describe(prompt) > `sampled` and one test a budget; budgets that pool stand under `all`.
 * @throws SloError `PROBE_INVALID` with every wrong option
 */
export const probe: ProbeFunction = Object.assign(declareWith(describe), {
  only: declareWith(describe.only),
  skip: declareWith(describe.skip),
})
