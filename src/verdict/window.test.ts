import { describe, expect, it } from 'vitest'
import { judge } from './index.ts'
import { caseOf, CELL, inputOf, ok, times } from './testing/cases.ts'

const night = (day: number, fields = {}) => ({
  run_id: `night ${day}`,
  started_at: `2026-12-${String(day).padStart(2, '0')}T02:00:00.000Z`,
  labels: { build: 'a' },
  ...fields,
})
const week = (same: readonly string[] = []) => caseOf('p99 ttft < 10s', { window: { forMs: 7 * 86_400_000, same } })
const tonight = (fields = {}) => times(40, () => ok(night(10, fields)))

describe('a window', () => {
  it('adds the rows of earlier runs, and says of how many', () => {
    const earlier = [5, 7, 9].flatMap((day) => times(20, () => ok(night(day))))
    const finding = judge(week(), inputOf(tonight(), { earlier }))
    expect(finding).toMatchObject({
      verdict: 'pass',
      n: 100,
      window: { runs: 4, earlierSamples: 60, since: '2026-12-03T02:00:00.000Z' },
    })
    expect(finding.message).toMatch(/; pooled over 4 runs since 2026-12-03T02:00Z \(60 earlier requests\)$/)
    expect(judge(caseOf('p99 ttft < 10s'), inputOf(tonight(), { earlier }))).toMatchObject({
      verdict: 'inconclusive',
      n: 40,
    })
  })

  it.each([
    ['older ones', night(2)],
    ['later ones', night(11)],
    ['other prompts', { ...night(9), prompt: 'other' }],
    ['other models', { ...night(9), model: 'glm-6' }],
    ['simulated ones', { ...night(9), simulated: 100 }],
    ['another row of this run', { ...night(9), run_id: 'night 10' }],
  ])('leaves out %s', (_, fields) => {
    expect(judge(week(), inputOf(tonight(), { earlier: times(60, () => ok(fields)) }))).toMatchObject({
      n: 40,
      window: { runs: 1, earlierSamples: 0 },
    })
  })

  it('takes simulated rows where the run is simulated, and no real ones', () => {
    const earlier = [...times(3, () => ok({ ...night(9), simulated: 50 })), ...times(5, () => ok(night(9)))]
    expect(judge(week(), inputOf(tonight({ simulated: 100 }), { earlier })).n).toBe(43)
  })

  it('looks at labels only where they are named', () => {
    const earlier = times(60, () => ok(night(9, { labels: { build: 'b' } })))
    expect(judge(week(), inputOf(tonight(), { earlier })).n).toBe(100)
    expect(judge(week(['build']), inputOf(tonight(), { earlier })).n).toBe(40)
    expect(judge(week(['region']), inputOf(tonight(), { earlier })).n).toBe(100)
  })

  it('does not make up for a night without samples', () => {
    const earlier = times(500, () => ok(night(9)))
    expect(judge(week(), inputOf([], { earlier }))).toMatchObject({ verdict: 'inconclusive', broken: true, n: 0 })
    const pool = { ...week(), prompt: 'all', cells: [CELL, { ...CELL, prompt: 'short' }] }
    expect(judge(pool, inputOf(tonight(), { earlier }))).toMatchObject({
      verdict: 'inconclusive',
      reason: 'no-samples',
      broken: true,
    })
  })

  it('gives the same in any order of the rows', () => {
    const earlier = [5, 7, 9].flatMap((day) => times(20, (at) => ok({ ...night(day), ttft_ms: 1000 + at })))
    const samples = tonight()
    expect(judge(week(), inputOf(samples.toReversed(), { earlier: earlier.toReversed() }))).toEqual(
      judge(week(), inputOf(samples, { earlier })),
    )
  })
})
