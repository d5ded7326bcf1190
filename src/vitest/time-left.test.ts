import { expect, test } from 'vitest'
import type { ScheduledProbe } from '../schedule/index.ts'
import { nextRoundAt, runEndsAt } from './time-left.ts'
import type { Standing } from './time-left.ts'

const MINUTE = 60_000

function probe(schedule: Partial<ScheduledProbe>): ScheduledProbe {
  const cells = ['short', 'long'].map((prompt) => ({ probe: 'p', target: 't', prompt }))
  return { probe: 'p', cells, everyMs: 8 * MINUTE, rounds: 40, forMs: null, seed: 1, ...schedule }
}

function standing(change: Partial<Standing>): Standing {
  return { startedAt: 0, now: MINUTE, begun: () => 1, left: 78, requestMs: 5000, ...change }
}

test('a grid ends with its last round, however fast the first one was', () => {
  // rounds begin at 0, 8, …, 312 min; the last one asks two cells for 5 s each
  expect(runEndsAt([probe({})], standing({}))).toBe(312 * MINUTE + 10_000)
})

test('rounds that were missed push the end back', () => {
  expect(runEndsAt([probe({})], standing({ now: 81 * MINUTE }))).toBe((88 + 38 * 8) * MINUTE + 10_000)
})

test('requests that take longer than the grid decide', () => {
  expect(runEndsAt([probe({ everyMs: 1000 })], standing({}))).toBe(MINUTE + 78 * 5000)
})

test('back to back nobody knows before the first request, then its pace tells', () => {
  const backToBack = [probe({ everyMs: 0 })]
  expect(runEndsAt(backToBack, standing({ requestMs: null }))).toBeNull()
  expect(runEndsAt(backToBack, standing({}))).toBe(MINUTE + 78 * 5000)
})

test.each([0, 8 * MINUTE])('with for: the clock ends the run, every %i ms', (everyMs) => {
  const timed = [probe({ everyMs, rounds: null, forMs: 60 * MINUTE })]
  expect(runEndsAt(timed, standing({ left: null, requestMs: null }))).toBe(60 * MINUTE)
})

test('the next round is the next point of the grid, and there is none after the last', () => {
  expect(nextRoundAt([probe({})], standing({}))).toBe(8 * MINUTE)
  expect(nextRoundAt([probe({ everyMs: 0 })], standing({}))).toBeNull()
  expect(nextRoundAt([probe({})], standing({ begun: () => 40, left: 0 }))).toBeNull()
  expect(nextRoundAt([probe({ rounds: null, forMs: 9 * MINUTE })], standing({ now: 8.5 * MINUTE }))).toBeNull()
})
