import type { RunnerTask, RunnerTestFile } from 'vitest'
import type { CellKey } from '../budget/types.ts'
import type { Probe } from '../spec/types.ts'
import type { SloTaskMeta } from './declare.ts'
import type { CollectedPlan, SelectedCase } from './messages.ts'

interface CollectedTest {
  readonly selected: boolean
  readonly file: string
  readonly meta: SloTaskMeta | undefined
}

function testsOf(tasks: readonly RunnerTask[], file: string): readonly CollectedTest[] {
  return tasks.flatMap((task): readonly CollectedTest[] => {
    if (task.type === 'suite') return testsOf(task.tasks, file)
    return [{ selected: task.mode === 'run' || task.mode === 'queued', file, meta: task.meta.slo }]
  })
}

function cellId(cell: CellKey): string {
  return JSON.stringify([cell.probe, cell.target, cell.prompt])
}

/**
 * Which cells must be sampled for the tests that `-t`, `.only`, `.skip` and line filters left selected. A selected test
 * that `probe()` did not declare may look at anything: it selects all probes of its file.
 */
export function planOf(files: readonly RunnerTestFile[], probes: readonly Probe[]): CollectedPlan {
  const tests = files.flatMap((file) => testsOf(file.tasks, file.name))
  const selected = tests.filter((each) => each.selected)
  const openFiles = new Set(selected.flatMap((each) => (each.meta === undefined ? [each.file] : [])))
  const wanted = new Set<string>()
  const cases: SelectedCase[] = []
  for (const { meta } of selected) {
    if (meta === undefined) continue
    if (meta.kind === 'sampled') wanted.add(cellId(meta))
    else {
      for (const cell of meta.cells) wanted.add(cellId(cell))
      cases.push({ probe: meta.probe, target: meta.target, prompt: meta.prompt, budget: meta.budget })
    }
  }
  return {
    files: files.length,
    broken: files.flatMap((file) =>
      file.result?.state === 'fail'
        ? [{ file: file.name, message: file.result.errors?.[0]?.message ?? 'failed to load' }]
        : [],
    ),
    narrowed: tests.some((each) => !each.selected),
    probes: probes.flatMap((probe) => {
      const all = probe.targets.flatMap((target) =>
        probe.prompts.map((prompt) => ({ probe: probe.name, target: target.name, prompt: prompt.name })),
      )
      const cells = openFiles.has(probe.file) ? all : all.filter((cell) => wanted.has(cellId(cell)))
      if (cells.length === 0) return []
      return [{ probe, cells, cases: cases.filter((each) => each.probe === probe.name) }]
    }),
  }
}
