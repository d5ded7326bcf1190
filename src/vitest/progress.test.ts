import { describe, expect, test } from 'vitest'
import type { Clock } from '../clock.ts'
import { plain } from '../colour.ts'
import type { Paint } from '../colour.ts'
import type { OkSample } from '../sample/types.ts'
import { progressLine } from './progress.ts'
import type { ProgressState } from './progress.ts'
import { progressBlock } from './progress-block.ts'
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

const NOW = Date.parse('2026-01-01T00:00:00.000Z')

const state: ProgressState = {
  planned: 480,
  done: 143,
  failed: 2,
  rounds: 40,
  round: 12,
  missedRounds: 1,
  endsAt: NOW + 13_320_000,
  nextRoundAt: null,
  cost: 1.2345,
  currency: 'USD',
  simulated: false,
  last: sample,
  targets: [
    { name: 'glm-5.3', n: 36, failed: 0, ttft: [1000, 1100, 1200] },
    { name: 'deepseek-3.2', n: 36, failed: 2, ttft: [] },
  ],
}

/** Styles as words, so that a test can read them. */
const marked: Paint = (style, text) => `<${style}>${text}</>`

function block(columns: number, change: Partial<ProgressState> = {}, rows = 30): readonly string[] {
  return progressBlock({ ...state, ...change }, NOW, { columns, rows, paint: plain })
}

/** A clock that stands until it is told. */
function standingClock(): Clock & { advance: (ms: number) => void } {
  let at = 0
  return {
    now: () => at,
    wall: () => NOW + at,
    sleep: async () => undefined,
    advance: (ms) => {
      at += ms
    },
  }
}

function stream(isTTY: boolean, columns = 80) {
  const written: string[] = []
  return { isTTY, columns, rows: 30, written, write: (text: string) => written.push(text) }
}

describe('the block', () => {
  test('at 80 columns: how far, what failed, what is left, what it cost, and a row for each target', () => {
    expect(block(80).join('\n')).toMatchInlineSnapshot(`
      "slo   ━━━━━───────────────  143/480 requests · round 12/40 · ETA 3 h 42 min
            2 failed (1.4 %) · 1 round missed · cost 1.2345 USD
      last  glm-5.3/medium  ttft 1.05 s  59.4 tok/s
            target         n  failed  last ttft    p50    p99
            glm-5.3       36       0      1.2 s  1.1 s  1.2 s
            deepseek-3.2  36       2          –      –      –"
    `)
  })

  test('at 40 columns: the same on more lines, fewer columns', () => {
    expect(block(40).join('\n')).toMatchInlineSnapshot(`
      "slo   143/480 requests · round 12/40
            ETA 3 h 42 min · 2 failed (1.4 %)
            1 round missed · cost 1.2345 USD
      last  glm-5.3…  ttft 1.05 s  59.4 tok/s
            target         n  failed    p99
            glm-5.3       36       0  1.2 s
            deepseek-3.2  36       2      –"
    `)
  })

  test('no line is wider than the terminal, whatever it is called', () => {
    const targets = [{ name: 'a-model-with-a-very-long-name-indeed', n: 123_456, failed: 4321, ttft: [1, 59_999] }]
    for (let columns = 30; columns < 120; columns += 1)
      for (const line of block(columns, { targets })) expect(line.length).toBeLessThan(columns)
  })

  test('more targets than the screen has rows are counted', () => {
    const targets = Array.from({ length: 30 }, (_, at) => ({ name: `model-${at}`, n: 1, failed: 0, ttft: [100] }))
    const lines = block(80, { targets }, 24)
    expect(lines.length).toBeLessThanOrEqual(24 - 9)
    expect(lines.at(-1)).toMatch(/… and \d+ targets more/)
  })

  test('between rounds it says when the next one is', () => {
    expect(block(80, { nextRoundAt: NOW + 300_000 }).join('\n')).toContain('next round in 5 min')
  })

  test('failures are red, what is missed and what is no measurement yellow', () => {
    const change = { last: { ...sample, outcome: 'error', error_kind: 'http_status', status: 529, error_message: '' } }
    const lines = progressBlock({ ...state, ...change, simulated: true } as ProgressState, NOW, {
      columns: 200,
      rows: 30,
      paint: marked,
    }).join('\n')
    expect(lines).toContain('<red>2 failed (1.4 %)</>')
    expect(lines).toContain('<red>http_status 529</>')
    expect(lines).toContain('<yellow>1 round missed</>')
    expect(lines).toContain('<yellow>SIMULATED</>')
    expect(lines).toMatch(/deepseek-3\.2 +36<red> +2<\/>/)
  })
})

describe('the line', () => {
  test.each([
    [0, 'ETA 0 s'],
    [99_000, 'ETA 99 s'],
    [162_390, 'ETA 3 min'],
    [7_200_001, 'ETA 2 h 01 min'],
  ])('%i ms left is %s', (left, text) => {
    expect(progressLine({ ...state, endsAt: NOW + left }, NOW, plain)).toContain(text)
  })

  test('says the same in one line', () => {
    expect(progressLine(state, NOW, plain)).toMatchInlineSnapshot(
      `"slo  143/480 requests · round 12/40 · ETA 3 h 42 min · 2 failed (1.4 %) · 1 round missed · cost 1.2345 USD · last glm-5.3/medium ttft 1.05 s  59.4 tok/s · glm-5.3 ttft p50 1.1 s p99 1.2 s · deepseek-3.2 ttft –"`,
    )
  })
})

describe('the printer', () => {
  test('in a terminal the block is drawn over itself, and never wraps', () => {
    const clock = standingClock()
    const out = stream(true)
    const printer = createProgressPrinter(out, clock, plain)
    const height = block(80).length
    printer.update(state)
    printer.update(state)
    expect(out.written).toHaveLength(1)
    expect(out.written[0]).toBe(`\u001b[?7l${block(80).join('\n')}\n\u001b[?7h`)
    clock.advance(100)
    printer.update(state)
    expect(out.written[1]?.startsWith(`\u001b[${height}A\u001b[0J`)).toBe(true)
    printer.say('a note')
    expect(out.written[2]).toBe(`\u001b[${height}A\u001b[0Ja note\n`)
    printer.end()
  })

  test('a terminal that became narrower is cleared by the rows that the lines take now', () => {
    const clock = standingClock()
    const out = stream(true)
    const printer = createProgressPrinter(out, clock, plain)
    printer.update(state)
    const rows = block(80).reduce((sum, line) => sum + Math.ceil(line.length / 40), 0)
    out.columns = 40
    clock.advance(100)
    printer.update(state)
    expect(out.written[1]?.startsWith(`\u001b[${rows}A`)).toBe(true)
    printer.end()
  })

  test('a sentence is broken between words in a terminal, and stays one line elsewhere', () => {
    const sentence = 'slo  note: p99 needs 100, this schedule gives 18 a target'
    const [terminal, file] = [stream(true, 31), stream(false)]
    createProgressPrinter(terminal, standingClock(), plain).say(sentence)
    createProgressPrinter(file, standingClock(), plain).say(sentence)
    expect(terminal.written).toEqual(['slo  note: p99 needs 100, this\n     schedule gives 18 a target\n'])
    expect(file.written).toEqual([`${sentence}\n`])
  })

  test('without a terminal there is a line a round or a minute, and no control character', () => {
    const clock = standingClock()
    const out = stream(false)
    const printer = createProgressPrinter(out, clock, plain)
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
