import { describe, expect, test } from 'vitest'
import { budgetCases, parseBudgets } from '../budget/index.ts'
import { okSample } from '../sample/testing/samples.ts'
import type { Sample } from '../sample/types.ts'
import { seededRandom } from '../schedule/index.ts'
import { judgeAll } from '../verdict/index.ts'
import { buildReport } from './build-report.ts'
import { budgetHistory, levelChange } from './history.ts'
import { chartData, renderHtml } from './html/index.ts'
import { renderSummary } from './summary.ts'
import { run } from './testing/reports.ts'

const CELL = { probe: 'serverless', target: 'glm-5.3', prompt: 'medium' }
const { file } = parseBudgets(
  `version: 1
budgets:
  - { id: ttft, limit: p50 ttft < 1500ms }
  - { id: relative, limit: p50 ttft <= baseline + 10%, baseline: { history: 30d }, on_inconclusive: warn }
`,
  'slo.yaml',
)
const cases = budgetCases(file, [CELL])

function night(index: number, ttft: number): Sample[] {
  const day = String(index + 1).padStart(2, '0')
  return Array.from({ length: 12 }, (_, seq) =>
    okSample({ run_id: `night-${day}`, seq, started_at: `2026-11-${day}T02:00:00.000Z`, ttft_ms: ttft + seq }),
  )
}

function historyOf(levels: readonly number[]) {
  const nights = levels.map((level, index) => night(index, level))
  const input = {
    samples: nights.at(-1) ?? [],
    earlier: nights.slice(0, -1).flat(),
    incomplete: [],
    interrupted: false,
    currencies: [],
  }
  const findings = judgeAll(cases, input)
  return { input, findings, history: budgetHistory(cases, input, findings) }
}

describe('nights', () => {
  test('each is judged by itself, tonight last; a budget with a baseline is left out', () => {
    const { history } = historyOf([1000, 1600, 1100])
    expect(history.map(({ budget }) => budget)).toEqual(['ttft'])
    expect(history[0]?.nights.map(({ run: id, value, verdict, n }) => [id, value, verdict, n])).toEqual([
      ['night-01', 1005.5, 'pass', 12],
      ['night-02', 1605.5, 'fail', 12],
      ['night-03', 1105.5, 'pass', 12],
    ])
    expect(history[0]?.change).toBeNull()
  })

  test('practice, another time scale, quick looks and runs that were cut short are no nights', () => {
    const practice = (scale: number) =>
      night(0, 500).map((sample) => ({ ...sample, run_id: `×${scale}`, simulated: scale }))
    const input = {
      samples: night(3, 1100),
      earlier: [...practice(100), ...night(1, 1000), ...night(2, 900).slice(0, 5)],
      incomplete: [],
      interrupted: false,
      currencies: [],
    }
    const nightsOf = (change: Partial<typeof input>) => {
      const all = { ...input, ...change }
      return budgetHistory(cases, all, judgeAll(cases, all)).flatMap(({ nights }) => nights.map(({ run: id }) => id))
    }
    expect(nightsOf({})).toEqual(['night-02', 'night-04'])
    const own = practice(100).map((sample) => ({ ...sample, run_id: 'own' }))
    expect(nightsOf({ samples: own, earlier: [...night(1, 1000), ...practice(25)] })).toEqual([])
    expect(nightsOf({ samples: own, earlier: [...night(1, 1000), ...practice(100)] })).toEqual(['×100', 'own'])
  })

  test('one night is no history', () => {
    expect(historyOf([1000]).history).toEqual([])
  })

  test('a level that changed is said with its first night and both medians', () => {
    const levels = [1000, 1010, 990, 1005, 995, 1002, 1300, 1310, 1290, 1305, 1295, 1302]
    const { history, input, findings } = historyOf(levels)
    expect(history[0]?.change).toMatchObject({ run: 'night-07', before: 1006.5, after: 1306.5 })
    expect(history[0]?.change?.p).toBeLessThanOrEqual(0.01)
    const currencies: [] = []
    const report = buildReport({
      run: run(),
      findings,
      samples: input.samples,
      cells: [CELL],
      currencies,
      notes: [],
      history,
    })
    const summary = renderSummary(report)
    expect(summary).toContain('## Over the runs')
    expect(summary).toContain('2026-11-07: 1.01 s → 1.31 s')
    expect(summary).toContain('one is said to have')
    const page = renderHtml(report, chartData(report, input.samples))
    expect(page).toContain('level changed on 2026-11-07')
    expect(page.match(/<figure>[\s\S]*?id="h0-t"/g)).toHaveLength(1)
    expect(page).not.toMatch(/NaN|undefined/)
  })

  test('several runs of a day are told apart by their times', () => {
    const hourly = [0, 1, 2].flatMap((hour) =>
      night(0, 1000 + hour).map((sample) => ({
        ...sample,
        run_id: `run-${hour}`,
        started_at: sample.started_at.replace(/T\d\d/, `T0${hour + 1}`),
      })),
    )
    const input = { samples: hourly, incomplete: [], interrupted: false, currencies: [] }
    const findings = judgeAll(cases, input)
    const history = budgetHistory(cases, input, findings)
    const report = buildReport({
      run: run({ timezone: 'UTC' }),
      findings,
      samples: hourly,
      cells: [CELL],
      currencies: [],
      notes: [],
      history,
    })
    const [figure = ''] = renderHtml(report, chartData(report, hourly)).split('id="h0-t"').slice(1)
    expect(
      [...figure.matchAll(/class="tick"[^>]*>\d\d-\d\d (0\d:\d\d)</g)].map(([, time]) => time?.slice(0, 2)),
    ).toEqual(['01', '02', '03'])
  })

  test('runs that are pooled are nights', () => {
    const samples = [...night(0, 1000), ...night(1, 1100)]
    const input = { samples, incomplete: [], interrupted: false, currencies: [] }
    const [history] = budgetHistory(cases, input, judgeAll(cases, input))
    expect(history?.nights.map(({ run: id }) => id)).toEqual(['night-01', 'night-02'])
  })
})

describe("Pettitt's test", () => {
  test('finds the step of a published kind of series, and nothing in a trendless one', () => {
    expect(levelChange([1, 2, 1, 2, 1, 9, 8, 9, 8, 9], 'x')).toMatchObject({ at: 5 })
    expect(levelChange([1, 9, 2, 8, 1, 9, 2, 8, 1, 9], 'x')).toBeNull()
    expect(levelChange([1, 1, 1, 9, 9, 9], 'x')).toBeNull()
    expect(levelChange(Array<number>(30).fill(5), 'x')).toBeNull()
  })

  test('keeps its false alarms: about one of a hundred series without a change', () => {
    const random = seededRandom(3, 'false alarms')
    let alarms = 0
    const series = 1500
    for (let at = 0; at < series; at += 1) {
      if (levelChange(Array.from({ length: 20 }, random), String(at)) !== null) alarms += 1
    }
    // 15 are expected; P(Bin(1500, 0.01) ≥ 29) < 0.1 %, and fewer than 4 < 0.1 %
    expect(alarms).toBeLessThan(29)
    expect(alarms).toBeGreaterThan(3)
  })
})
