import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { systemClock } from '../clock.ts'
import { FIRST_COLUMNS } from './columns.ts'
import { encodeHeader, encodeRow } from './encode-row.ts'
import { readRunLines } from './read-run-lines.ts'
import { readSamples } from './read-samples.ts'
import { plainSample } from './sample-table.ts'
import { openSampleStore } from './store.ts'
import { AppendingChild } from './testing/child.ts'
import { failedSample, okSample } from './testing/samples.ts'
import type { RunEnd, RunStart } from './types.ts'

let dir = ''
let file = ''
beforeEach(async () => {
  dir = join(await mkdtemp(join(tmpdir(), 'slo store ')), 'slo-report')
  file = join(dir, 'samples.csv')
})
afterEach(() => rm(join(dir, '..'), { recursive: true }))

const options = { clock: systemClock }
const header = encodeHeader()
const start: RunStart = {
  type: 'start',
  run_id: 'r1',
  plan: 'p',
  started_at: '2026-12-01T02:00:00.000Z',
  seeds: { serverless: 7 },
  planned: 4,
  cells: [{ probe: 'serverless', target: 't', prompt: 'p', planned: 4 }],
  overrides: { SLO_ROUNDS: '4' },
  versions: { node: '24' },
  currencies: [],
}
const end: RunEnd = {
  type: 'end',
  run_id: 'r1',
  ended_at: '2026-12-01T03:00:00.000Z',
  sampled: 4,
  missed_rounds: 0,
  complete: true,
  interrupted: false,
  notes: [{ code: 'x', message: 'y\nz', probe: 'serverless' }],
}

