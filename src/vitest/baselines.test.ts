import { expect, test } from 'vitest'
import { judgeAll } from '../verdict/index.ts'
import { caseOf, inputOf, ok, times } from '../verdict/testing/cases.ts'
import { isPassing } from './baselines.ts'

const findings = judgeAll([caseOf('p50 ttft < 10s')], inputOf(times(20, () => ok())))

test('a whole run that was judged and breached nothing may serve as a baseline', () => {
  expect(isPassing(findings, true)).toBe(true)
})

test('neither may a run that judged nothing, nor one that was cut short', () => {
  expect(isPassing([], true)).toBe(false)
  expect(isPassing(findings, false)).toBe(false)
})
