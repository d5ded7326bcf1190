import { expect } from 'vitest'
import type { Sample } from '../sample/types.ts'
import { parseLimit } from '../budget/index.ts'
import { renderFinding } from '../report/finding.ts'
import { judgeLimit } from '../verdict/index.ts'
import { inSpec } from './spec-error.ts'
import { specState } from './spec-state.ts'

/** Options of `toMeet`. */
export interface ToMeetOptions {
  /** What an inconclusive verdict does. @default 'throw' */
  readonly onInconclusive?: 'throw' | 'skip' | undefined
}

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /**
     * Judges samples by a limit in the grammar of `slo.yaml`, as `'p99 ttft < 10s'`, with the file's `defaults`.
     * An inconclusive verdict throws unless `{ onInconclusive: 'skip' }`.
     */
    toMeet(limit: string, options?: ToMeetOptions): T extends unknown ? R : never
  }
}

/** Makes `expect(samples).toMeet(limit)` known to this thread. */
export function registerMatcher(): void {
  expect.extend({
    toMeet(received: unknown, limit: string, options: ToMeetOptions = {}) {
      if (!Array.isArray(received))
        throw new TypeError('toMeet expects samples: expect(handle.samples()).toMeet("p99 ttft < 10s")')
      const { budgets } = specState().data
      const finding = inSpec(() => judgeLimit(parseLimit(limit), received as readonly Sample[], budgets.defaults))
      const pass =
        finding.verdict === 'pass' || (finding.verdict === 'inconclusive' && options.onInconclusive === 'skip')
      const inconclusive = finding.verdict === 'inconclusive'
      return {
        // `.not` must not turn "cannot tell" into a success either
        pass: inconclusive && options.onInconclusive !== 'skip' ? this.isNot : pass,
        message: () => renderFinding(finding),
      }
    },
  })
}
