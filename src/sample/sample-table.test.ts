import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { encodeRow } from './encode-row.ts'
import { plainSample, SampleTable } from './sample-table.ts'
import { anySample } from './testing/any-sample.ts'
import { failedSample, okSample } from './testing/samples.ts'

test('any sample comes back field by field, and is written as the same row', () => {
  fc.assert(
    fc.property(fc.array(anySample, { maxLength: 40 }), (samples) => {
      const table = new SampleTable()
      const kept = samples.map((sample) => table.add(sample))
      expect(kept.map(plainSample)).toStrictEqual(samples)
      expect(kept.map(encodeRow)).toStrictEqual(samples.map(encodeRow))
    }),
  )
})

test('rows of every piece of a column are found, whatever others hold', () => {
  const samples = Array.from({ length: 10_000 }, (_, seq) => {
    const fields = { seq, ttft_ms: seq / 2, nonce: `n${seq}`, prompt: `p${seq}` }
    if (seq % 7 === 0) return failedSample({ ...fields, error_message: `${seq} \u{1F4A5}` })
    return okSample(seq < 5000 ? fields : { ...fields, cost: seq / 3, request_id: `r${seq}` })
  })
  const table = new SampleTable()
  const kept = samples.map((sample) => table.add(sample))
  expect(kept.map(plainSample)).toStrictEqual(samples)
})

test('an absent field reads as undefined', () => {
  const { request_id, cost, ttft_ms } = new SampleTable().add(failedSample({ ttft_ms: 0 }))
  expect([request_id, cost, ttft_ms]).toEqual([undefined, undefined, 0])
})

test('a kept sample is whole JSON, and cannot be posted by mistake', () => {
  const sample = failedSample({ labels: { team: 'a' } })
  const kept = new SampleTable().add(sample)
  expect(JSON.stringify([kept])).toBe(JSON.stringify([plainSample(sample)]))
  expect(() => structuredClone(kept)).toThrow('could not be cloned')
  expect(structuredClone(plainSample(kept))).toStrictEqual(sample)
})

test('as bounded as it is said to be: few bytes a row beside the texts', () => {
  const table = new SampleTable()
  const before = process.memoryUsage().arrayBuffers
  for (let seq = 0; seq < 40_960; seq += 1) table.add(okSample({ seq, labels: { night: String(seq % 9) } }))
  expect((process.memoryUsage().arrayBuffers - before) / 40_960).toBeLessThan(150)
})
