import { describe, expect, it } from 'vitest'
import type { Acknowledgement } from '../budget/types.ts'
import type { Sample } from '../sample/types.ts'
import { acknowledgementNotes, judge } from './index.ts'
import { caseOf, inputOf, ok, times } from './testing/cases.ts'

const night = (day: number, beyond: number, n = 100, fields = {}): Sample[] =>
  times(n, (at) =>
    ok({
      run_id: `night ${day}`,
      started_at: `2026-12-${String(day).padStart(2, '0')}T20:00:00.000Z`,
      ttft_ms: at < beyond ? 20_000 : 1000,
      ...fields,
    }),
  )
const BAD = 10
const GOOD = 0

describe('fail_after', () => {
  const second = caseOf('p99 ttft < 10s', { failAfter: 2 })
  const third = caseOf('p99 ttft < 10s', { failAfter: 3 })

  it('warns on the first night beyond, and fails on the second', () => {
    const first = judge(second, inputOf(night(9, BAD), { earlier: night(8, GOOD) }))
    expect(first).toMatchObject({ verdict: 'fail', severity: 'warn', failAfter: { night: 1, of: 2 } })
    expect(first.message).toMatch(/; first run in a row beyond, fails from 2 on$/)
    const again = judge(second, inputOf(night(9, BAD), { earlier: night(8, BAD) }))
    expect(again).toMatchObject({ verdict: 'fail', severity: 'fail', failAfter: { night: 2, of: 2 } })
    expect(again.message).toMatch(/; at least the second run in a row beyond$/)
  })

  it('counts nights in a row', () => {
    const row = (...nights: Sample[][]) =>
      judge(third, inputOf(night(9, BAD), { earlier: nights.flat() })).failAfter?.night
    expect(row()).toBe(1)
    expect(row(night(8, BAD), night(7, BAD), night(6, BAD))).toBe(3)
    expect(row(night(8, GOOD), night(7, BAD))).toBe(1)
    expect(row(night(7, GOOD), night(8, BAD))).toBe(2)
    // a night that could not be judged is passed over
    expect(row(night(8, GOOD, 5), night(7, BAD), night(6, BAD))).toBe(3)
  })

  it('looks at nights of the same model and kind only, before this one', () => {
    const row = (earlier: Sample[]) => judge(second, inputOf(night(9, BAD), { earlier })).failAfter?.night
    expect(row(night(8, BAD, 100, { model: 'glm-6' }))).toBe(1)
    expect(row(night(8, BAD, 100, { simulated: 100 }))).toBe(1)
    expect(row(night(10, BAD))).toBe(1)
  })

  it('leaves a pass and an inconclusive night as they are', () => {
    expect(judge(second, inputOf(night(9, GOOD))).failAfter).toBeUndefined()
    expect(judge(second, inputOf(night(9, 0, 5)))).toMatchObject({ verdict: 'inconclusive', severity: 'fail' })
  })
})

describe('acknowledge', () => {
  const known = (fields: Partial<Acknowledgement> = {}) =>
    caseOf('p99 ttft < 10s', {
      acknowledge: [
        {
          where: {},
          until: '2026-12-09',
          reason: 'incident 4711',
          upTo: null,
          source: { file: 'slo.yaml', line: 9, column: 5 },
          ...fields,
        },
      ],
    })

  it('keeps the verdict and takes its teeth', () => {
    const finding = judge(known(), inputOf(night(9, BAD)))
    expect(finding).toMatchObject({
      verdict: 'fail',
      severity: 'warn',
      acknowledged: { state: 'holds', until: '2026-12-09' },
    })
    expect(finding.message).toMatch(/; acknowledged until 2026-12-09: incident 4711$/)
    expect(acknowledgementNotes([finding])).toEqual([])
    expect(judge(known(), inputOf(night(9, GOOD))).acknowledged).toBeUndefined()
  })

  it('ends with its day, in the zone of the file, and is noted', () => {
    const expired = judge(known(), inputOf(night(10, BAD)))
    expect(expired).toMatchObject({ verdict: 'fail', severity: 'fail', acknowledged: { state: 'expired' } })
    expect(acknowledgementNotes([expired, expired])).toEqual([
      {
        code: 'acknowledgement-expired',
        message: 'the acknowledgement of the-budget (slo.yaml:9) ended on 2026-12-09 and has no effect: incident 4711',
      },
    ])
    // 20:00 UTC of the 9th is 01:30 of the 10th in Kolkata
    expect(judge(known(), inputOf(night(9, BAD), { timezone: 'Asia/Kolkata' })).acknowledged?.state).toBe('expired')
    expect(judge(known(), inputOf(night(10, BAD), { timezone: 'Pacific/Honolulu' })).acknowledged?.state).toBe(
      'expired',
    )
    expect(judge(known({ until: '2026-12-10' }), inputOf(night(10, BAD))).acknowledged?.state).toBe('holds')
  })

  it('holds up to its value', () => {
    expect(judge(known({ upTo: 20_000 }), inputOf(night(9, BAD)))).toMatchObject({ severity: 'warn' })
    const over = judge(known({ upTo: 15_000 }), inputOf(night(9, BAD)))
    expect(over).toMatchObject({ severity: 'fail', acknowledged: { state: 'exceeded', upTo: 15_000 } })
    expect(over.message).toMatch(/; acknowledged up to 15 s only: incident 4711$/)
  })

  it('does not hide a gate without samples', () => {
    expect(judge(known(), inputOf([]))).toMatchObject({ broken: true, onInconclusive: 'fail' })
    expect(judge(known(), inputOf(night(9, 0, 5)))).toMatchObject({ verdict: 'inconclusive', onInconclusive: 'warn' })
  })

  it('takes what helps most of several', () => {
    const [first] = known().acknowledge ?? []
    if (first === undefined) throw new Error('no acknowledgement')
    const two = {
      ...known(),
      acknowledge: [
        { ...first, until: '2026-01-01' },
        { ...first, reason: 'another' },
      ],
    }
    expect(judge(two, inputOf(night(9, BAD))).acknowledged).toMatchObject({ state: 'holds', reason: 'another' })
  })
})
