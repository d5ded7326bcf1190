import { describe, expect, test } from 'vitest'
import { instants } from './scales.ts'

const ticksOf = (from: string, to: string, zone: string): string[] =>
  instants('time', [Date.parse(from), Date.parse(to)], zone).axis.ticks.map(({ text }) => text)

describe('ticks of a time axis', () => {
  test('are round on the clocks of the zone, on both sides of a change of them', () => {
    expect(ticksOf('2026-10-24T18:00:00Z', '2026-10-25T18:00:00Z', 'Europe/Berlin')).toEqual([
      '10-25',
      '06:00',
      '12:00',
      '18:00',
    ])
    expect(ticksOf('2026-03-29T00:00:00Z', '2026-03-29T05:00:00Z', 'Europe/Berlin')).toEqual([
      '01:00',
      '03:00',
      '04:00',
      '05:00',
      '06:00',
      '07:00',
    ])
    expect(ticksOf('2026-10-28T00:00:00Z', '2026-10-28T12:00:00Z', 'Asia/Kolkata')).toEqual([
      '06:00',
      '09:00',
      '12:00',
      '15:00',
    ])
  })

  test('are two at least, however short the run', () => {
    for (const ms of [1, 7, 400, 999, 1500, 61_000, 119_000, 3_599_000, 90_000_000, 4e10]) {
      const to = new Date(Date.parse('2026-10-28T00:00:59.700Z') + ms).toISOString()
      const ticks = ticksOf('2026-10-28T00:00:59.700Z', to, 'UTC')
      expect(ticks.length, String(ms)).toBeGreaterThan(1)
      expect(new Set(ticks).size, ticks.join()).toBe(ticks.length)
    }
  })
})
