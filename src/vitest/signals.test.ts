import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Clock } from '../clock.ts'
import { systemClock } from '../clock.ts'
import { takeSignals } from './signals.ts'

/** A clock that stands until it is told to go on. */
function standing(): Clock & { pass(ms: number): void } {
  let at = 5000
  return {
    ...systemClock,
    now: () => at,
    pass(ms) {
      at += ms
    },
  }
}

let giveBack: (() => void) | undefined
afterEach(() => {
  giveBack?.()
  vi.restoreAllMocks()
})

describe('signals while a run is sampled', () => {
  const exit = () =>
    vi.spyOn(process, 'exit').mockImplementation(() => {
      throw new Error('the process would end here')
    })

  test('one press that arrives several times interrupts once, and ends nothing', () => {
    const exited = exit()
    const clock = standing()
    const seen: string[] = []
    giveBack = takeSignals(clock, (signal) => seen.push(signal))
    process.emit('SIGINT', 'SIGINT')
    process.emit('SIGINT', 'SIGINT')
    clock.pass(1000)
    process.emit('SIGTERM', 'SIGTERM')
    expect(seen).toEqual(['SIGINT'])
    expect(exited).not.toHaveBeenCalled()
  })

  test('a second press ends the process at once', () => {
    const exited = exit()
    const clock = standing()
    giveBack = takeSignals(clock, () => undefined)
    process.emit('SIGINT', 'SIGINT')
    clock.pass(1001)
    expect(() => process.emit('SIGINT', 'SIGINT')).toThrow('would end here')
    expect(exited).toHaveBeenCalledWith(130)
  })

  test('what listened before listens again afterwards', () => {
    const before = process.listeners('SIGINT')
    takeSignals(standing(), () => undefined)()
    expect(process.listeners('SIGINT')).toEqual(before)
  })
})
