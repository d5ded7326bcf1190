import * as fc from 'fast-check'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { columns } from './columns.ts'
import { encodeHeader, encodeRow } from './encode-row.ts'
import { readSamples } from './read-samples.ts'
import type { ReadOptions } from './read-samples.ts'
import { plainSample } from './sample-table.ts'
import { anySample } from './testing/any-sample.ts'
import { failedSample, okSample } from './testing/samples.ts'
import type { Sample } from './types.ts'

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'slo samples '))
})
afterEach(() => rm(dir, { recursive: true }))

const header = encodeHeader()

async function read(text: string, options?: ReadOptions): Promise<readonly Sample[]> {
  const file = join(dir, 'samples.csv')
  await writeFile(file, text)
  return (await readSamples(file, options)).map(plainSample)
}

describe('readSamples', () => {
  test('a file larger than any buffer is read piece by piece, every row once', async () => {
    const samples = Array.from({ length: 6000 }, (_, seq) =>
      seq % 3 === 0 ? failedSample({ seq }) : okSample({ seq, request_id: `ü${'\u{1F600}'.repeat(seq % 7)}` }),
    )
    expect(await read(header + samples.map(encodeRow).join(''))).toEqual(samples)
  })

  test('a quote that is opened and never closed is no torn row: whole rows stand behind it', async () => {
    const rows = Array.from({ length: 9 }, (_, seq) => encodeRow(okSample({ seq })))
    const spoilt = rows.with(3, (rows[3] ?? '').replace(',medium,', ',"medium,'))
    await expect(read(header + spoilt.join(''))).rejects.toThrow('never closed')
  })

  test('a request that stands twice is refused', async () => {
    const row = encodeRow(okSample())
    await expect(read(header + row + row)).rejects.toThrow('samples.csv:3: request 0 of run')
  })

  test('a byte order mark, plain line feeds and columns of a later version are no obstacle', async () => {
    const later = (line: string): string => `${line.slice(0, -2)},later\n`
    expect(await read(`\uFEFF${later(header)}${later(encodeRow(okSample()))}`)).toEqual([okSample()])
  })

  test('a torn last row is no sample, and said', async () => {
    const torn = encodeRow(failedSample({ seq: 1 })).slice(0, 200)
    const bytes: number[] = []
    const onTornRow = (count: number): void => void bytes.push(count)
    expect(await read(header + encodeRow(okSample()) + torn, { onTornRow })).toEqual([okSample()])
    expect(bytes).toEqual([Buffer.byteLength(torn)])
  })

  test('any row that is cut anywhere is no sample, and leaves those before it alone', async () => {
    await fc.assert(
      fc.asyncProperty(
        anySample,
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        async (sample, share) => {
          const row = Buffer.from(encodeRow(sample))
          const cut = row.subarray(0, Math.floor(share * row.length)).toString('latin1')
          expect(await read(header + encodeRow(okSample()) + cut)).toEqual([okSample()])
        },
      ),
      { numRuns: 500 },
    )
  })

  test('an unknown format names both versions, whatever the header is', async () => {
    for (const text of [header + encodeRow(okSample()).replace(/^1/, '2'), 'format,new\r\n2,x\r\n']) {
      await expect(read(text)).rejects.toMatchObject({
        code: 'SAMPLES_VERSION',
        message: `${join(dir, 'samples.csv')}:2: the row has format 2, and this version of vitest-slo knows format 1`,
      })
    }
  })

  test.for([
    ['', ':1: column 1 of the header is missing: it should be format'],
    ['a,b\r\n1,2\r\n', ':1: column 1 of the header is "a" instead of format'],
    [header.replace(',seq,round,', ',round,seq,'), ':1: column 4 of the header is "round" instead of seq'],
    [header.replace(',request_id', ''), ':1: column 56 of the header is "prompt_tokens_raw" instead of request_id'],
    [`${header}1,r,p,0\r\n`, `:2: the row has 4 cells instead of ${columns.length}`],
    [
      header + encodeRow(okSample()) + encodeRow(okSample()).replace('812.125', '812,125'),
      `:3: the row has ${columns.length + 1} cells instead of ${columns.length}`,
    ],
    [header + encodeRow(okSample()).replace('12.25', '12ms'), ':2: lateness_ms is "12ms", not a number'],
    [header + encodeRow(okSample()).replace(',12.25,', ',,'), ':2: lateness_ms is empty'],
    [header + encodeRow(okSample()).replace(',ok,', ',fine,'), ':2: outcome is "fine", not one of ok error'],
    [header + encodeRow(okSample()).replace(',ok,', ',error,'), ':2: error_kind is empty though the outcome is error'],
    [header + encodeRow(failedSample()).replace(',error,', ',ok,'), ':2: error_kind is given though the outcome is ok'],
    [header + encodeRow(okSample({ flags: ['lag'] })).replace(',lag,', ',late,'), ':2: flags holds late'],
    [header + encodeRow(okSample()).replace(',{},', ',[],'), ':2: labels is "[]", not a JSON object of texts'],
    [header + encodeRow(okSample()).replace(',true,', ',yes,'), ':2: reused is "yes", not true or false'],
    [`${header + encodeRow(failedSample())}\r\n1,x\r\n`, ':6: the row has 2 cells'],
    [`${header + encodeRow(okSample())}1,a"b,c\r\n"\r\n`, ':3: '],
  ] as const)('%# a damaged file is an error with its place', async ([text, message]) => {
    await expect(read(text)).rejects.toMatchObject({
      code: 'SAMPLES_UNREADABLE',
      message: expect.stringContaining(`samples.csv${message}`),
    })
  })

  test('a file that is not there is unreadable, and named', async () => {
    await expect(readSamples(join(dir, 'none.csv'))).rejects.toMatchObject({
      code: 'SAMPLES_UNREADABLE',
      message: expect.stringContaining('none.csv'),
    })
  })
})
