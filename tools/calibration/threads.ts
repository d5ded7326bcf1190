import { availableParallelism } from 'node:os'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { ratesOf } from './cells.ts'
import type { Cell } from './cells.ts'
import type { Rate } from './rates.ts'

/** What a thread is asked. */
interface Order {
  readonly at: number
  readonly cell: Cell
  readonly runs: number
}

interface Answer {
  readonly at: number
  readonly rates: readonly Rate[]
}

/**
 * Simulates cells on all processors; each has random numbers of its own, so the answers are the same on any number of them.
 * @returns in the order of `cells`
 */
export async function simulate(cells: readonly Cell[], runs: number): Promise<Rate[]> {
  const answers: (readonly Rate[])[] = []
  let next = 0
  const one = (): Promise<void> =>
    new Promise((done, failed) => {
      const worker = new Worker(new URL(import.meta.url))
      const ask = (): void => {
        const cell = cells[next]
        if (cell === undefined) {
          void worker.terminate()
          done()
          return
        }
        const order: Order = { at: next, cell, runs }
        next += 1
        worker.postMessage(order)
      }
      worker.on('error', failed)
      worker.on('message', ({ at, rates }: Answer) => {
        answers[at] = rates
        ask()
      })
      ask()
    })
  await Promise.all(Array.from({ length: Math.min(cells.length, availableParallelism()) }, one))
  return answers.flat()
}

if (!isMainThread) {
  parentPort?.on('message', ({ at, cell, runs }: Order) => {
    parentPort?.postMessage({ at, rates: ratesOf(cell, runs) } satisfies Answer)
  })
}
