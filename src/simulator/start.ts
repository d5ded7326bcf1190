import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DoorOrder } from './doors.ts'
import { SimulatorError } from './errors.ts'
import type { ReadyMessage, StartMessage } from './server-process.ts'

/** A running simulator. */
export interface Simulator {
  /** `http://127.0.0.1:PORT`; the base URL of its API is `${url}/v1`. */
  readonly url: string
  /** URLs of {@link SimulatorOptions.doors}, by their names: `https://127.0.0.1:PORT`. */
  readonly doors: Readonly<Record<string, string>>
  readonly pid: number
  /** Ends the process; resolves when it has ended. May be called twice. */
  stop(): Promise<void>
}

/** @see startSimulator */
export interface SimulatorOptions {
  /** For requests without `x-slo-seed`. @default 1 */
  readonly seed?: number | undefined
  /** @default 0: any free port */
  readonly port?: number | undefined
  /** @default the package's `fixtures/profiles/` */
  readonly profilesDir?: string | undefined
  /** For requests without `x-slo-time-scale`: answers that many times faster. @default 1 */
  readonly timeScale?: number | undefined
  /** More ways in, by names of the caller's: TLS, HTTP/2, and what goes wrong before a request. @default none */
  readonly doors?: Readonly<Record<string, DoorOrder>> | undefined
}

const STOP_MS = 2000

/** The process needs nothing of the caller's environment, so no key and no loader of the caller reaches it. */
function bareEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'TZ', 'TMPDIR', 'SystemRoot', 'windir']
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.connected) child.disconnect()
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  child.ref()
  await ended(child)
  clearTimeout(timer)
}

/**
 * Starts the simulator in a process of its own, so that neither its work nor its garbage is in the times of the caller. It
 * ends with the caller, killed or not, and does not keep the caller running.
 * @throws SimulatorError `SIMULATOR_FAILED`
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const entry = fileURLToPath(new URL(`./server-process${extname(import.meta.url)}`, import.meta.url))
  const child = fork(entry, [], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: bareEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // a process group of its own: Ctrl+C in a terminal is for the caller, who then stops it
    detached: true,
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = `${stderr}${text}`.slice(-4000)
  })
  const { seed = 1, port, profilesDir, timeScale, doors } = options
  const start: StartMessage = { seed, port, profilesDir, timeScale, doors }
  const ready = await new Promise<ReadyMessage>((resolve) => {
    child.once('error', (error) => resolve({ type: 'failed', message: error.message }))
    child.once('close', () => resolve({ type: 'failed', message: stderr.trim() || 'it ended before it was ready' }))
    child.once('message', (message) => resolve(message as ReadyMessage))
    child.send(start, () => {})
  })
  if (ready.type === 'failed' || child.pid === undefined) {
    await stop(child)
    throw new SimulatorError(
      'SIMULATOR_FAILED',
      `the simulator did not start: ${ready.type === 'failed' ? ready.message : 'it has no process id'}`,
      ready.type === 'failed' && ready.message.includes('EADDRINUSE')
        ? 'somebody listens there already: choose another port, or 0 for any that is free'
        : 'it needs Node 22.19 or newer, and a free port on 127.0.0.1',
    )
  }
  child.unref()
  child.channel?.unref()
  const { stderr: pipe } = child
  if (pipe !== null && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref()
  return { url: ready.url, doors: ready.doors, pid: child.pid, stop: () => stop(child) }
}
