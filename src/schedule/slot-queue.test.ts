import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import type { Slot } from '../sample/types.ts'
import { createSlotQueue } from './slot-queue.ts'
import { scheduled, Simulation } from './testing/schedules.ts'
import type { ScheduledProbe } from './types.ts'

const START = Date.parse('2026-12-01T02:00:00.000Z')

function simulate(probes: readonly ScheduledProbe[], lasts: number | ((slot: Slot) => number)) {
  const queue = createSlotQueue(probes, { startedAt: START })
  const simulation = new Simulation(queue, START, typeof lasts === 'number' ? () => lasts : lasts)
  return { queue, simulation }
}

/** Start, end and due time of each request, in milliseconds of the run. */
function times({ asked }: Simulation): readonly (readonly [string, number, number, number])[] {
  return asked.map(({ slot, startedAt, endedAt }) => [
    `${slot.probe}${slot.round}`,
    slot.dueAt - START,
    startedAt - START,
    endedAt - START,
  ])
}

function cellOf(slot: Pick<Slot, 'probe' | 'target' | 'prompt' | 'round'>): string {
  return `${slot.probe}/${slot.target}/${slot.prompt}/${slot.round}`
}

describe('one probe', () => {
  test('rounds start at the points of the grid; the first request is due there, the others when the one before ends', () => {
    const { queue, simulation } = simulate([scheduled('a')], 300)
    expect(times(simulation.run())).toEqual([
      ['a0', 0, 0, 300],
      ['a0', 300, 300, 600],
      ['a1', 1000, 1000, 1300],
      ['a1', 1300, 1300, 1600],
      ['a2', 2000, 2000, 2300],
      ['a2', 2300, 2300, 2600],
    ])
    expect(simulation.asked.map(({ slot }) => slot.seq)).toEqual([0, 1, 2, 3, 4, 5])
    expect(queue.planned).toBe(6)
    expect(queue.missedRounds()).toBe(0)
  })

  test('points that pass while a round runs are missed, counted and not made up for; all rounds are asked', () => {
    const { queue, simulation } = simulate([scheduled('a')], ({ round }) => (round === 0 ? 1250 : 100))
    expect(times(simulation.run())).toEqual([
      ['a0', 0, 0, 1250],
      ['a0', 1250, 1250, 2500],
      ['a1', 3000, 3000, 3100],
      ['a1', 3100, 3100, 3200],
      ['a2', 4000, 4000, 4100],
      ['a2', 4100, 4100, 4200],
    ])
    expect(queue.missedRounds()).toBe(2)
    expect(queue.missedByProbe()).toEqual({ a: 2 })
  })

  test('a round that ends at a point of the grid misses none', () => {
    const { queue, simulation } = simulate([scheduled('a')], 500)
    expect(times(simulation.run()).filter((_, index) => index % 2 === 0)).toEqual([
      ['a0', 0, 0, 500],
      ['a1', 1000, 1000, 1500],
      ['a2', 2000, 2000, 2500],
    ])
    expect(queue.missedRounds()).toBe(0)
  })

  test('a late start shows: the first request stays due at the grid point', () => {
    const queue = createSlotQueue([scheduled('a')], { startedAt: START })
    const simulation = new Simulation(queue, START + 40, () => 300).run(3)
    expect(times(simulation).map(([, due, started]) => started - due)).toEqual([40, 0, 0])
  })

  test('without a grid a round starts when the one before ends, and none is missed', () => {
    const { queue, simulation } = simulate([scheduled('a', { everyMs: 0 })], 5000)
    expect(times(simulation.run())).toEqual(
      [0, 1, 2, 3, 4, 5].map((n) => [`a${n >> 1}`, n * 5000, n * 5000, (n + 1) * 5000]),
    )
    expect(simulation.waits).toEqual([])
    expect(queue.missedRounds()).toBe(0)
  })

  test('`for` starts no round at or after its end, and completes the one that has begun', () => {
    const plan = { rounds: null, forMs: 3000 }
    const { queue, simulation } = simulate([scheduled('a', plan)], 450)
    expect(times(simulation.run()).map(([name]) => name)).toEqual(['a0', 'a0', 'a1', 'a1', 'a2', 'a2'])
    expect([queue.planned, queue.missedRounds()]).toEqual([6, 0])
    // It ends with its last round, not with its time.
    expect(simulation.now - START).toBe(2900)

    const slow = simulate([scheduled('a', plan)], 1100)
    expect(times(slow.simulation.run())).toEqual([
      ['a0', 0, 0, 1100],
      ['a0', 1100, 1100, 2200],
    ])
    expect(slow.queue.missedRounds()).toBe(2)

    const slower = simulate([scheduled('a', plan)], 700)
    expect(times(slower.simulation.run()).map(([name, due]) => [name, due])).toEqual([
      ['a0', 0],
      ['a0', 700],
      ['a1', 2000],
      ['a1', 2700],
    ])
    expect(slower.queue.missedRounds()).toBe(1)
  })

  test('`for` without a grid ends by the clock alone', () => {
    const { queue, simulation } = simulate([scheduled('a', { everyMs: 0, rounds: null, forMs: 1000 })], 240)
    expect(times(simulation.run()).map(([, due]) => due)).toEqual([0, 240, 480, 720, 960, 1200])
    expect(queue.planned).toBeNull()
  })

  test('no cells and no rounds are done at once', () => {
    const { queue } = simulate([scheduled('a', { cells: 0 }), scheduled('b', { rounds: 0 })], 1)
    expect(queue.next(START, null)).toEqual({ kind: 'done' })
    expect(queue.planned).toBe(0)
  })
})

