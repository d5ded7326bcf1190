import { describe, expect, test } from 'vitest'
import type { Clock } from '../clock.ts'
import type { OkSample } from '../sample/types.ts'
import { progressBlock, progressLine } from './progress.ts'
import type { ProgressState } from './progress.ts'
import { createProgressPrinter } from './progress-printer.ts'

const sample: OkSample = {
  run_id: 'r',
  plan: 'p',
  seq: 0,
  round: 0,
  probe: 'example',
  target: 'glm-5.3',
  prompt: 'medium',
  model: 'glm',
  protocol: 'openai-chat',
  labels: {},
  due_at: '2026-01-01T00:00:00.000Z',
  started_at: '2026-01-01T00:00:00.000Z',
  lateness_ms: 0,
  outcome: 'ok',
  stale_retries: 0,
  ttft_ms: 1049,
  decode_tps: 59.4,
  client_lag_ms: 0.2,
  flags: [],
  prompt_bytes: 10,
  nonce: 'n',
}

const state: ProgressState = {
  planned: 480,
  done: 143,
  failed: 2,
  rounds: 40,
  round: 12,
  missedRounds: 1,
  elapsedMs: 1000,
  etaMs: 13_320_000,
  cost: 1.2345,
  currency: 'USD',
  simulated: false,
  last: sample,
  targets: [
    { name: 'glm-5.3', n: 36, failed: 0, ttft: [1000, 1100, 1200] },
    { name: 'deepseek-3.2', n: 36, failed: 2, ttft: [] },
  ],
}

/** A clock that stands until it is told. */
function standingClock(): Clock & { advance: (ms: number) => void } {
  let at = 0
  return {
    now: () => at,
    wall: () => at,
    sleep: async () => undefined,
    advance: (ms) => {
      at += ms
    },
  }
}

function stream(isTTY: boolean) {
  const written: string[] = []
  return { isTTY, columns: 60, written, write: (text: string) => written.push(text) }
}

describe('progress', () => {
  test('the block says round, done / planned, failures, missed rounds, ETA, cost, last sample and percentiles', () => {
    expect(progressBlock(state, 120).join('\n')).toMatchInlineSnapshot(`
      "slo   round 12/40 · 143/480 requests · 2 failed · 1 rounds missed · ETA 3 h 42 min · cost 1.2345 USD
      last  glm-5.3/medium  ttft 1.05 s  59.4 tok/s
            glm-5.3       n   36  ttft p50 1.1 s  p99 1.2 s  0 failed
            deepseek-3.2  n   36  ttft –  2 failed"
    `)
  })

  test.each([
    [0, 'ETA 0 s'],
    [99_000, 'ETA 99 s'],
    [162_390, 'ETA 3 min'],
    [7_200_001, 'ETA 2 h 01 min'],
  ])('%i ms left is %s', (etaMs, text) => {
    expect(progressLine({ ...state, etaMs })).toContain(text)
  })

  test('no line of the block is wider than the terminal', () => {
    for (const line of progressBlock(state, 40)) expect(line.length).toBeLessThan(40)
  })

  test('the line says the same in one line', () => {
    expect(progressLine(state)).not.toContain('\n')
    expect(progressLine(state)).toContain('143/480 requests')
    expect(progressLine(state)).toContain('glm-5.3 ttft p50 1.1 s  p99 1.2 s')
  })

  test('in a terminal the block is drawn over itself', () => {
    const clock = standingClock()
    const out = stream(true)
    const printer = createProgressPrinter(out, clock)
    printer.update(state)
    printer.update(state)
    expect(out.written).toHaveLength(1)
    clock.advance(100)
    printer.update(state)
    expect(out.written[1]?.startsWith('\u001b[4A\u001b[0J')).toBe(true)
    printer.say('a note')
    expect(out.written[2]).toBe('\u001b[4A\u001b[0Ja note\n')
  })

  test('without a terminal there is a line a round or a minute, and no control character', () => {
    const clock = standingClock()
    const out = stream(false)
    const printer = createProgressPrinter(out, clock)
    printer.update(state)
    printer.update(state)
    expect(out.written).toHaveLength(1)
    clock.advance(5000)
    printer.update(state)
    expect(out.written).toHaveLength(1)
    printer.update({ ...state, round: 13 })
    expect(out.written).toHaveLength(2)
    clock.advance(60_000)
    printer.update({ ...state, round: 13, done: 150 })
    expect(out.written).toHaveLength(3)
    printer.end()
    printer.end()
    expect(out.written).toHaveLength(3)
    expect(out.written.join('')).not.toContain('\u001b')
  })
})
