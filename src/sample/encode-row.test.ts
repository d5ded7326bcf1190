import * as fc from 'fast-check'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'

import { columns } from './columns.ts'
import { encodeHeader, encodeRow } from './encode-row.ts'
import { anySample } from './testing/any-sample.ts'
import { decodedSamples } from './testing/decoded-samples.ts'
import { failedSample, okSample } from './testing/samples.ts'

describe('encodeRow', () => {
  test('a row is one CSV line with an empty cell for what does not exist', () => {
    expect(encodeRow(okSample({ flags: ['lag', 'batched'], labels: { build: 'a"b' }, cost: 1e-7 }))).toBe(
      '1,20261201T020000000Z-9f3a61c2,0123456789abcdef,0,0,serverless,glm-5.3,medium,glm-5.3,,openai-chat,,"{""build"":""a\\""b""}",,' +
        '2026-12-01T02:00:00.000Z,2026-12-01T02:00:00.012Z,12.25,ok,,200,,,true,0,1.1,,,,,,,,812.125,,reasoning,,,9000.5,' +
        ',,,,,,,,,,,,0.0000001,0.25,lag batched,4321,5d0c2d1e,,,,\r\n',
    )
  })

  test.for(['=1+1', '+1', '-1', '@a', '\ta', '\ra', "'=1", "''-"])('a spreadsheet takes %j for text', (text) => {
    const [row] = parse(encodeRow(okSample({ request_id: text })), { record_delimiter: '\r\n' })
    expect(row?.[columns.indexOf('request_id')]).toBe(`'${text}`)
  })

  test("text of our own spelling is left as it is: 'a, it's, a=b", () => {
    const row = encodeRow(okSample({ prompt: "'a", target: "it's", model: 'a=b', lateness_ms: -0.5 }))
    expect(row).toContain(",it's,'a,a=b,")
    expect(row).toContain(',-0.5,')
  })

  test('reading back gives exactly what was written', () => {
    fc.assert(
      fc.property(fc.array(anySample, { minLength: 1, maxLength: 4 }), (samples) => {
        const text = encodeHeader() + samples.map(encodeRow).join('')
        expect(decodedSamples(text)).toStrictEqual(samples)
      }),
      { numRuns: 500 },
    )
  })

  test('any reader of RFC 4180 finds the same cells: lines end with CRLF, and line ends within cells are quoted', () => {
    fc.assert(
      fc.property(anySample, (sample) => {
        const row = encodeRow(sample)
        expect(row.endsWith('\r\n')).toBe(true)
        for (const record_delimiter of [['\r\n'], ['\r\n', '\n', '\r']]) {
          const rows = parse(row, { record_delimiter })
          expect(rows.map((cells) => cells.length)).toEqual([columns.length])
        }
      }),
      { numRuns: 300 },
    )
  })

  test('a lone surrogate, which has no UTF-8, becomes U+FFFD; within labels it survives as an escape', () => {
    const sample = okSample({ served_model: 'a\uD800b', labels: { a: '\uDC00' } })
    const bytes = Buffer.from(encodeHeader() + encodeRow(sample))
    expect(decodedSamples(bytes.toString())).toEqual([{ ...sample, served_model: 'a\uFFFDb' }])
  })

  test('a number that is none is absent, or refused where every sample has one', () => {
    const text = encodeHeader() + encodeRow(okSample({ ttft_ms: Number.NaN, decode_tps: Number.POSITIVE_INFINITY }))
    const [sample] = decodedSamples(text)
    expect(sample).not.toHaveProperty('ttft_ms')
    expect(sample).not.toHaveProperty('decode_tps')
    expect(() => encodeRow(failedSample({ client_lag_ms: Number.NaN }))).toThrow(
      expect.objectContaining({ code: 'SAMPLES_WRITE_FAILED', message: expect.stringContaining('client_lag_ms') }),
    )
  })
})
