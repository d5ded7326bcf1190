import { fileURLToPath } from 'node:url'
import { MessageChannel, Worker } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import type { PoolOptions, PoolWorker, WorkerRequest } from 'vitest/node'
import { SloError } from '../errors.ts'
import type { RenderedPrompt } from '../spec/types.ts'
import type { CollectedPlan, FromSpecWorker, RenderRequest, SpecWorkerData, ToSpecWorker } from './messages.ts'

/** What a pool worker needs of the coordinator. */
export interface PoolWorkerHooks {
  readonly data: () => SpecWorkerData
  /** The collecting pass is over: sample, then `reply`. */
  readonly onPlan: (plan: CollectedPlan, worker: SpecWorker) => void
  /** The spec files declare something else each time they are read: the gate is broken. */
  readonly onStray: () => void
  /** The thread is gone though nobody stopped it. */
  readonly onDeath: () => void
}

/** The spec worker, seen from the coordinator. */
export interface SpecWorker {
  render(request: RenderRequest): Promise<RenderedPrompt>
  reply(message: Extract<ToSpecWorker, { readonly type: 'outcome' | 'refused' }>): void
}

interface PendingRender {
  readonly resolve: (prompt: RenderedPrompt) => void
  readonly reject: (error: SloError) => void
}

/** The same file in `src/` and in `dist/`. */
function moduleBeside(name: string): URL {
  return new URL(`./${name}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)
}

/** Path of the runner's module, as Vitest takes it. */
export function runnerModule(): string {
  return fileURLToPath(moduleBeside('runner'))
}

/** A thread with Vitest's worker protocol on its own channel, and a private port for the coordinator. */
export class SloPoolWorker implements PoolWorker, SpecWorker {
  readonly name = 'slo'
  readonly #options: PoolOptions
  readonly #hooks: PoolWorkerHooks
  readonly #renders = new Map<number, PendingRender>()
  #thread: Worker | undefined
  #port: MessagePort | undefined
  #nextRender = 0
  #stopping = false

  constructor(options: PoolOptions, hooks: PoolWorkerHooks) {
    this.#options = options
    this.#hooks = hooks
  }

  async start(): Promise<void> {
    const { port1, port2 } = new MessageChannel()
    const { logger } = this.#options.project.vitest
    this.#port = port1
    port1.on('message', (message: FromSpecWorker) => this.#onMessage(message))
    this.#thread = new Worker(moduleBeside('worker'), {
      env: this.#options.env as NodeJS.ProcessEnv,
      execArgv: this.#options.execArgv,
      stdout: true,
      stderr: true,
      workerData: { port: port2, data: this.#hooks.data() },
      transferList: [port2],
    })
    this.#thread.stdout.pipe(logger.outputStream, { end: false })
    this.#thread.stderr.pipe(logger.errorStream, { end: false })
    this.#thread.on('exit', () => this.#onExit())
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#thread?.terminate()
    this.#port?.close()
  }

  on(event: string, callback: (...args: unknown[]) => void): void {
    this.#thread?.on(event, callback)
  }

  off(event: string, callback: (...args: unknown[]) => void): void {
    this.#thread?.off(event, callback)
  }

  send(message: WorkerRequest): void {
    // a thread that is already gone reports itself by 'exit'
    this.#thread?.postMessage(message)
  }

  deserialize(data: unknown): unknown {
    return data
  }

  /** Every run gets a thread of its own. */
  canReuse(): boolean {
    return false
  }

  render(request: RenderRequest): Promise<RenderedPrompt> {
    return new Promise((resolve, reject) => {
      if (this.#stopping) {
        reject(new SloError('RUNNER_DIED', 'the spec worker is gone'))
        return
      }
      const id = this.#nextRender
      this.#nextRender += 1
      this.#renders.set(id, { resolve, reject })
      this.#post({ type: 'render', id, request })
    })
  }

  reply(message: ToSpecWorker): void {
    this.#post(message)
  }

  #post(message: ToSpecWorker): void {
    this.#port?.postMessage(message)
  }

  #onMessage(message: FromSpecWorker): void {
    if (message.type === 'plan') {
      this.#hooks.onPlan(message.plan, this)
      return
    }
    if (message.type === 'stray') {
      this.#hooks.onStray()
      return
    }
    const pending = this.#renders.get(message.id)
    this.#renders.delete(message.id)
    if (message.type === 'rendered') pending?.resolve(message.prompt)
    else pending?.reject(new SloError('PROMPT_FAILED', message.message, { hint: message.hint ?? undefined }))
  }

  #onExit(): void {
    const expected = this.#stopping
    this.#stopping = true
    for (const { reject } of this.#renders.values()) reject(new SloError('RUNNER_DIED', 'the spec worker is gone'))
    this.#renders.clear()
    if (!expected) this.#hooks.onDeath()
  }
}
