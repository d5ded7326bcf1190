const SIGNALS = ['SIGINT', 'SIGTERM'] as const

type Listener = (...args: unknown[]) => void

/**
 * Takes SIGINT and SIGTERM over while sampling: the first one calls `interrupt`, the second one ends the process at
 * once. Vitest's own listeners, which exit without any report, are put back by the function that is returned.
 */
export function takeSignals(interrupt: (signal: string) => void): () => void {
  let count = 0
  const onSignal = (signal: string): void => {
    count += 1
    if (count > 1) process.exit(130)
    interrupt(signal)
  }
  const saved = SIGNALS.map((signal) => ({ signal, listeners: process.rawListeners(signal) as Listener[] }))
  for (const { signal } of saved) {
    process.removeAllListeners(signal)
    process.on(signal, onSignal)
  }
  return () => {
    for (const { signal, listeners } of saved) {
      process.off(signal, onSignal)
      for (const listener of listeners) process.on(signal, listener)
    }
  }
}
