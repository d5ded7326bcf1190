import { describe, expect, test } from 'vitest'
import type { Sample } from '../../sample/types.ts'
import { failedSample, okSample } from '../../sample/testing/samples.ts'
import { buildReport } from '../build-report.ts'
import { finding, HOSTILE, inconclusive, passing, run } from '../testing/reports.ts'
import type { RunReport } from '../types.ts'
import { chartData, CHARTED } from './chart-data.ts'
import { TOP } from './frame.ts'
import { renderHtml } from './page.ts'

const HOUR = 3_600_000

function samplesOf(count: number, fields: Partial<Sample> = {}): Sample[] {
  return Array.from({ length: count }, (_, seq) => {
    const at = new Date(Date.parse('2026-10-28T00:00:00.000Z') + seq * HOUR).toISOString()
    const common = { seq, round: seq, due_at: at, started_at: at, ...(fields as object) }
    return seq % 10 === 9
      ? failedSample({ ...common, status: 529 })
      : okSample({
          ttft_ms: 500 + seq * 10,
          first_answer_ms: 900 + seq,
          decode_tps: 50,
          prompt_tokens: 1000,
          ...common,
        })
  })
}

function reportOf(samples: readonly Sample[], fields: Partial<RunReport> = {}): RunReport {
  const cells = [...new Map(samples.map((each) => [`${each.target}${each.prompt}`, each])).values()].map(
    ({ probe, target, prompt }) => ({ probe, target, prompt }),
  )
  const built = buildReport({ run: run(), findings: [finding(), passing()], samples, cells, currencies: [], notes: [] })
  return { ...built, ...fields }
}

const pageOf = (samples: readonly Sample[], fields: Partial<RunReport> = {}): string => {
  const report = reportOf(samples, fields)
  return renderHtml(report, chartData(report, samples))
}

/** Every tag closed in order; attributes are quoted. */
function unclosed(html: string): string[] {
  const open: string[] = []
  const voids = new Set(['meta', 'br', 'hr'])
  for (const [, end, name = '', own] of html
    .replace(/<style>[\s\S]*?<\/style>/g, '')
    .matchAll(/<(\/?)([a-z][a-z0-9]*)(?:\s[^<>]*?)?(\/?)>/gi)) {
    if (end === '/') {
      if (open.pop() !== name) throw new Error(`</${name}> closes nothing`)
    } else if (own !== '/' && !voids.has(name)) open.push(name)
  }
  return open
}

