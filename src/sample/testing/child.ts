import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('./appending-child.ts', import.meta.url))

/** What `appending-child.ts` said, line by line. */
export type Saying = readonly [word: string, ...facts: (string | number)[]]

/** An `appending-child.ts` at work, in a process of its own. */
export class AppendingChild {
  readonly process: ChildProcess
  readonly said: Saying[] = []
  readonly #exited: Promise<unknown>
  readonly #listeners = new Set<() => void>()

  /** @param limitBlocks - no file may grow beyond so many blocks of the shell's `ulimit -f` */
  constructor(args: readonly string[], limitBlocks?: number) {
    const command = [process.execPath, '--no-warnings', SCRIPT, ...args]
    this.process =
      limitBlocks === undefined
        ? spawn(command[0] ?? '', command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] })
        : spawn('sh', ['-c', `ulimit -f ${limitBlocks}; exec "$@"`, 'sh', ...command], {
            stdio: ['pipe', 'pipe', 'inherit'],
          })
    this.#exited = once(this.process, 'close')
    if (this.process.stdout === null) throw new Error('the child has no stdout')
    createInterface(this.process.stdout).on('line', (line) => {
      this.said.push(JSON.parse(line) as Saying)
      for (const listener of this.#listeners) listener()
    })
  }

  /** Resolves once the child has said that word so often; rejects when it ends before. */
  async heard(word: string, times = 1): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (this.count(word) < times) return
        this.#listeners.delete(look)
        resolve()
      }
      this.#listeners.add(look)
      void this.#exited.then(() =>
        reject(new Error(`the child ended and had said ${JSON.stringify(this.said.slice(-3))}`)),
      )
      look()
    })
  }

  count(word: string): number {
    return this.said.filter(([first]) => first === word).length
  }

  send(line: string): void {
    this.process.stdin?.write(`${line}\n`)
  }

  /** Lets it end by itself. */
  async finish(): Promise<void> {
    this.process.stdin?.end()
    await this.#exited
  }

  /** Ends it as `kill -9` does. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL')
    await this.#exited
  }
}
