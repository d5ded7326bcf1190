import type { Clock } from '../clock.ts'
import { progressBlock, progressLine } from './progress.ts'
import type { ProgressState } from './progress.ts'

/** Where progress goes; `process.stderr` is one. */
export interface ProgressStream {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
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
/** A line a round, but not more often than this … */
const ROUND_LINE_MS = 5000
/** … and one at least this often. */
const LINE_MS = 60_000

function blockPrinter(stream: ProgressStream, clock: Clock): ProgressPrinter {
  let drawn = 0
  let at = Number.NEGATIVE_INFINITY
  let latest: ProgressState | undefined
  const clear = (): string => (drawn === 0 ? '' : `\u001b[${drawn}A\u001b[0J`)
  const draw = (): void => {
    if (latest === undefined) return
    const lines = progressBlock(latest, stream.columns ?? 80)
    stream.write(`${clear()}${lines.join('\n')}\n`)
    drawn = lines.length
    at = clock.now()
  }
  return {
    update(state) {
      latest = state
      if (clock.now() - at >= BLOCK_MS) draw()
    },
    say(text) {
      stream.write(`${clear()}${text}\n`)
      drawn = 0
      draw()
    },
    end() {
      draw()
      drawn = 0
      latest = undefined
    },
  }
}

function linePrinter(stream: ProgressStream, clock: Clock): ProgressPrinter {
  let round = -1
  let at = Number.NEGATIVE_INFINITY
  let latest: ProgressState | undefined
  let printed: ProgressState | undefined
  const print = (state: ProgressState): void => {
    stream.write(`${progressLine(state)}\n`)
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
export function createProgressPrinter(stream: ProgressStream, clock: Clock): ProgressPrinter {
  return stream.isTTY === true ? blockPrinter(stream, clock) : linePrinter(stream, clock)
}