describe('the page', () => {
  test('needs nothing from anywhere: no script, no address but those within', () => {
    const page = pageOf(samplesOf(40))
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
    expect(page).not.toMatch(/<script|javascript:|@import|url\(|<link|<img|<iframe|\son[a-z]+=/i)
    expect([...page.matchAll(/(?:href|src)="([^"]*)"/g)].every(([, to = '']) => to.startsWith('#'))).toBe(true)
    expect(page).not.toMatch(/https?:\/\//)
  })

  test('is whole, and every id is there once and every link goes somewhere', () => {
    const page = pageOf([...samplesOf(40), ...samplesOf(40, { prompt: 'long' }), ...samplesOf(40, { target: 'other' })])
    expect(unclosed(page)).toEqual([])
    const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const wanted = [...page.matchAll(/(?:href="#|aria-labelledby=")([^"]*)"/g)].flatMap(([, to = '']) => to.split(' '))
    expect(wanted.filter((id) => !ids.includes(id))).toEqual([])
  })

  test('says the verdict first, and shows what fails before what passes', () => {
    const page = pageOf(samplesOf(40), { findings: [passing(), inconclusive(), finding()] })
    expect(page.indexOf('SLO failed: 1 of 3 budgets breached')).toBeLessThan(page.indexOf('id="numbers"'))
    expect(page.indexOf('<caption>Failed')).toBeLessThan(page.indexOf('<caption>Inconclusive'))
    expect(page.indexOf('<caption>Inconclusive')).toBeLessThan(page.indexOf('<caption>Passed'))
    expect(page).toContain('slo.yaml:12:5')
  })

  test('every chart has a title, a sentence and a table of its numbers', () => {
    const page = pageOf([...samplesOf(40), ...samplesOf(40, { prompt: 'long', prompt_tokens: 9000 })])
    const figures = page.split('<figure>').slice(1)
    expect(figures).toHaveLength(6)
    for (const figure of figures) {
      expect(figure).toMatch(
        /<svg [^>]*role="img" aria-labelledby="[^"]+ [^"]+"[^>]*><title [^>]*>[^<]+<\/title><desc [^>]*>[^<]{20,}<\/desc>/,
      )
      expect(figure).toMatch(/<details><summary>Numbers/)
      expect(figure).toMatch(/<th scope="row">/)
      expect(figure).not.toMatch(/NaN|Infinity|undefined|null/)
    }
  })

  test('draws the budget into the distribution, marks failures and stretches without rounds', () => {
    const samples = samplesOf(40).filter(({ seq }) => seq < 20 || seq > 25)
    const page = pageOf(samples, { findings: [finding({ target: 'glm-5.3', prompt: 'medium' })] })
    expect(page).toMatch(/class="limit-text"[^>]*>p99 ttft &lt; 10s</)
    expect(page.match(/class="fail"/g)).toHaveLength(samples.filter(({ outcome }) => outcome === 'error').length)
    expect(page.match(/class="gap"/g)).toHaveLength(1)
  })

  test('labels of limits stand above the curves, one a row', () => {
    const limits = [1500, 2500, 10_000].map((limit) =>
      finding({ target: 'glm-5.3', prompt: 'medium', limit, text: `p95 ttft < ${limit}ms` }),
    )
    const [figure = ''] = pageOf(samplesOf(40), { findings: limits }).split('<figure>').slice(1)
    const labels = [...figure.matchAll(/class="limit-text" x="[^"]*" y="([^"]*)"/g)].map(([, y]) => Number(y))
    expect(new Set(labels).size).toBe(3)
    expect(Math.max(...labels)).toBeLessThan(TOP)
    const [, top = ''] = /viewBox="0 (\S+) /.exec(figure) ?? []
    expect(Math.min(...labels) - 12).toBeGreaterThanOrEqual(Number(top))
  })

  test('where the run recorded that no round was missed, none is looked for', () => {
    const samples = samplesOf(40).filter(({ seq }) => seq < 20 || seq > 25)
    expect(pageOf(samples, { run: run({ missedRounds: 0 }) })).toContain('0 rounds missed')
    const report = reportOf(samples)
    const gapsOf = (missedRounds: number | null): number | undefined =>
      chartData({ ...report, run: run({ missedRounds }) }, samples).targets[0]?.gaps.length
    expect([gapsOf(0), gapsOf(6), gapsOf(null)]).toEqual([0, 1, 1])
  })

  test('the time between two runs that are pooled is no stretch of missed rounds', () => {
    const samples = samplesOf(40)
      .filter(({ seq }) => seq < 10 || seq >= 30)
      .map((sample) => ({ ...sample, run_id: sample.seq < 10 ? 'first' : 'second' }))
    const report = reportOf(samples)
    expect(chartData(report, samples).targets[0]?.gaps).toEqual([])
  })

  test('text from outside is text', () => {
    const page = pageOf(samplesOf(20, { target: HOSTILE, prompt: HOSTILE }), {
      findings: [finding({ budget: HOSTILE, message: HOSTILE, target: HOSTILE })],
      notes: [{ code: 'x', message: HOSTILE }],
    })
    expect(unclosed(page)).toEqual([])
    expect(page).not.toContain('<b>')
    // oxlint-disable-next-line no-control-regex -- none may be left
    expect(page).not.toMatch(/[\u0000-\u0008\u001b]/)
  })

  test('nothing sampled, nothing successful, and times that nobody knows are no mistakes', () => {
    expect(unclosed(pageOf([]))).toEqual([])
    expect(pageOf(samplesOf(10).filter((each) => each.outcome === 'error'))).not.toContain('NaN')
    const page = pageOf(samplesOf(10, { started_at: '', due_at: '' }))
    expect(page).not.toMatch(/NaN|Invalid/)
    expect(page.split('<figure>')).toHaveLength(5)
  })

  test('many samples and many targets make no larger page', () => {
    const page = pageOf(samplesOf(100_000, { prompt: 'long' }))
    expect(page.length).toBeLessThan(400_000)
    expect(page).toContain('of 90,000 successes are drawn')
    const targets = Array.from({ length: 60 }, (_, at) => samplesOf(5, { target: `m${at}` })).flat()
    const wide = pageOf(targets)
    expect(wide).toContain(`${60 - CHARTED} more targets have no charts`)
  })

  test('of a long table sixty rows stand open and the others are folded', () => {
    const findings = Array.from({ length: 200 }, (_, at) => finding({ budget: `budget-${at}` }))
    const page = pageOf(samplesOf(10), { findings })
    const [open = '', folded = ''] = page.split('<summary>140 more rows')
    expect(open).toContain('<th scope="row">budget-59<br>')
    expect(open).not.toContain('<th scope="row">budget-60<br>')
    expect(folded).toContain('<th scope="row">budget-60<br>')
    expect(folded).toContain('<th scope="row">budget-199<br>')
    expect(unclosed(page)).toEqual([])
  })

  test('practice is said loudly', () => {
    const samples = samplesOf(20, { simulated: 100 })
    expect(pageOf(samples, { run: run({ simulated: true }) })).toContain('class="banner">')
  })
})

test('of many samples the drawing keeps every one of the slowest and the place of every failure and of the tail', () => {
  const start = Date.parse('2026-10-28T00:00:00.000Z')
  const tailed = samplesOf(20_000).map((sample) => {
    const started_at = new Date(start + sample.seq * 1000).toISOString()
    return sample.outcome === 'ok'
      ? { ...sample, started_at, ttft_ms: sample.seq % 300 === 0 ? 20_000 + sample.seq : 800 + (sample.seq % 97) }
      : { ...sample, started_at }
  })
  const report = reportOf(tailed)
  const [charts] = chartData(report, tailed).targets
  if (charts === undefined) throw new Error('no charts')
  const slow = tailed.flatMap(({ outcome, ttft_ms }) => (outcome === 'ok' && (ttft_ms ?? 0) > 10_000 ? [ttft_ms] : []))
  expect(charts.points.filter(({ ttft }) => ttft > 10_000).map(({ ttft }) => ttft)).toEqual(slow)
  expect(charts.points.length).toBeLessThan(800)
  const column = (at: number): number => Math.round(((at - start) / 19_999_000) * 340)
  const failed = tailed.flatMap(({ outcome, started_at }) =>
    outcome === 'error' ? [column(Date.parse(started_at))] : [],
  )
  expect(new Set(charts.failures.map(({ at }) => column(at)))).toEqual(new Set(failed))
  expect(charts.failuresOf).toBe(2000)
})

test('the distribution that is drawn keeps its tail', () => {
  const samples = samplesOf(5000)
  const report = reportOf(samples)
  const { targets } = chartData(report, samples)
  const steps = targets[0]?.prompts[0]?.ttft.steps ?? []
  expect(steps.length).toBeLessThan(200)
  expect(steps.at(-1)).toEqual([500 + 4998 * 10, 1])
  expect(steps.at(-2)?.[0]).toBe(500 + 4997 * 10)
  expect(targets[0]?.points.some(({ ttft }) => ttft === 500 + 4998 * 10)).toBe(true)
})
