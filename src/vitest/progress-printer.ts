import { stripVTControlCharacters } from 'node:util'
import type { Clock } from '../clock.ts'
import type { Paint } from '../colour.ts'
import { progressLine } from './progress.ts'
import type { ProgressState } from './progress.ts'
import { progressBlock } from './progress-block.ts'
import { wrapText } from './wrap-text.ts'

/** Where progress goes; `process.stderr` is one. */
export interface ProgressStream {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly rows?: number | undefined
}

/** Draws the progress: one block that updates in a terminal, elsewhere a line a round or a minute. */
export interface ProgressPrinter {
  update(state: ProgressState): void
  /** A sentence of its own, above the block. */
  say(text: string): void
  /** Leaves the last state standing. */
  end(): void
}

/** Shortest time between two drawings of the block. */
const BLOCK_MS = 100
/** The time that is left goes on while nothing is asked. */
const TICK_MS = 1000
/** A line a round, but not more often than this … */
const ROUND_LINE_MS = 5000
/** … and one at least this often. */
const LINE_MS = 60_000

/** What is wider than the terminal must not wrap: the block would not be drawn over itself. */
const NO_WRAP = '\u001b[?7l'
const WRAP = '\u001b[?7h'

function blockPrinter(stream: ProgressStream, clock: Clock, paint: Paint): ProgressPrinter {
  let drawn: readonly string[] = []
  let at = Number.NEGATIVE_INFINITY
  let latest: ProgressState | undefined
  let ticking: NodeJS.Timeout | undefined
  // a terminal that nobody looks at has 0
  const columns = (): number => stream.columns || 80
  /** A terminal that was made narrower shows a line on several rows. */
  const height = (line: string): number => Math.max(1, Math.ceil(stripVTControlCharacters(line).length / columns()))
  const clear = (): string => {
    const rows = drawn.reduce((sum, line) => sum + height(line), 0)
    return rows === 0 ? '' : `\u001b[${rows}A\u001b[0J`
  }
  const draw = (): void => {
    if (latest === undefined) return
    const lines = progressBlock(latest, clock.wall(), { columns: columns(), rows: stream.rows || 24, paint })
    stream.write(`${clear()}${NO_WRAP}${lines.join('\n')}\n${WRAP}`)
    drawn = lines
    at = clock.now()
  }
  return {
    update(state) {
      latest = state
      ticking ??= setInterval(draw, TICK_MS).unref()
      if (clock.now() - at >= BLOCK_MS) draw()
    },
    say(text) {
      stream.write(`${clear()}${wrapText(text, columns(), 5)}\n`)
      drawn = []
      draw()
    },
    end() {
      clearInterval(ticking)
      ticking = undefined
      draw()
      drawn = []
      latest = undefined
    },
  }
}

function linePrinter(stream: ProgressStream, clock: Clock, paint: Paint): ProgressPrinter {
  let round = -1
  let at = Number.NEGATIVE_INFINITY
  let latest: ProgressState | undefined
  let printed: ProgressState | undefined
  const print = (state: ProgressState): void => {
    stream.write(`${progressLine(state, clock.wall(), paint)}\n`)
    printed = state
    round = state.round
    at = clock.now()
  }
  return {
    update(state) {
      latest = state
      const waited = clock.now() - at
      if (waited >= LINE_MS || (waited >= ROUND_LINE_MS && state.round !== round)) print(state)
    },
    say(text) {
      stream.write(`${text}\n`)
    },
    end() {
      if (latest !== undefined && latest !== printed) print(latest)
    },
  }
}

/** The printer that fits the stream: a block in a terminal, lines elsewhere. */
export function createProgressPrinter(stream: ProgressStream, clock: Clock, paint: Paint): ProgressPrinter {
  // a dumb terminal knows no way back
  const canDraw = stream.isTTY === true && process.env['TERM'] !== 'dumb'
  return canDraw ? blockPrinter(stream, clock, paint) : linePrinter(stream, clock, paint)
}
