import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process that holds a lock, told apart from a later one with the same pid. */
export interface ProcessIdentity {
  readonly host: string
  /** Within which pids mean the same: boot and pid namespace on Linux, so that two containers of one name are two; else empty. */
  readonly scope: string
  readonly pid: number
  /** When it started, in the system's own notation; `null` where nobody can tell. */
  readonly started: string | null
}

function attempt<Value>(read: () => Value): Value | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** State and start time (clock ticks since boot) in `/proc/PID/stat`, behind the name, which may hold anything. Source: proc(5). */
function linuxStat(pid: number): { readonly state: string; readonly started: string } | null {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, started] = [fields?.[0], fields?.[19]]
  return state === undefined || started === undefined ? null : { state, started }
}

function psStart(pid: number): string | null {
  const text = attempt(() =>
    execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 5000,
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    }).trim(),
  )
  return text === '' ? null : text
}

function startOf(pid: number): string | null {
  return process.platform === 'linux' ? (linuxStat(pid)?.started ?? null) : psStart(pid)
}

function scope(): string {
  if (process.platform !== 'linux') return ''
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? ''
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid')) ?? ''
  return `${boot} ${namespace}`
}

/** This process. */
export function ownIdentity(): ProcessIdentity {
  return { host: hostname(), scope: scope(), pid: process.pid, started: startOf(process.pid) }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Whether a process runs: `null` where that cannot be told from here (another host, another container, no start time known). */
export function isRunning(other: ProcessIdentity, own: ProcessIdentity): boolean | null {
  if (other.host !== own.host || other.scope !== own.scope) return null
  if (!exists(other.pid)) return false
  // A zombie has a pid and will never write again.
  if (process.platform === 'linux' && linuxStat(other.pid)?.state === 'Z') return false
  const started = startOf(other.pid)
  return started === null || other.started === null ? null : started === other.started
}
