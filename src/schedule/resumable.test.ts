import { describe, expect, test } from 'vitest'

import type { RunEnd, RunLine, RunStart, Sample } from '../sample/types.ts'
import { findResumable } from './resumable.ts'

const START = Date.parse('2026-12-01T02:00:00.000Z')
const HOUR = 3_600_000

function started(runId: string, plan = 'plan', at = START): RunStart {
  return {
    type: 'start',
    run_id: runId,
    plan,
    started_at: new Date(at).toISOString(),
    seeds: { a: 7 },
    planned: 4,
    cells: [],
    overrides: {},
    versions: {},
    currencies: [],
  }
}

function ended(runId: string, fields: Partial<RunEnd> = {}): RunEnd {
  const ended_at = new Date(START).toISOString()
  return {
    type: 'end',
    run_id: runId,
    ended_at,
    sampled: 4,
    missed_rounds: 0,
    complete: true,
    interrupted: false,
    notes: [],
    ...fields,
  }
}

function row(runId: string, seq: number, aborted = false): Sample {
  const base = {
    run_id: runId,
    plan: 'plan',
    seq,
    round: seq,
    probe: 'a',
    target: 't',
    prompt: 'p',
    model: 'm',
    protocol: 'openai-chat',
    labels: {},
    due_at: new Date(START + seq * 60_000).toISOString(),
    started_at: new Date(START + seq * 60_000).toISOString(),
    lateness_ms: 0,
    stale_retries: 0,
    client_lag_ms: 0,
    flags: [],
    prompt_bytes: 1,
    nonce: 'n',
  }
  return aborted
    ? { ...base, outcome: 'error', error_kind: 'aborted', error_message: 'we stopped' }
    : { ...base, outcome: 'ok' }
}

function find(lines: readonly RunLine[], samples: readonly Sample[], now = START + HOUR / 2) {
  return findResumable(lines, samples, { plan: 'plan', now, resumeWithinMs: HOUR })
}

describe('findResumable', () => {
  test('a run without an end line goes on, with its own rows', () => {
    const found = find([started('r0', 'other'), started('r1')], [row('r0', 0), row('r1', 0), row('r1', 1)])
    expect(found).toEqual({ runId: 'r1', start: started('r1'), samples: [row('r1', 0), row('r1', 1)], nextSeq: 2 })
  })

  test('rows that we aborted are asked again, under a new seq', () => {
    const found = find([started('r1')], [row('r1', 0), row('r1', 1, true)])
    expect(found).toMatchObject({ samples: [row('r1', 0)], nextSeq: 2 })
  })

  test('all rows present and only the end line missing: it goes on all the same', () => {
    const rows = [0, 1, 2, 3].map((seq) => row('r1', seq))
    expect(find([started('r1')], rows)).toMatchObject({ samples: rows, nextSeq: 4 })
  })

  test.for<[string, RunEnd, boolean]>([
    ['complete', ended('r1'), false],
    ['interrupted', ended('r1', { complete: false, interrupted: true }), true],
    ['interrupted after the last row', ended('r1', { interrupted: true }), true],
    ['incomplete', ended('r1', { complete: false, reason: 'write-failed' }), true],
    ['of another run', ended('r0'), true],
  ])('an end line that is %s', ([, end, resumable]) => {
    expect(find([started('r1'), end], [row('r1', 0)]) !== null).toBe(resumable)
  })

  test('completed in its second sitting, it is finished', () => {
    const resumed = { type: 'resume', run_id: 'r1', resumed_at: '', present: 1 } as const
    const lines = [started('r1'), ended('r1', { complete: false, interrupted: true }), resumed, ended('r1')]
    expect(find(lines, [row('r1', 0)])).toBeNull()
  })

  test('only the newest run of the plan counts', () => {
    expect(find([started('r1'), started('r2'), ended('r2')], [row('r1', 0)])).toBeNull()
    expect(find([started('r1'), started('r2')], [row('r1', 0)])).toMatchObject({ runId: 'r2', samples: [], nextSeq: 0 })
  })

  test('the last row, or the start where there is none, must be younger than the limit', () => {
    expect(find([started('r1')], [], START + HOUR - 1)).not.toBeNull()
    expect(find([started('r1')], [], START + HOUR)).toBeNull()
    expect(find([started('r1')], [row('r1', 5)], START + 5 * 60_000 + HOUR - 1)).not.toBeNull()
    expect(find([started('r1')], [row('r1', 5)], START + 5 * 60_000 + HOUR)).toBeNull()
    expect(find([started('r1')], [row('r1', 0), row('r1', 5, true)], START + HOUR)).not.toBeNull()
  })

  test('no run of the plan is no run', () => {
    expect(find([], [])).toBeNull()
    expect(find([started('r1', 'other')], [])).toBeNull()
  })
})
