import { expect, test } from 'vitest'
import { readControl } from './request.ts'

test('the time scale is the simulator’s own, unless a request names another', () => {
  expect(readControl({}, 100).timeScale).toBe(100)
  expect(readControl({ 'x-slo-time-scale': '7' }, 100).timeScale).toBe(7)
})
