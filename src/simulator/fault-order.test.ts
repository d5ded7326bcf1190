import { expect, test } from 'vitest'
import { FaultCounter, parseFaultOrder } from './fault-order.ts'

const moment = { k: 3, warmup: false, reusedSocket: true }

test('a fault is a name and parameters', () => {
  expect(parseFaultOrder('http-429; retry-after=7 ;times=1')).toEqual({
    name: 'http-429',
    params: { 'retry-after': '7', times: '1' },
    text: 'http-429; retry-after=7 ;times=1',
  })
})

test.each([
  ['gzip', true],
  ['gzip;k=3', true],
  ['gzip;k=4', false],
  ['gzip;on=reused', true],
  ['gzip;on=fresh', false],
])('%s strikes round 3 on a reused socket: %s', (order, strikes) => {
  expect(new FaultCounter().strikes(parseFaultOrder(order), moment)).toBe(strikes)
})

test('times counts the requests that were struck; an id sets two faults apart', () => {
  const counter = new FaultCounter()
  const strikes = (order: string): boolean => counter.strikes(parseFaultOrder(order), moment)
  expect(['gzip;times=2', 'gzip;times=2', 'gzip;times=2', 'gzip;times=2;id=b'].map(strikes)).toEqual([
    true,
    true,
    false,
    true,
  ])
})

test('a warm-up is spared, and uses nothing up, unless it is meant', () => {
  const counter = new FaultCounter()
  const warmup = { ...moment, k: null, warmup: true }
  expect(counter.strikes(parseFaultOrder('gzip;times=1'), warmup)).toBe(false)
  expect(counter.strikes(parseFaultOrder('gzip;times=1'), moment)).toBe(true)
  expect(counter.strikes(parseFaultOrder('gzip;warmup=1'), warmup)).toBe(true)
})
