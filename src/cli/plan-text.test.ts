import { expect, test } from 'vitest'
import type { CaseOutlook } from './coverage.ts'
import type { Forecast, ProbeForecast } from './forecast.ts'
import { budgetLines, whenLines } from './plan-text.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')

function forecastOf(probe: Partial<ProbeForecast>): Forecast {
  const whole = { probe: 'p', everyMs: 480_000, rounds: 40, forMs: null, lastsMs: 18_720_000, roundMs: null, ...probe }
  return { cells: [], probes: [whole], requests: 40, warmups: 1, basis: null }
}

function outlook(target: string, change: Partial<CaseOutlook>, cost: number | null = 4.28): CaseOutlook {
  return {
    budget: 'ttft',
    text: 'p99 ttft < 10s',
    place: 'slo.yaml:3:12',
    name: `p/${target}/all`,
    cells: [],
    planned: 120,
    needed: 100,
    provenFrom: 299,
    judgeable: true,
    looksBack: false,
    atMost: true,
    power: {
      planned: 120,
      meaningful: 100,
      proven: 299,
      caught: { twice: 0.69, fiveTimes: 0.98 },
      falseAlarm: 0.12,
      unchangedPasses: null,
      unknown: null,
      toProve: { rounds: 100, requests: 300, hours: 13.333, tokens: 1_769_400, cost, currency: 'USD' },
    },
    ...change,
  }
}

test.each([
  [480_000, 'one every 8 min'],
  [90_000, 'one every 90 s'],
  [10_800_000, 'one every 3 h 00 min'],
  [0, 'back to back'],
])('every %i ms is %s', (everyMs, text) => {
  expect(whenLines(forecastOf({ everyMs }), NOW, 'UTC').join('\n')).toContain(`40 rounds, ${text};`)
})

test('when a run ends is told in the zone of the budgets', () => {
  expect(whenLines(forecastOf({}), NOW, 'Asia/Kolkata').join(' ')).toMatch(/2026-01-01\s+10:42 \(Asia\/Kolkata\)/)
})

test('a round that takes longer than the grid is told', () => {
  expect(whenLines(forecastOf({ roundMs: 600_000 }), NOW, 'UTC').at(-1)).toContain('longer than 8 min')
})

test('cells with one outlook stand together, with the money from least to most', () => {
  const lines = budgetLines([outlook('a', {}), outlook('b', {}, 0.5)], (text) => text)
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "  ttft: p99 ttft < 10s (slo.yaml:3:12)
        p/a/all, p/b/all: 120 samples each
          a pass is meaningful from 100 samples, proven from 299 with none beyond
          finds 69 % of breaches twice as bad as allowed, 98 % five times
          fails 12 % of targets half as bad as allowed
          to prove it: 100 rounds, 300 requests, 13 h 20 min
            at most 1,769,400 tokens, 0.50 to 4.28 USD"
  `)
})

test('what cannot be judged stands out, and promises nothing', () => {
  const lines = budgetLines([outlook('a', { planned: 30, judgeable: false })], (text) => `!${text}`).join('\n')
  expect(lines).toContain('!      CANNOT BE JUDGED: 30 samples, it needs 100')
  expect(lines).not.toContain('finds')
})

test('enough is said to be enough', () => {
  const lines = budgetLines([outlook('a', { planned: 300 })], (text) => text).join('\n')
  expect(lines).toContain('enough for a proof')
  expect(lines).not.toContain('to prove it')
})
