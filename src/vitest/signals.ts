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