describe('openSampleStore', () => {
  test('makes the folder, writes the header, appends rows, and leaves no lock behind', async () => {
    const store = await openSampleStore(dir, options)
    const samples = [okSample(), failedSample({ seq: 1 })]
    for (const sample of samples) {
      await store.append(sample)
      // On disk as soon as it resolves.
      expect((await readSamples(file)).map(plainSample)).toEqual(samples.slice(0, sample.seq + 1))
    }
    expect(store.rows().map(plainSample)).toEqual(samples)
    expect(store.notes).toEqual([])
    await store.close()
    await store.close()
    expect(await readFile(file, 'utf8')).toBe(header + samples.map(encodeRow).join(''))
    expect((await readdir(dir)).sort()).toEqual(['runs.jsonl', 'samples.csv'])
  })

  test('appends that are not waited for keep their order', async () => {
    const store = await openSampleStore(dir, options)
    const samples = Array.from({ length: 20 }, (_, seq) => failedSample({ seq }))
    await Promise.all(samples.map((sample) => store.append(sample)))
    await store.close()
    expect((await readSamples(file)).map(plainSample)).toEqual(samples)
  })

  test('goes on with the file that is there', async () => {
    await mkdir(dir)
    await writeFile(file, header + encodeRow(okSample()))
    const store = await openSampleStore(dir, options)
    expect(store.rows().map(plainSample)).toEqual([okSample()])
    await store.append(okSample({ seq: 1 }))
    await store.close()
    expect((await readSamples(file)).map(plainSample)).toEqual([okSample(), okSample({ seq: 1 })])
  })

  test('leaves the columns of a later version empty', async () => {
    await mkdir(dir)
    const later = (line: string, cell: string): string => `${line.slice(0, -2)},${cell}\r\n`
    await writeFile(file, later(header, 'later') + later(encodeRow(okSample()), 'x'))
    const store = await openSampleStore(dir, options)
    await store.append(okSample({ seq: 1 }))
    await store.close()
    expect(await readFile(file, 'utf8')).toContain(later(encodeRow(okSample({ seq: 1 })), ''))
    expect((await readSamples(file)).map(plainSample)).toEqual([okSample(), okSample({ seq: 1 })])
  })

  test('a file of an older version, with fewer columns, is read and goes on without the new ones', async () => {
    await mkdir(dir)
    const older = (line: string): string => `${line.slice(0, -2).split(',').slice(0, FIRST_COLUMNS).join(',')}\r\n`
    await writeFile(file, older(header) + older(encodeRow(okSample())))
    const store = await openSampleStore(dir, options)
    await store.append(okSample({ seq: 1, completion_tokens: 7, completion_tokens_raw: 5 }))
    await store.close()
    expect(await readFile(file, 'utf8')).toBe(
      older(header) + older(encodeRow(okSample())) + older(encodeRow(okSample({ seq: 1, completion_tokens: 7 }))),
    )
    expect((await readSamples(file)).map(plainSample)).toEqual([okSample(), okSample({ seq: 1, completion_tokens: 7 })])
  })

  test('a last row cut at any byte is moved aside, said, and costs no other row', async () => {
    const kept = header + encodeRow(okSample()) + encodeRow(failedSample({ seq: 1 }))
    const last = Buffer.from(encodeRow(failedSample({ seq: 2, request_id: 'a "quoted"\n1,line\r\nü\u{1F4A5}' })))
    await mkdir(dir)
    for (let cut = 0; cut <= last.length; cut += 1) {
      await rm(`${file}.torn`, { force: true })
      await writeFile(file, Buffer.concat([Buffer.from(kept), last.subarray(0, cut)]))
      const store = await openSampleStore(dir, options)
      const whole = cut === last.length
      const codes = store.notes.map(({ code }) => code)
      const torn = await readFile(`${file}.torn`).catch(() => null)
      await store.append(okSample({ seq: 3 }))
      await store.close()
      const seqs = (await readSamples(file)).map(({ seq }) => seq)
      expect({ cut, seqs }).toEqual({ cut, seqs: whole ? [0, 1, 2, 3] : [0, 1, 3] })
      expect({ cut, codes }).toEqual({ cut, codes: whole || cut === 0 ? [] : ['torn-row'] })
      expect(torn).toEqual(whole || cut === 0 ? null : Buffer.concat([last.subarray(0, cut), Buffer.from('\r\n')]))
    }
  })

  test('a header that was cut short is written again', async () => {
    await mkdir(dir)
    for (let cut = 0; cut < header.length; cut += 11) {
      await writeFile(file, header.slice(0, cut))
      const store = await openSampleStore(dir, options)
      await store.append(okSample())
      await store.close()
      expect(await readFile(file, 'utf8')).toBe(header + encodeRow(okSample()))
    }
  })

  test.for([
    ['somebody,elses\r\n1,2', 'SAMPLES_UNREADABLE'],
    ['one line that is no header', 'SAMPLES_UNREADABLE'],
    [`${header + encodeRow(okSample()).replace(/^1/, '2')}2,torn`, 'SAMPLES_VERSION'],
    [`${header + encodeRow(okSample())}1,bad row\r\n`, 'SAMPLES_UNREADABLE'],
    [`${header}1,"stray\r\n${encodeRow(okSample())}`, 'SAMPLES_UNREADABLE'],
  ] as const)('%# a file that is not ours is left as it is, and the folder unlocked', async ([text, code]) => {
    await mkdir(dir)
    await writeFile(file, text)
    await expect(openSampleStore(dir, options)).rejects.toMatchObject({ code })
    expect(await readFile(file, 'utf8')).toBe(text)
    expect(await readdir(dir)).not.toContain('samples.csv.lock')
  })

  test('a store that lost its file says so, and refuses from then on', async () => {
    const store = await openSampleStore(dir, options)
    await store.append(okSample())
    await rm(file)
    const failure = { code: 'SAMPLES_WRITE_FAILED', message: expect.stringContaining(`${file} could not be written`) }
    await expect(store.append(okSample({ seq: 1 }))).rejects.toMatchObject(failure)
    await writeFile(file, header)
    await expect(store.append(okSample({ seq: 2 }))).rejects.toMatchObject(failure)
    expect(store.rows().map(plainSample)).toEqual([okSample()])
    await store.close()
  })

  test('a folder that is removed during a run is a failed write', async () => {
    const store = await openSampleStore(dir, options)
    await rm(dir, { recursive: true })
    await expect(store.append(okSample())).rejects.toMatchObject({ code: 'SAMPLES_WRITE_FAILED' })
    await store.close()
  })

  test('a folder that cannot be made is a failed write that names it', async () => {
    await writeFile(dir, 'a file')
    await expect(openSampleStore(dir, options)).rejects.toMatchObject({
      code: 'SAMPLES_WRITE_FAILED',
      message: expect.stringContaining(dir),
    })
  })

  test('a row of which the system takes only a part is taken back; rows stay readable; later appends refuse', async () => {
    // ulimit -f counts blocks of 512 or 1024 bytes; rows are some 500 bytes, and 40 rows do not fit either.
    const child = new AppendingChild([dir, '40'], 8)
    await child.finish()
    const acknowledged = child.count('row')
    expect(acknowledged).toBeGreaterThan(2)
    expect(child.said.at(-1)).toEqual([
      'error',
      'SAMPLES_WRITE_FAILED',
      expect.stringContaining(`${file} could not be written`),
    ])
    const bytes = await readFile(file, 'utf8')
    expect(bytes.length).toBeLessThanOrEqual(8 * 1024)
    expect(bytes.endsWith('\r\n')).toBe(true)
    const store = await openSampleStore(dir, options)
    expect(store.rows().map(({ seq }) => seq)).toEqual(Array.from({ length: acknowledged }, (_, seq) => seq))
    expect(store.notes.map(({ code }) => code)).toEqual(['lock-taken-over'])
    await store.append(okSample({ seq: acknowledged }))
    await store.close()
  })

  test('kill -9 at any moment loses no row that was acknowledged, and tears none', async () => {
    let known = 0
    for (const rows of [1, 2, 5, 17, 40, 3]) {
      const child = new AppendingChild([dir, '100000'])
      await child.heard('row', rows)
      await child.kill()
      const acknowledged = known + child.count('row')
      const store = await openSampleStore(dir, options)
      const seqs = store.rows().map(({ seq }) => seq)
      expect(seqs.length).toBeGreaterThanOrEqual(acknowledged)
      expect(seqs.length).toBeLessThanOrEqual(acknowledged + 1)
      expect(seqs).toEqual(seqs.map((_, index) => index))
      expect(store.notes.map(({ code }) => code)).toContain('lock-taken-over')
      await store.close()
      known = seqs.length
    }
  })
})

