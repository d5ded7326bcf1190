import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { firstPointFrom, gridPoint } from './grid.ts'
import { plannedByCell, plannedRounds, plannedSamples } from './planned.ts'
import { scheduled } from './testing/schedules.ts'

const HOUR = 3_600_000

describe('the grid', () => {
  test('does not drift: the 288th point of ten minutes is two days on', () => {
    expect(gridPoint({ startedAt: 1000, everyMs: 600_000 }, 288)).toBe(1000 + 48 * HOUR)
  })

  test('thirds of a millisecond do not add up', () => {
    expect(gridPoint({ startedAt: 0, everyMs: 1000 / 3 }, 30_000)).toBe(10_000_000)
  })

  test('the first point from an instant is the first that is not before it', () => {
    const instants = fc.record({
      startedAt: fc.integer({ min: 0, max: 2e12 }),
      everyMs: fc.oneof(fc.integer({ min: 1, max: 1e8 }), fc.double({ min: 1, max: 1e6, noNaN: true })),
      after: fc.oneof(fc.integer({ min: -1e9, max: 1e10 }), fc.double({ min: -1e9, max: 1e10, noNaN: true })),
    })
    fc.assert(
      fc.property(instants, ({ startedAt, everyMs, after }) => {
        const grid = { startedAt, everyMs }
        const index = firstPointFrom(grid, startedAt + after)
        expect(gridPoint(grid, index)).toBeGreaterThanOrEqual(startedAt + after)
        expect(gridPoint(grid, index - 1)).toBeLessThan(startedAt + after)
      }),
    )
  })
})

describe('what is planned', () => {
  test.for([
    [{ everyMs: 600_000, rounds: 288, forMs: null }, 288],
    [{ everyMs: 0, rounds: 36, forMs: null }, 36],
    [{ everyMs: 600_000, rounds: null, forMs: 48 * HOUR }, 288],
    [{ everyMs: 600_000, rounds: null, forMs: 48 * HOUR + 1 }, 289],
    [{ everyMs: 600_000, rounds: null, forMs: 1 }, 1],
    [{ everyMs: 600_000 / 7, rounds: null, forMs: (48 * HOUR) / 7 }, 288],
    [{ everyMs: 0, rounds: null, forMs: HOUR }, null],
    [{ everyMs: 600_000, rounds: 0, forMs: null }, 0],
  ] as const)('%j is %s rounds', ([plan, rounds]) => {
    expect(plannedRounds(plan)).toBe(rounds)
  })

  test('samples are rounds times cells, over all probes, unless the clock alone ends one', () => {
    const a = scheduled('a', { cells: 3, rounds: 10 })
    const b = scheduled('b', { cells: 2, rounds: null, forMs: 100, everyMs: 10 })
    const c = scheduled('c', { cells: 1, rounds: null, forMs: 100, everyMs: 0 })
    expect(plannedSamples([a, b])).toBe(50)
    expect(plannedSamples([a, b, c])).toBeNull()
    expect(plannedSamples([{ ...c, cells: [] }, a])).toBe(30)
    expect(plannedByCell([b, c])).toEqual([
      { probe: 'b', target: 't0', prompt: 'p', planned: 10 },
      { probe: 'b', target: 't1', prompt: 'p', planned: 10 },
      { probe: 'c', target: 't0', prompt: 'p', planned: null },
    ])
  })
})
