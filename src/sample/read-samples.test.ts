import * as fc from 'fast-check'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { columns } from './columns.ts'
import { encodeHeader, encodeRow } from './encode-row.ts'
import { parseSamples, readSamples } from './read-samples.ts'
import { anySample } from './testing/any-sample.ts'
import { failedSample, okSample } from './testing/samples.ts'

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'slo samples '))
})
afterEach(() => rm(dir, { recursive: true }))

const header = encodeHeader()

/** What both ways of reading say about a text. */
async function errorsOf(text: string): Promise<readonly unknown[]> {
  const file = join(dir, 'samples.csv')
  await writeFile(file, text)
  const errors: unknown[] = []
  try {
    parseSamples(text, file)
  } catch (error) {
    errors.push(error)
  }
  await readSamples(file).catch((error: unknown) => errors.push(error))
  return errors
}

describe('readSamples', () => {
  test('a file larger than any buffer is read piece by piece, every row once', async () => {
    const samples = Array.from({ length: 6000 }, (_, seq) =>
      seq % 3 === 0 ? failedSample({ seq }) : okSample({ seq, request_id: `ü${'\u{1F600}'.repeat(seq % 7)}` }),
    )
    const file = join(dir, 'samples.csv')
    await writeFile(file, header + samples.map(encodeRow).join(''))
    expect(await readSamples(file)).toEqual(samples)
  })

  test('a byte order mark, plain line feeds and columns of a later version are no obstacle', async () => {
    const file = join(dir, 'samples.csv')
    const later = (line: string): string => `${line.slice(0, -2)},later\n`
    await writeFile(file, `\uFEFF${later(header)}${later(encodeRow(okSample()))}`)
    expect(await readSamples(file)).toEqual([okSample()])
  })

  test('a torn last row is no sample, and said', async () => {
    const file = join(dir, 'samples.csv')
    const torn = encodeRow(failedSample({ seq: 1 })).slice(0, 200)
    await writeFile(file, header + encodeRow(okSample()) + torn)
    const bytes: number[] = []
    expect(await readSamples(file, { onTornRow: (count) => bytes.push(count) })).toEqual([okSample()])
    expect(parseSamples(header + encodeRow(okSample()) + torn)).toEqual([okSample()])
    expect(bytes).toEqual([Buffer.byteLength(torn)])
  })

  test('any row that is cut anywhere is no sample, and leaves those before it alone', () => {
    fc.assert(
      fc.property(anySample, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (sample, share) => {
        const row = Buffer.from(encodeRow(sample))
        const cut = row.subarray(0, Math.floor(share * row.length)).toString('latin1')
        expect(parseSamples(header + encodeRow(okSample()) + cut)).toEqual([okSample()])
      }),
      { numRuns: 500 },
    )
  })

  test('an unknown format names both versions, whatever the header is', async () => {
    for (const text of [header + encodeRow(okSample()).replace(/^1/, '2'), 'format,new\r\n2,x\r\n']) {
      const errors = await errorsOf(text)
      expect(errors).toHaveLength(2)
      for (const error of errors) {
        expect(error).toMatchObject({
          code: 'SAMPLES_VERSION',
          message: `${join(dir, 'samples.csv')}:2: the row has format 2, and this version of vitest-slo knows format 1`,
        })
      }
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
    const errors = await errorsOf(text)
    expect(errors).toHaveLength(2)
    for (const error of errors) {
      expect(error).toMatchObject({
        code: 'SAMPLES_UNREADABLE',
        message: expect.stringContaining(`samples.csv${message}`),
      })
    }
  })

  test('a file that is not there is unreadable, and named', async () => {
    await expect(readSamples(join(dir, 'none.csv'))).rejects.toMatchObject({
      code: 'SAMPLES_UNREADABLE',
      message: expect.stringContaining('none.csv'),
    })
  })
})