describe('runs.jsonl', () => {
  test('lines come back as they were written', async () => {
    const store = await openSampleStore(dir, options)
    const resume = { type: 'resume', run_id: 'r1', resumed_at: '2026-12-01T02:30:00.000Z', present: 2 } as const
    for (const line of [start, resume, end]) await store.appendRunLine(line)
    expect(store.runLines()).toEqual([start, resume, end])
    await store.close()
    expect(await readRunLines(dir)).toEqual({ lines: [start, resume, end], notes: [] })
  })

  test('no file is no lines', async () => {
    expect(await readRunLines(dir)).toEqual({ lines: [], notes: [] })
  })

  test('a line cut at any byte is left out by reading and moved aside by opening', async () => {
    await mkdir(dir)
    const log = join(dir, 'runs.jsonl')
    const whole = `${JSON.stringify(start)}\n`
    const last = Buffer.from(`${JSON.stringify(end)}\n`)
    for (let cut = 1; cut < last.length; cut += 1) {
      await writeFile(log, Buffer.concat([Buffer.from(whole), last.subarray(0, cut)]))
      const read = await readRunLines(dir)
      expect(read.lines).toEqual([start])
      expect(read.notes.map(({ code }) => code)).toEqual(['torn-run-line'])
      const store = await openSampleStore(dir, options)
      expect(store.notes.map(({ code }) => code)).toEqual(['torn-run-line'])
      await store.appendRunLine(end)
      await store.close()
      expect(await readRunLines(dir)).toEqual({ lines: [start, end], notes: [] })
    }
  })

  test('a damaged line is passed over and named', async () => {
    await mkdir(dir)
    await writeFile(
      join(dir, 'runs.jsonl'),
      `${JSON.stringify(start)}\n{"type":"start"}\nnonsense\n${JSON.stringify(end)}\n`,
    )
    const { lines, notes } = await readRunLines(dir)
    expect(lines).toEqual([start, end])
    expect(notes.map(({ message }) => message)).toEqual([
      `${join(dir, 'runs.jsonl')}:2 is no line of a run and was passed over`,
      `${join(dir, 'runs.jsonl')}:3 is no line of a run and was passed over`,
    ])
  })

  test('one file that cannot be written does not stop the other', async () => {
    const store = await openSampleStore(dir, options)
    await rm(join(dir, 'runs.jsonl'))
    await expect(store.appendRunLine(start)).rejects.toMatchObject({ code: 'SAMPLES_WRITE_FAILED' })
    await store.append(okSample())
    await store.close()
    expect((await readSamples(file)).map(plainSample)).toEqual([okSample()])
  })
})
