import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RunReport } from '../report/types.ts'
import { failedSample, okSample } from '../sample/testing/samples.ts'
import type { RunEnd, RunStart, Sample } from '../sample/types.ts'
import { csvOf, desk } from './testing/command-line.ts'
import type { Desk } from './testing/command-line.ts'

let at: Desk
beforeEach(() => {
  at = desk()
})
afterEach(() => at.remove())

const BUDGETS = `version: 1
budgets:
  - id: median
    limit: p50 ttft < 10s
`
const RUN = okSample().run_id

function samples(count: number, fields: Partial<Sample> = {}): Sample[] {
  return Array.from({ length: count }, (_, seq) => okSample({ seq, ttft_ms: 100 + seq, ...(fields as object) }))
}

function start(fields: Partial<RunStart> = {}): RunStart {
  return {
    type: 'start',
    run_id: RUN,
    plan: 'p',
    started_at: '2026-12-01T02:00:00.000Z',
    seeds: {},
    planned: 20,
    cells: [{ probe: 'serverless', target: 'glm-5.3', prompt: 'medium', planned: 20 }],
    overrides: {},
    versions: {},
    currencies: [{ probe: 'serverless', target: 'glm-5.3', currency: 'USD' }],
    ...fields,
  }
}

function end(fields: Partial<RunEnd> = {}): RunEnd {
  return {
    type: 'end',
    run_id: RUN,
    ended_at: '2026-12-01T03:00:00.000Z',
    sampled: 20,
    missed_rounds: 3,
    complete: true,
    interrupted: false,
    notes: [{ code: 'missed-rounds', message: '3 grid points passed' }],
    ...fields,
  }
}

