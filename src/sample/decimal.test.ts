import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { plainDecimal } from './decimal.ts'

test.for([
  [1e-7, '0.0000001'],
  [-1.25e-9, '-0.00000000125'],
  [1e21, '1000000000000000000000'],
  [1.234e22, '12340000000000000000000'],
  [0.001, '0.001'],
  [-0, '0'],
  [812.125, '812.125'],
] as const)('%d is written %s', ([value, text]) => {
  expect(plainDecimal(value)).toBe(text)
})

test('any finite number is a plain decimal that reads back as itself', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = plainDecimal(value)
      expect(text).toMatch(/^-?\d+(\.\d+)?$/)
      expect(Number(text)).toBe(value === 0 ? 0 : value)
    }),
    { numRuns: 2000 },
  )
})
