import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { inject } from 'vitest'

/** What a finished command leaves. */
export interface Finished {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  /** Both, for messages. */
  readonly output: string
}

/** A command that runs. */
export interface Running {
  readonly child: ChildProcess
  readonly finished: Promise<Finished>
  /** Resolves when the output holds the text (or matches); rejects if the command ends first. */
  sees(what: string | RegExp): Promise<void>
}

/** A project of a user: its own folder, the packed package, nothing of this repository. */
export interface Project {
  readonly dir: string
  write(files: Readonly<Record<string, string>>): void
  read(file: string): string
  has(file: string): boolean
  /** Rows of `slo-report/samples.csv`. */
  rows(file?: string): readonly Record<string, string>[]
  /** `vitest …args`, without colours. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Running
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished>
  /** The same where no file may grow over `kib` KiB: what a full disk does, without one. */
  runWithFileLimit(kib: number, args: readonly string[]): Promise<Finished>
}

export const CONFIG = `import { defineConfig } from 'vitest/config'
import { slo } from 'vitest-slo/config'
export default defineConfig({ plugins: [slo()] })
`

/** Nothing of this run's own environment that would change what a user's run does. */
function environment(extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([key]) => !/^(?:VITEST|SLO_|GITHUB_|CI$|TEST$|NODE_ENV$|FORCE_|npm_)/.test(key),
  )
  return { ...Object.fromEntries(kept), NO_COLOR: '1', ...extra }
}

function start(
  dir: string,
  args: readonly string[],
  extra: Readonly<Record<string, string>>,
  limitKib?: number,
): Running {
  const vitest = join(inject('workshop'), 'node_modules', 'vitest', 'vitest.mjs')
  const command = [process.execPath, vitest, ...args]
  const limited = ['bash', '-c', `ulimit -f ${limitKib}; exec "$@"`, 'bash', ...command]
  const [program = '', ...rest] = limitKib === undefined ? command : limited
  const child = spawn(program, rest, {
    cwd: dir,
    env: environment(extra),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  const watchers = new Set<() => void>()
  const more = (): void => {
    for (const watcher of watchers) watcher()
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    more()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    more()
  })
  const finished = new Promise<Finished>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr, output: `${stdout}\n${stderr}` }))
  })
  const sees = (what: string | RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const text = `${stdout}\n${stderr}`
        if (typeof what === 'string' ? !text.includes(what) : !what.test(text)) return
        watchers.delete(look)
        resolve()
      }
      watchers.add(look)
      void finished.then((end) => reject(new Error(`ended without ${String(what)}:\n${end.output}`)))
      look()
    })
  return { child, finished, sees }
}

/** Makes a project of these files; `vitest.config.ts` has one line of set-up unless given. */
export function createProject(files: Readonly<Record<string, string>>): Project {
  const dir = mkdtempSync(join(inject('workshop'), 'my project '))
  const write = (more: Readonly<Record<string, string>>): void => {
    for (const [file, content] of Object.entries(more)) {
      const path = join(dir, file)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
    }
  }
  write({ 'package.json': '{"name":"mine","private":true,"type":"module"}', 'vitest.config.ts': CONFIG, ...files })
  return {
    dir,
    write,
    read: (file) => readFileSync(join(dir, file), 'utf8'),
    has: (file) => existsSync(join(dir, file)),
    rows: (file = 'slo-report/samples.csv') =>
      existsSync(join(dir, file)) ? parse(readFileSync(join(dir, file)), { columns: true }) : [],
    start: (args, env = {}) => start(dir, args, env),
    run: (args, env = {}) => start(dir, args, env).finished,
    runWithFileLimit: (kib, args) => start(dir, args, {}, kib).finished,
  }
}