const log = (...lines: readonly object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('')
const reported = (): RunReport => JSON.parse(at.read('slo-report/report.json')) as RunReport

describe('one CSV', () => {
  test('with its runs.jsonl: what the run knew', async () => {
    at.write({ 'slo.yaml': BUDGETS, 'samples.csv': csvOf(samples(20)), 'runs.jsonl': log(start(), end()) })
    const answer = await at.run('report', 'samples.csv')
    expect(answer).toMatchObject({ code: 0, err: '' })
    expect(reported().run).toEqual({
      id: RUN,
      startedAt: '2026-12-01T02:00:00.000Z',
      endedAt: '2026-12-01T03:00:00.000Z',
      planned: 20,
      sampled: 20,
      missedRounds: 3,
      complete: true,
      interrupted: false,
      simulated: false,
      timezone: 'UTC',
    })
    expect(reported().findings).toMatchObject([{ verdict: 'pass', value: 109.5, n: 20, currency: 'USD' }])
    expect(reported().notes).toMatchObject([{ code: 'missed-rounds' }])
  })

  test('rows that were lost since the run ended are no pass', async () => {
    at.write({ 'slo.yaml': BUDGETS, 'samples.csv': csvOf(samples(19)), 'runs.jsonl': log(start(), end()) })
    expect((await at.run('report', 'samples.csv')).code).toBe(1)
    expect(reported()).toMatchObject({
      run: { complete: false, sampled: 19, planned: 20 },
      findings: [{ verdict: 'inconclusive', reason: 'ended-early' }],
    })
    expect(reported().notes.map(({ code }) => code)).toContain('lost-rows')
  })

  test('a run that was killed before its first sample is no pass, though its budgets skip', async () => {
    const skipping = `${BUDGETS}    on_inconclusive: skip\n`
    at.write({ 'slo.yaml': skipping, 'samples.csv': csvOf([]), 'runs.jsonl': log(start()) })
    expect((await at.run('report', 'samples.csv')).code).toBe(2)
  })

  test('an interrupted run stays one where the line of its start is gone', async () => {
    const stopped = end({ sampled: 12, complete: false, interrupted: true, reason: 'interrupted' })
    at.write({ 'slo.yaml': BUDGETS, 'samples.csv': csvOf(samples(12)), 'runs.jsonl': log({ type: 'x' }, stopped) })
    expect((await at.run('report', 'samples.csv')).code).toBe(1)
    expect(reported().findings).toMatchObject([{ verdict: 'inconclusive', n: 12 }])
  })

  test.each([
    [
      'a quote that is never closed hides no rows',
      (text: string) => text.replace(/(\r\n1,[^,]*,[^,]*),5,/, '$1,"5,'),
      /never closed/,
    ],
    [
      'a row that stands twice does not count twice',
      (text: string) => text + text.split('\r\n')[4] + '\r\n',
      /stands twice/,
    ],
    ['a number beyond all numbers is none', (text: string) => text.replace(',103,', ',1e999,'), /more than any number/],
    [
      'a day that no calendar has is none',
      (text: string) => text.replace(',2026-12-01T', ',2026-13-45T'),
      /not a time/,
    ],
  ])('%s', async (_name, spoil, message) => {
    const text = csvOf(samples(20))
    expect(spoil(text)).not.toBe(text)
    at.write({ 'slo.yaml': BUDGETS, 'samples.csv': spoil(text) })
    const answer = await at.run('report', 'samples.csv')
    expect(answer.code).toBe(2)
    expect(answer.err).toMatch(message)
  })

  test('files that are appended to night after night hold earlier runs once', async () => {
    const night = (at: number): Sample[] => {
      const started_at = `2026-12-0${at}T02:00:00.000Z`
      return samples(20, { run_id: `night-${at}`, started_at, due_at: started_at })
    }
    at.write({
      'slo.yaml': `${BUDGETS}    window: 7d\n`,
      'two.csv': csvOf([...night(1), ...night(2)]),
      'three.csv': csvOf([...night(1), ...night(2), ...night(3)]),
    })
    await at.run('report', 'three.csv')
    expect(reported().findings).toMatchObject([{ n: 60 }])
    await at.run('report', 'two.csv', 'three.csv')
    expect(reported().findings).toMatchObject([{ n: 60 }])
  })

  test('alone: what cannot be known says unknown', async () => {
    at.write({ 'slo.yaml': BUDGETS, 'samples.csv': csvOf(samples(20)) })
    const answer = await at.run('report', 'samples.csv', '--tz', 'Asia/Kolkata')
    expect(answer.code).toBe(0)
    expect(reported().run).toMatchObject({
      planned: null,
      missedRounds: null,
      complete: null,
      interrupted: null,
      timezone: 'Asia/Kolkata',
    })
    const summary = at.read('slo-report/summary.md')
    expect(summary).toContain('planned: unknown')
    expect(summary).toContain('Missed rounds: unknown')
    expect(summary).toContain('Complete: unknown')
    expect(at.read('slo-report/junit.xml')).toContain('name="complete" value="unknown"')
  })

  test('a breach is exit 1 with its screen, a cell that the run lost is exit 2', async () => {
    at.write({ 'strict.yaml': BUDGETS.replace('10s', '100ms'), 'samples.csv': csvOf(samples(20)) })
    const breach = await at.run('report', 'samples.csv', '--slo', 'strict.yaml')
    expect(breach.code).toBe(1)
    expect(breach.out).toContain('FAIL')
    expect(breach.out).toContain('strict.yaml:4:12')
    const cells = ['medium', 'long'].map((prompt) => ({ probe: 'serverless', target: 'glm-5.3', prompt, planned: 20 }))
    at.write({ 'runs.jsonl': log(start({ cells }), end()) })
    expect((await at.run('report', 'samples.csv', '--slo', 'strict.yaml')).code).toBe(2)
  })

  test('a run that was killed is not complete, and its short pools are no pass', async () => {
    at.write({ 'slo.yaml': BUDGETS, 'samples.csv': csvOf(samples(12)), 'runs.jsonl': log(start()) })
    expect((await at.run('report', 'samples.csv')).code).toBe(1)
    expect(reported()).toMatchObject({
      run: { complete: false, interrupted: null },
      findings: [{ verdict: 'inconclusive', reason: 'ended-early' }],
    })
  })

  test('a newer run without any row is not passed over for an older one', async () => {
    at.write({
      'slo.yaml': BUDGETS,
      'samples.csv': csvOf(samples(20)),
      'runs.jsonl': log(start(), end(), start({ run_id: 'later' }), end({ run_id: 'later', reason: 'prober-died' })),
    })
    const answer = await at.run('report', 'samples.csv')
    expect(answer.code).toBe(2)
    expect(reported().run).toMatchObject({ id: 'later', sampled: 0 })
  })

  test('the newest run is judged, --run names another, --runs all pools', async () => {
    const rows = [...samples(20, { run_id: 'a', ttft_ms: 20_000 }), ...samples(20, { run_id: 'b' })]
    at.write({ 'slo.yaml': BUDGETS, 'samples.csv': csvOf(rows) })
    expect((await at.run('report', 'samples.csv')).code).toBe(0)
    expect(reported().run).toMatchObject({ id: 'b', sampled: 20 })
    expect((await at.run('report', 'samples.csv', '--run', 'a')).code).toBe(1)
    expect((await at.run('report', 'samples.csv', '--runs', 'all')).code).toBe(1)
    expect(reported()).toMatchObject({ run: { id: 'a, b', sampled: 40 }, findings: [{ n: 40 }] })
    const unknown = await at.run('report', 'samples.csv', '--run', 'c')
    expect(unknown).toMatchObject({ code: 2, out: '' })
  })

  test('samples that we cut ourselves count nowhere, and a cell that has no others is no pass', async () => {
    const cut = failedSample({ error_kind: 'aborted', prompt: 'long', seq: 21 })
    at.write({ 'slo.yaml': BUDGETS, 'samples.csv': csvOf([...samples(20), cut]) })
    expect((await at.run('report', 'samples.csv')).code).toBe(1)
    expect(reported().run.sampled).toBe(20)
  })

  test('a torn last row is passed over and said', async () => {
    at.write({ 'slo.yaml': BUDGETS, 'samples.csv': csvOf(samples(21)).slice(0, -30) })
    const answer = await at.run('report', 'samples.csv')
    expect(answer.code).toBe(0)
    expect(answer.err).toContain('torn')
    expect(reported().run.sampled).toBe(20)
  })

  test('any order of the rows gives the same report', async () => {
    const rows = [
      ...samples(10, { prompt: 'long', prompt_bytes: 99, cost: 0.1 }),
      ...samples(10, { prompt: 'short', prompt_bytes: 9, cost: 0.7 }),
      failedSample({ seq: 77, prompt: 'long', prompt_bytes: 99 }),
    ].map((sample, seq) => ({ ...sample, seq }))
    at.write({ 'slo.yaml': BUDGETS, 'samples.csv': csvOf(rows) })
    await at.run('report', 'samples.csv')
    const before = at.read('slo-report/report.json')
    for (const shuffled of fc.sample(fc.shuffledSubarray(rows, { minLength: rows.length }), 5)) {
      at.write({ 'samples.csv': csvOf(shuffled) })
      await at.run('report', 'samples.csv')
      expect(at.read('slo-report/report.json')).toBe(before)
    }
  })
})

describe('several CSVs', () => {
  test('are pooled by cell; what one of them knows of its plan is not known of both', async () => {
    at.write({
      'slo.yaml': BUDGETS,
      'a.csv': csvOf(samples(20, { run_id: 'a', region: 'blr1' })),
      'b.csv': csvOf(samples(20, { run_id: 'b', region: 'ams3' })),
    })
    expect((await at.run('report', 'a.csv', 'b.csv')).code).toBe(0)
    expect(reported()).toMatchObject({ run: { sampled: 40, planned: null, complete: null }, findings: [{ n: 40 }] })
  })

  test('no sample counts twice, and practice is never pooled with measurements', async () => {
    at.write({
      'slo.yaml': BUDGETS,
      'a.csv': csvOf(samples(20)),
      'b.csv': csvOf(samples(20)),
      'c.csv': csvOf(samples(20, { run_id: 'c', simulated: 100 })),
    })
    const twice = await at.run('report', 'a.csv', 'b.csv')
    expect(twice.code).toBe(2)
    expect(twice.err).toContain('count twice')
    const mixed = await at.run('report', 'a.csv', 'c.csv')
    expect(mixed.code).toBe(2)
    expect(mixed.err).toContain('simulated and measured')
  })
})

describe('a CSV of others', () => {
  const FOREIGN = `timestamp,model,prompt_type,ttft_seconds,total_seconds,output_tokens,error
2026-10-28 05:30:00+05:30,glm-5.3,long,1.049,20.5,1990,
2026-10-28 05:40:00+05:30,glm-5.3,long,,0.2,,HTTP 529
2026-10-28 05:50:00+05:30,glm-5.3,long,,240,,Timeout
2026-10-28 06:00:00+05:30,glm-5.3,long,,3,,`
  const MAPS =
    'ttft_seconds=ttft:s total_seconds=total:s model=target prompt_type=prompt timestamp=started_at error=error_kind'
      .split(' ')
      .flatMap((map) => ['--map', map])

  test('is read by its map', async () => {
    at.write({ 'theirs.csv': FOREIGN })
    const answer = await at.run('report', 'theirs.csv', ...MAPS)
    expect(answer.code).toBe(0)
    expect(reported().run).toMatchObject({ startedAt: '2026-10-28T00:00:00.000Z', sampled: 4, planned: null })
    expect(reported().cells).toMatchObject([
      {
        probe: 'foreign',
        target: 'glm-5.3',
        prompt: 'long',
        n: 4,
        failed: 3,
        ttft: { p50: 1049 },
        errors: { 'http_status 529': 1, first_token_timeout: 1, empty: 1 },
      },
    ])
  })

  test('without a map: its columns, and a map to start from that works', async () => {
    at.write({ 'theirs.csv': FOREIGN })
    const answer = await at.run('report', 'theirs.csv')
    expect(answer.code).toBe(2)
    expect(answer.err).toContain('timestamp, model, prompt_type, ttft_seconds')
    const maps = [...answer.err.matchAll(/--map (\S+)/g)].flatMap(([, map = '']) => ['--map', map])
    expect((await at.run('report', 'theirs.csv', ...maps)).code).toBe(0)
    expect(reported().cells).toMatchObject([{ target: 'glm-5.3', ttft: { p50: 1049 }, completionTokensP50: 1990 }])
  })

  test('a cost is judged though nobody knows its currency', async () => {
    const rows = Array.from({ length: 12 }, (_, at) => `a,900,0.0${at + 10}`).join('\n')
    at.write({
      'theirs.csv': `model,ttft_ms,usd\n${rows}\n`,
      'cost.yaml': 'version: 1\nbudgets:\n  - limit: mean cost < 0.01\n',
    })
    const maps = ['model=target', 'ttft_ms=ttft:ms', 'usd=cost'].flatMap((map) => ['--map', map])
    const answer = await at.run('report', 'theirs.csv', '--slo', 'cost.yaml', ...maps)
    expect(answer.code, answer.err).toBe(1)
    expect(reported().findings).toMatchObject([{ verdict: 'fail', metric: 'cost', n: 12 }])
  })

  test('the map to start from names the column of failures, however short its name', async () => {
    at.write({
      'theirs.csv': 'model,ttft_ms,err,when\na,900,,2026-11-01T00:00:00Z\na,,HTTP 529,2026-11-01T00:01:00Z\n',
    })
    const { err } = await at.run('report', 'theirs.csv')
    expect(err).toContain('--map err=error_kind --map when=started_at')
  })

  test.each([
    ['ttft_seconds=ttft', 'needs its unit'],
    ['nothing=ttft:s', 'no column nothing'],
    ['ttft_seconds=speed', 'there is no speed'],
    ['model=target:s', 'is a word'],
    ['model=cost', 'not a number'],
    ['model=target', 'mapped to a metric'],
  ])('a wrong map is said: %s', async (map, said) => {
    at.write({ 'theirs.csv': FOREIGN })
    const answer = await at.run('report', 'theirs.csv', '--map', map)
    expect(answer.code).toBe(2)
    expect(answer.err).toContain(said)
  })
})

describe('wrong usage is exit 2 and says the way out', () => {
  test.each([
    [[], 'name at least one CSV'],
    [['no.csv'], 'no such file'],
    [['samples.csv', '--slo', 'no.yaml'], 'no.yaml'],
    [['samples.csv', '--tz', 'Bangalore'], 'no time zone'],
    [['samples.csv', '--nonsense'], '--nonsense'],
    [['samples.csv', '--runs', 'some'], '--runs all'],
    [['samples.csv', '--run', 'a', '--runs', 'all'], 'one of'],
    [['samples.csv', '--map', 'a=ttft:s'], '--map'],
    [['empty.csv'], 'no sample'],
    [['old.csv'], 'format 9'],
    [['samples.csv', '--slo', 'elsewhere.yaml'], 'no budget of elsewhere.yaml judges'],
    [['samples.csv', '--slo', 'broken.yaml'], 'did you mean `ttft`'],
  ])('%j', async (args, said) => {
    at.write({
      'samples.csv': csvOf(samples(20)),
      'empty.csv': csvOf([]),
      'old.csv': csvOf(samples(1)).replace('\r\n1,', '\r\n9,'),
      'elsewhere.yaml': `${BUDGETS}    where: { target: nobody }\n`,
      'broken.yaml': 'version: 1\nbudgets: [{ limit: p99 tttft < 1s }]\n',
    })
    const answer = await at.run('report', ...args)
    expect(answer.err).toContain(said)
    expect(answer).toMatchObject({ code: 2, out: '' })
  })

  test('help and version', async () => {
    expect((await at.run('report', '--help')).out).toContain('Example:')
    expect((await at.run('--help')).code).toBe(0)
    expect((await at.run('--version')).out).toMatch(/^\d+\.\d+\.\d+/)
    expect((await at.run()).code).toBe(2)
    expect((await at.run('reprot')).err).toContain('did you mean report?')
  })
})
