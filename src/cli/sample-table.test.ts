import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { sampleColumns } from '../sample/columns.ts'
import { anySample } from '../sample/testing/any-sample.ts'
import { SampleTable } from './sample-table.ts'

test('a sample comes back with every field but the nonce, and absent ones absent', () => {
  fc.assert(
    fc.property(fc.array(anySample, { maxLength: 40 }), (samples) => {
      const table = new SampleTable()
      for (const sample of samples) table.add(sample)
      expect(table.samples).toHaveLength(samples.length)
      table.samples.forEach((found, row) => {
        for (const { name } of sampleColumns) {
          const expected = (samples[row] as unknown as Record<string, unknown>)[name]
          expect((found as unknown as Record<string, unknown>)[name]).toEqual(name === 'nonce' ? '' : expected)
        }
      })
    }),
  )
})

test('rows behind the first piece of a column are found', () => {
  const table = new SampleTable()
  const [sample] = fc.sample(anySample, 1)
  if (sample === undefined) throw new Error('no sample')
  for (let seq = 0; seq < 40_000; seq += 1) table.add({ ...sample, seq, ttft_ms: seq / 2 })
  expect(table.samples.every((each, row) => each.seq === row && each.ttft_ms === row / 2)).toBe(true)
})
