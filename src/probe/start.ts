import { extname } from 'node:path'
import { SHARE_ENV, Worker } from 'node:worker_threads'
import { SloError } from '../errors.ts'
import type { FromThread, ToThread } from './thread-messages.ts'
import type { Prober } from './types.ts'

/** @see startProber */
export interface ProberOptions {
  /** Entry of the thread. @default this package's own */
  readonly entry?: URL | undefined
}

/** How long `close()` waits for the thread to end by itself, milliseconds. */
const CLOSE_MS = 1000

type Answer = Exclude<FromThread, { readonly type: 'ready' | 'failed' }>

interface Waiting {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: SloError) => void
}

/**
 * Starts the prober: a plain thread without Vite or any loader, which reads its secrets from this process's environment. The
 * thread keeps the process running only while it has something to do. Close it in the end.
 */
export function startProber(options: ProberOptions = {}): Prober {
  const entry = options.entry ?? new URL(`./prober-thread${extname(import.meta.url)}`, import.meta.url)
  const worker = new Worker(entry, { env: SHARE_ENV, execArgv: [], name: 'vitest-slo prober' })
  const waiting = new Map<number, Waiting>()
  const { promise: ready, resolve: isReady, reject: isNot } = Promise.withResolvers<void>()
  const { promise: exited, resolve: hasExited } = Promise.withResolvers<void>()
  let started = false
  let dead: SloError | undefined
  let closing = false
  let asked = 0
  let tail: Promise<unknown> = ready

  const post = (message: ToThread): void => {
    if (dead === undefined) worker.postMessage(message)
  }
  const rest = (): void => {
    if (started && waiting.size === 0) worker.unref()
  }
  const die = (message: string, cause?: unknown): void => {
    dead ??= new SloError('PROBER_FAILED', message, {
      cause,
      hint: 'the samples so far are in the CSV; run again to go on',
    })
    isNot(dead)
    for (const { reject } of waiting.values()) reject(dead)
    waiting.clear()
  }

  worker.on('message', (message: FromThread) => {
    if (message.type === 'ready') {
      started = true
      isReady()
      rest()
      return
    }
    const asker = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.type === 'failed') asker?.reject(new SloError(message.code, message.message, { hint: message.hint }))
    else asker?.resolve(message)
    rest()
  })
  worker.once('error', (error) =>
    die(`the prober's thread died: ${error instanceof Error ? error.message : String(error)}`, error),
  )
  worker.once('exit', (code) => {
    die(closing ? 'the prober is closed' : `the prober's thread ended by itself (exit code ${code})`)
    hasExited()
  })
  ready.catch(() => {})

  const send = async (what: (id: number) => ToThread): Promise<Answer> =>
    await new Promise((resolve, reject) => {
      if (dead !== undefined || closing) {
        reject(dead ?? new SloError('PROBER_FAILED', 'the prober is closed'))
        return
      }
      asked += 1
      waiting.set(asked, { resolve, reject })
      worker.ref()
      post(what(asked))
    })
  /** One thing at a time. */
  const sendInTurn = (what: (id: number) => ToThread): Promise<Answer> => {
    const answer = tail.then(
      () => send(what),
      () => send(what),
    )
    tail = answer.catch(() => {})
    return answer
  }

  return {
    ready,
    async inspect(targets) {
      const answer = await sendInTurn((id) => ({ type: 'inspect', id, targets }))
      return answer.type === 'inspected' ? answer.problems : []
    },
    async ask(order) {
      const answer = await sendInTurn((id) => ({ type: 'ask', id, order }))
      if (answer.type === 'sample') return answer.sample
      throw new SloError('PROBER_FAILED', `the prober answered a request with ${answer.type}`)
    },
    abort() {
      post({ type: 'abort' })
    },
    async close() {
      if (!closing) {
        closing = true
        worker.ref()
        post({ type: 'close' })
      }
      const timer = setTimeout(() => void worker.terminate(), CLOSE_MS)
      await exited
      clearTimeout(timer)
    },
  }
}
