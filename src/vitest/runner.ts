import { TestRunner } from 'vitest'
import type { CancelReason, RunnerTask, RunnerTestCase, RunnerTestFile, TestTryOptions } from 'vitest'
import { specState } from './spec-state.ts'

/** Vitest's own runner, told what the coordinator needs to know. */
export default class SloRunner extends TestRunner {
  override onCollectStart(file: RunnerTestFile): void {
    super.onCollectStart(file)
    specState().file = file.filepath
  }

  /** Called once a file. */
  onCollected(files: RunnerTestFile[]): void {
    const state = specState()
    if (state.phase === 'collect') state.files.push(...files)
  }

  override onBeforeTryTask(task: RunnerTestCase, options: TestTryOptions): void {
    specState().inTest = true
    super.onBeforeTryTask(task, options)
  }

  override onAfterRunTask(task: RunnerTask): void {
    specState().inTest = false
    super.onAfterRunTask(task)
  }

  /** An interruption ends the sampling; what there is must still be judged, so tests are not skipped for it. */
  override cancel(reason: CancelReason): void {
    if (reason !== 'keyboard-input') super.cancel(reason)
  }
}
