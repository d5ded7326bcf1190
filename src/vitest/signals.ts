import type { Clock } from '../clock.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
/** One press may arrive several times: `timeout` signals its child and then the whole group, npm hands on what the terminal sent too. */
const ONE_PRESS_MS = 1000

type Listener = (...args: unknown[]) => void

/**
 * Takes SIGINT and SIGTERM over while sampling: the first one calls `interrupt`, one that comes over a second later ends the process at
 * once. Vitest's own listeners, which exit without any report, are put back by the function that is returned.
 */
export function takeSignals(clock: Clock, interrupt: (signal: string) => void): () => void {
  let first: number | undefined
  const onSignal = (signal: string): void => {
    const now = clock.now()
    if (first === undefined) {
      first = now
      interrupt(signal)
    } else if (now - first > ONE_PRESS_MS) process.exit(130)
  }
  // ours comes before theirs go: without any listener Node lets go of the signal, and one that is on its way is lost
  const saved = SIGNALS.map((signal) => {
    const listeners = process.rawListeners(signal) as Listener[]
    process.on(signal, onSignal)
    for (const listener of listeners) process.off(signal, listener)
    return { signal, listeners }
  })
  return () => {
    for (const { signal, listeners } of saved) {
      for (const listener of listeners) process.on(signal, listener)
      process.off(signal, onSignal)
    }
  }
}
