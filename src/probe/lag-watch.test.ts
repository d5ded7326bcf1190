import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LagWatch } from './lag-watch.ts'

function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('a stall without any event is in the measure', async () => {
  const watch = new LagWatch()
  const measure = watch.begin()
  await sleep(20)
  block(60)
  await sleep(20)
  expect(watch.end(measure)).toBeGreaterThanOrEqual(58)
})

test('the bound holds for what waited in a stall', async () => {
  const watch = new LagWatch()
  const measure = watch.begin()
  await sleep(10)
  // arrives while the thread is busy, is read after it
  const arrivedAt = performance.now()
  block(40)
  const readAt = performance.now()
  expect(watch.bound(readAt)).toBeGreaterThanOrEqual(readAt - arrivedAt)
  watch.end(measure)
})

test('measures are independent, and the ticks end with the last one', async () => {
  const watch = new LagWatch()
  const early = watch.begin()
  block(500)
  await sleep(15)
  const late = watch.begin()
  const worstEarly = watch.end(early)
  await sleep(15)
  const worstLate = watch.end(late)
  expect(worstEarly).toBeGreaterThanOrEqual(498)
  expect(worstLate).toBeLessThan(worstEarly)
})