describe('the order within a round', () => {
  test('depends on seed, probe and round, not on the order of declaration', () => {
    const order = (probe: ScheduledProbe): string[] =>
      simulate([probe], 1)
        .simulation.run()
        .asked.map(({ slot }) => cellOf(slot))
    const probe = scheduled('a', { cells: 8, rounds: 20 })
    expect(order({ ...probe, cells: probe.cells.toReversed() })).toEqual(order(probe))
    expect(order({ ...probe, seed: 8 })).not.toEqual(order(probe))
    const rounds = Array.from({ length: 20 }, (_, round) =>
      order(probe)
        .slice(round * 8, round * 8 + 8)
        .map((cell) => cell.split('/')[1])
        .join(' '),
    )
    expect(new Set(rounds).size).toBe(20)
  })

  test('gives every cell every place equally often', () => {
    const { simulation } = simulate([scheduled('a', { cells: 5, rounds: 2000 })], 1)
    const counts = new Map<string, number>()
    simulation.run().asked.forEach(({ slot }, index) => {
      const key = `${slot.target} ${index % 5}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    })
    expect(counts.size).toBe(25)
    // A count is binomial (2000, 1/5): 400 ± 4.5 × 17.9 holds for all 25 with probability 0.9998; the seed is fixed.
    for (const count of counts.values()) expect(Math.abs(count - 400)).toBeLessThan(80)
  })
})

describe('several probes', () => {
  test('those due at one point are shuffled together, the first request of each due at the point', () => {
    const probes = [scheduled('a', { cells: 4, rounds: 30 }), scheduled('b', { cells: 4, rounds: 30 })]
    const { simulation, queue } = simulate(probes, 50)
    const { asked } = simulation.run()
    let mixed = 0
    for (let round = 0; round < 30; round += 1) {
      const batch = asked.slice(round * 8, round * 8 + 8).map(({ slot }) => slot)
      expect(new Set(batch.map(({ round: of }) => of))).toEqual(new Set([round]))
      const names = batch.map(({ probe }) => probe).join('')
      if (names !== 'aaaabbbb' && names !== 'bbbbaaaa') mixed += 1
      for (const probe of ['a', 'b']) {
        expect(batch.find((slot) => slot.probe === probe)?.dueAt).toBe(START + round * 1000)
      }
    }
    // 2 of 70 orders are not mixed.
    expect(mixed).toBeGreaterThan(25)
    expect(queue.missedRounds()).toBe(0)
  })

  test('the order within a probe is the same whoever else is due', () => {
    const a = scheduled('a', { cells: 5, rounds: 10 })
    const alone = simulate([a], 1).simulation.run()
    const together = simulate([scheduled('b', { cells: 3, rounds: 10 }), a], 1).simulation.run()
    const order = ({ asked }: Simulation): string[] =>
      asked.filter(({ slot }) => slot.probe === 'a').map(({ slot }) => cellOf(slot))
    expect(order(together)).toEqual(order(alone))
  })

  test('else the earliest due goes first, a round at a time', () => {
    const probes = [scheduled('a', { everyMs: 1000, cells: 1 }), scheduled('b', { everyMs: 700, cells: 1, rounds: 4 })]
    const { simulation, queue } = simulate(probes, 100)
    expect(times(simulation.run()).map(([name, due, started]) => [name, due, started])).toEqual([
      [expect.stringMatching(/[ab]0/), 0, 0],
      [expect.stringMatching(/[ab]0/), 0, 100],
      ['b1', 700, 700],
      ['a1', 1000, 1000],
      ['b2', 1400, 1400],
      ['a2', 2000, 2000],
      ['b3', 2100, 2100],
    ])
    expect(queue.missedRounds()).toBe(0)
  })

  test('a probe that waits for another is late, not missed; what passes beyond is missed', () => {
    const probes = [
      scheduled('a', { everyMs: 10_000, cells: 2, rounds: 2 }),
      scheduled('b', { everyMs: 1000, cells: 1, rounds: 4 }),
    ]
    const lasts = ({ probe }: Slot): number => (probe === 'a' ? 1600 : 100)
    const { simulation, queue } = simulate(probes, lasts)
    simulation.run()
    const b = times(simulation).filter(([name]) => name.startsWith('b'))
    // Round a0 takes 3200 ms in all; wherever b0 falls in it, b1 is due at the first point after b0 and starts when a0 is over.
    for (const [, due, started] of b) expect(started).toBeGreaterThanOrEqual(due)
    expect(b.map(([name]) => name)).toEqual(['b0', 'b1', 'b2', 'b3'])
    const points = b.map(([, due]) => due / 1000)
    expect(points.every(Number.isInteger)).toBe(true)
    expect(queue.missedByProbe()).toEqual({ a: 0, b: (points[3] ?? 0) - 3 })
  })

  test('probes without a grid stay mixed, and one with a grid cannot starve them', () => {
    const probes = [
      scheduled('a', { everyMs: 0, cells: 3, rounds: 20 }),
      scheduled('b', { everyMs: 0, cells: 3, rounds: 20 }),
      scheduled('g', { everyMs: 10, cells: 1, rounds: 200 }),
    ]
    const { simulation } = simulate(probes, 20)
    const names = simulation.run().asked.map(({ slot }) => slot.probe)
    const lastOf = (probe: string): number => names.lastIndexOf(probe)
    expect(lastOf('a')).toBeLessThan(lastOf('g'))
    const ungridded = names.filter((name) => name !== 'g').join('')
    const batches = Array.from({ length: 20 }, (_, batch) => ungridded.slice(batch * 6, batch * 6 + 6))
    for (const batch of batches) expect(batch.split('').toSorted().join('')).toBe('aaabbb')
    expect(batches.filter((batch) => !/^(aaabbb|bbbaaa)$/.test(batch)).length).toBeGreaterThan(10)
  })
})

describe('a wall clock that jumps', () => {
  test('forward: the points that it skips are missed, the rounds are asked all the same', () => {
    const { queue, simulation } = simulate([scheduled('a', { cells: 1, rounds: 4 })], 100)
    simulation.run(1)
    simulation.now += 3500
    expect(times(simulation.run()).map(([, due]) => due)).toEqual([0, 1000, 4000, 5000])
    expect(queue.missedRounds()).toBe(2)
  })

  test('back by an hour, in a request or in a wait: the run goes on within two periods and asks nothing twice', () => {
    for (const inWait of [false, true]) {
      const { simulation } = simulate([scheduled('a', { rounds: 6 })], 100)
      simulation.run(4)
      if (inWait) simulation.step()
      simulation.now -= 3_600_000
      const setBackTo = simulation.now
      simulation.run()
      const cells = simulation.asked.map(({ slot }) => cellOf(slot))
      expect(new Set(cells).size).toBe(12)
      expect(cells).toHaveLength(12)
      expect(simulation.now - setBackTo).toBeLessThan(6 * 1000)
    }
  })

  test('back by a little: no grid point is asked twice', () => {
    const { queue, simulation } = simulate([scheduled('a', { cells: 1 })], 1)
    simulation.run(1)
    simulation.now -= 5
    expect(times(simulation.run()).map(([, due]) => due)).toEqual([0, 1000, 2000])
    expect(queue.missedRounds()).toBe(0)
  })
})

/** Any few probes: with and without a grid, with rounds or (where so asked) a time. */
function anyProbes(byClock: boolean): fc.Arbitrary<readonly ScheduledProbe[]> {
  const plan = fc.record({
    cells: fc.integer({ min: 1, max: 5 }),
    everyMs: fc.constantFrom(0, 250, 1000, 1000 / 3, 5000),
    rounds: fc.integer({ min: 1, max: 8 }),
    seed: fc.nat(),
    forMs: byClock ? fc.option(fc.integer({ min: 1, max: 8000 })) : fc.constant(null),
  })
  return fc
    .array(plan, { minLength: 1, maxLength: 3 })
    .map((plans) =>
      plans.map(({ rounds, forMs, ...rest }, index) =>
        scheduled(`p${index}`, { ...rest, forMs, rounds: forMs === null ? rounds : null }),
      ),
    )
}

const anyDurations = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 20 })

function lasting(durations: readonly number[]): (slot: Slot) => number {
  return ({ seq }) => durations[seq % durations.length] ?? 1
}

/** What `rounds` plans, cell by cell. */
function plannedCells(probes: readonly ScheduledProbe[]): string[] {
  return probes.flatMap((probe) =>
    Array.from({ length: probe.rounds ?? 0 }, (_, round) =>
      probe.cells.map((cell) => cellOf({ ...cell, round })),
    ).flat(),
  )
}

describe('laws', () => {
  test('every cell is asked exactly once a round, rounds in order, one at a time, never before it is due', () => {
    fc.assert(
      fc.property(anyProbes(true), anyDurations, (probes, durations) => {
        const { simulation, queue } = simulate(probes, lasting(durations))
        const { asked } = simulation.run()
        for (const { probe, cells, rounds, everyMs, forMs } of probes) {
          const own = asked.filter(({ slot }) => slot.probe === probe)
          const last = own.at(-1)?.slot.round ?? -1
          if (rounds !== null) expect(last + 1).toBe(rounds)
          own.forEach(({ slot, startedAt }, index) => {
            expect(slot.round).toBe(Math.floor(index / cells.length))
            expect(startedAt).toBeGreaterThanOrEqual(slot.dueAt)
            const first = index % cells.length === 0
            if (first && everyMs > 0) {
              const point = Math.round((slot.dueAt - START) / everyMs)
              expect(slot.dueAt).toBe(START + Math.round(point * everyMs))
            }
            if (!first) expect(slot.dueAt).toBe(startedAt)
            if (first && forMs !== null && slot.round > 0) expect(slot.dueAt).toBeLessThan(START + forMs)
          })
          const distinct = new Set(own.map(({ slot }) => cellOf(slot)))
          expect(distinct.size).toBe(own.length)
          expect(own.length).toBe((last + 1) * cells.length)
          if (rounds === null && everyMs > 0) {
            // Every planned point was asked or missed.
            let planned = 0
            while (Math.round(planned * everyMs) < (forMs ?? 0)) planned += 1
            expect(last + 1 + (queue.missedByProbe()[probe] ?? 0)).toBe(planned)
          }
        }
        expect(asked.map(({ slot }) => slot.seq)).toEqual(asked.map((_, index) => index))
      }),
      { numRuns: 300 },
    )
  })

  test('missed rounds are the points that passed between the asked ones', () => {
    fc.assert(
      fc.property(anyProbes(false), anyDurations, (probes, durations) => {
        const { simulation, queue } = simulate(probes, lasting(durations))
        const { asked } = simulation.run()
        for (const { probe, cells, everyMs } of probes) {
          const firsts = asked
            .filter(({ slot }) => slot.probe === probe)
            .filter((_, index) => index % cells.length === 0)
          const lastPoint = everyMs === 0 ? 0 : Math.round(((firsts.at(-1)?.slot.dueAt ?? START) - START) / everyMs)
          expect(queue.missedByProbe()[probe]).toBe(everyMs === 0 ? 0 : lastPoint + 1 - firsts.length)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('a run that was cut anywhere, any number of times, asks in all what an uninterrupted one does, nothing twice', () => {
    const cuts = fc.array(fc.record({ after: fc.nat({ max: 30 }), pause: fc.integer({ min: 0, max: 20_000 }) }), {
      maxLength: 4,
    })
    fc.assert(
      fc.property(anyProbes(false), anyDurations, cuts, (probes, durations, sittings) => {
        const rows: Slot[] = []
        let now = START
        let first = true
        for (const { after, pause } of [...sittings, { after: Number.POSITIVE_INFINITY, pause: 0 }]) {
          const resumed = first ? {} : { resume: rows.slice(), resumedAt: now }
          const queue = createSlotQueue(probes, { startedAt: START, ...resumed })
          const simulation = new Simulation(queue, now, lasting(durations)).run(after)
          rows.push(...simulation.asked.map(({ slot }) => slot))
          now = simulation.now + pause
          first = false
        }
        expect(rows.map(cellOf).sort()).toEqual(plannedCells(probes).sort())
        expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index))
      }),
      { numRuns: 500 },
    )
  })

  test('a cut round is completed at once and in the order that it had', () => {
    fc.assert(
      fc.property(anyProbes(false), fc.nat({ max: 60 }), (probes, after) => {
        const whole = simulate(probes, 10).simulation.run().asked
        const before = simulate(probes, 10).simulation.run(after)
        const rows = before.asked.map(({ slot }) => slot)
        const queue = createSlotQueue(probes, { startedAt: START, resume: rows, resumedAt: before.now + 50 })
        const resumed = new Simulation(queue, before.now + 50, () => 10).run().asked
        for (const { probe, cells } of probes) {
          const own = rows.filter((row) => row.probe === probe)
          const left = (cells.length - (own.length % cells.length)) % cells.length
          const expected = whole.map(({ slot }) => slot).filter((slot) => slot.probe === probe)
          const got = resumed.map(({ slot }) => slot).filter((slot) => slot.probe === probe)
          expect(got.slice(0, left).map(cellOf)).toEqual(expected.slice(own.length, own.length + left).map(cellOf))
        }
        const cut = probes.reduce((sum, { probe, cells }) => {
          const own = rows.filter((row) => row.probe === probe).length
          return sum + ((cells.length - (own % cells.length)) % cells.length)
        }, 0)
        resumed.slice(0, cut).forEach(({ startedAt }, index) => expect(startedAt).toBe(before.now + 50 + index * 10))
      }),
      { numRuns: 300 },
    )
  })

  test('no jump of the wall clock makes it hang or ask twice', () => {
    const jumps = fc.array(fc.record({ after: fc.nat({ max: 40 }), by: fc.integer({ min: -1e8, max: 1e8 }) }), {
      maxLength: 4,
    })
    fc.assert(
      fc.property(anyProbes(false), anyDurations, jumps, (probes, durations, list) => {
        const { simulation } = simulate(probes, lasting(durations))
        let steps = 0
        for (;;) {
          for (const { after, by } of list) if (after === steps) simulation.now = Math.max(0, simulation.now + by)
          const from = simulation.now
          if (!simulation.step()) break
          const longest = Math.max(...probes.map(({ everyMs }) => 2 * everyMs), 3000)
          expect(simulation.now - from).toBeLessThanOrEqual(longest + 1)
          steps += 1
        }
        expect(simulation.asked.map(({ slot }) => cellOf(slot)).sort()).toEqual(plannedCells(probes).sort())
      }),
      { numRuns: 500 },
    )
  })
})

describe('resuming', () => {
  const probe = scheduled('a', { cells: 3, rounds: 10 })

  function resumedAfter(requests: number, resumedAt: number) {
    const before = simulate([probe], 100).simulation.run(requests)
    const rows = before.asked.map(({ slot }) => slot)
    const queue = createSlotQueue([probe], { startedAt: START, resume: rows, resumedAt: START + resumedAt })
    return { queue, simulation: new Simulation(queue, START + resumedAt, () => 100) }
  }

  test('a round that was cut is completed at once, later ones go on at the next point; points of the time between are missed', () => {
    // Killed in round 3 (due at 3000), after its first request.
    const { queue, simulation } = resumedAfter(10, 7250)
    expect(times(simulation.run(3))).toEqual([
      ['a3', 7250, 7250, 7350],
      ['a3', 7350, 7350, 7450],
      ['a4', 8000, 8000, 8100],
    ])
    expect(queue.missedRounds()).toBe(4)
    expect(times(simulation.run()).at(-1)?.[0]).toBe('a9')
    expect(queue.missedRounds()).toBe(4)
    expect(queue.planned).toBe(30)
  })

  test('points that pass while the cut round is completed are missed too', () => {
    const { queue, simulation } = resumedAfter(10, 6950)
    expect(times(simulation.run(3)).at(-1)).toEqual(['a4', 8000, 8000, 8100])
    expect(queue.missedRounds()).toBe(4)
  })

  test('cut between rounds and back soon, it misses nothing', () => {
    const { queue, simulation } = resumedAfter(9, 2500)
    expect(times(simulation.run(1))).toEqual([['a3', 3000, 3000, 3100]])
    expect(queue.missedRounds()).toBe(0)
  })

  test('rounds that were missed before are still known when only the last one is left', () => {
    const slow = ({ round }: Slot): number => (round === 0 ? 1250 : 100)
    const plan = scheduled('a', { cells: 3, rounds: 3 })
    for (const requests of [8, 9]) {
      const before = simulate([plan], slow).simulation.run(requests)
      const rows = before.asked.map(({ slot }) => ({ ...slot, due_at: new Date(slot.dueAt).toISOString() }))
      const queue = createSlotQueue([plan], { startedAt: START, resume: rows, resumedAt: START + 50_000 })
      const after = new Simulation(queue, START + 50_000, () => 100).run()
      expect(after.asked).toHaveLength(9 - requests)
      expect(queue.missedRounds()).toBe(3)
    }
  })

  test('all rows present: done at once', () => {
    const { queue } = resumedAfter(30, 20_000)
    expect(queue.next(START + 20_000, null)).toEqual({ kind: 'done' })
    expect(queue.missedRounds()).toBe(0)
  })

  test('`seq` goes on behind rows that do not count', () => {
    const queue = createSlotQueue([probe], { startedAt: START, resume: [], resumedAt: START, nextSeq: 5 })
    expect(queue.next(START, null)).toMatchObject({ kind: 'slot', slot: { seq: 5, round: 0 } })
  })

  test('`for` that has passed meanwhile: what was cut is completed, and nothing else', () => {
    const timed = { ...probe, rounds: null, forMs: 10_000 }
    const before = simulate([timed], 100).simulation.run(10)
    const rows = before.asked.map(({ slot }) => slot)
    const queue = createSlotQueue([timed], { startedAt: START, resume: rows, resumedAt: START + 50_000 })
    const simulation = new Simulation(queue, START + 50_000, () => 100).run()
    expect(times(simulation).map(([name]) => name)).toEqual(['a3', 'a3'])
    expect(queue.missedRounds()).toBe(6)
  })
})
