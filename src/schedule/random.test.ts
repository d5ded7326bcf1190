import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { drawSeed, freshNonce, runId, seededRandom, shuffle, xoshiro128 } from './random.ts'

test('xoshiro128** gives the published words', () => {
  // rand_xoshiro (Rust), from the authors' C code, state 1 2 3 4.
  const next = xoshiro128([1, 2, 3, 4])
  expect(Array.from({ length: 10 }, () => next())).toEqual([
    11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
  ])
  // xoshiro-6502 (edorfaus), from the authors' C code.
  const other = xoshiro128([0x964d4a0c, 0xd40ab895, 0xad7fdecb, 0x3006f0f0])
  expect(Array.from({ length: 4 }, () => other())).toEqual([0xf1391922, 0x6fe53806, 0xa5be2840, 0xf510ee70])
})

test('a stream depends on its seed and parts, and on nothing else', () => {
  const draw = (...parts: Parameters<typeof seededRandom>): number[] => {
    const random = seededRandom(...parts)
    return Array.from({ length: 5 }, () => random())
  }
  expect(draw(7, 'round', 'a', 3)).toEqual(draw(7, 'round', 'a', 3))
  const streams = [draw(7), draw(8), draw(7, 1), draw(7, '1'), draw(7, 'a', 'b'), draw(7, 'ab'), draw(7, 'b', 'a')]
  expect(new Set(streams.map(String)).size).toBe(streams.length)
})

test('numbers are uniform in [0, 1), also the first ones of neighbouring streams', () => {
  const streams = [
    Array.from({ length: 20_000 }, (_, seed) => seededRandom(seed)()),
    Array.from({ length: 20_000 }, (_, round) => seededRandom(1, 'round', round)()),
  ]
  const one = seededRandom(42)
  streams.push(Array.from({ length: 20_000 }, () => one()))
  for (const numbers of streams) {
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...numbers)).toBeLessThan(1)
    // Chi-square of 20 equal bins: 99.9 % of uniform samples stay under 43.82 (19 degrees of freedom); seeds are fixed.
    const bins = Array.from({ length: 20 }, () => 0)
    for (const value of numbers) bins[Math.floor(value * 20)] = (bins[Math.floor(value * 20)] ?? 0) + 1
    const chiSquare = bins.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)
    expect(chiSquare).toBeLessThan(43.82)
  }
})

test('shuffle keeps the items and leaves the list alone', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.nat(), (items, seed) => {
      const before = [...items]
      const shuffled = shuffle(items, seededRandom(seed))
      expect(items).toEqual(before)
      expect([...shuffled].sort((a, b) => a - b)).toEqual(before.sort((a, b) => a - b))
      expect(shuffle(items, seededRandom(seed))).toEqual(shuffled)
    }),
  )
})

test('shuffle gives every order equally often', () => {
  const random = seededRandom(3)
  const counts = new Map<string, number>()
  for (let turn = 0; turn < 24_000; turn += 1) {
    const order = shuffle(['a', 'b', 'c', 'd'], random).join('')
    counts.set(order, (counts.get(order) ?? 0) + 1)
  }
  expect(counts.size).toBe(24)
  // Chi-square, 23 degrees of freedom, 99.9 %: 49.73.
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)
  expect(chiSquare).toBeLessThan(49.73)
})

test('run ids sort by their start and differ within a millisecond', () => {
  const at = Date.parse('2026-12-01T03:11:12.345Z')
  expect(runId(at)).toMatch(/^20261201T031112345Z-[0-9a-f]{8}$/)
  expect(runId(at) < runId(at + 1)).toBe(true)
  expect(new Set(Array.from({ length: 100 }, () => runId(at))).size).toBe(100)
})

test('seeds are whole numbers, nonces 128 bits', () => {
  const seeds = Array.from({ length: 100 }, drawSeed)
  expect(seeds.every((seed) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32)).toBe(true)
  expect(new Set(seeds).size).toBeGreaterThan(90)
  expect(freshNonce()).toMatch(/^[0-9a-f]{32}$/)
  expect(freshNonce()).not.toBe(freshNonce())
})
