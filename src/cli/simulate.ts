import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadProfile, profileNames, startSimulator } from '../simulator/index.ts'
import { readArguments, usageError } from './arguments.ts'
import type { Command, CommandIo } from './io.ts'

const HELP = `vitest-slo simulate [options]

A provider to practise on: streaming /v1/chat/completions on 127.0.0.1, real
HTTP, drawn from the profile of a model. Runs until Ctrl+C. For your own client,
or to see what budgets say of a slow or failing provider.

  --port N         default 4010; 0: any free port
  --profile NAME   what every model behaves like: a name (--list) or a profile's
                   file, as ./mine.json; without it a model of that name behaves
                   like itself, any other like "default"
  --seed N         the same seed draws the same answers (default 1)
  --time-scale N   answers N times faster, 1 to 10000 (default 1)
  --list           names of the profiles
  --help

A request's headers x-slo-time-scale, x-slo-profile and x-slo-seed go before
these options; x-slo-fault: http-529 (or slo_fault in the body) makes a failure,
docs/failures.md lists them.

Example:
  vitest-slo simulate --port 4010 --profile deepseek-3.2
  curl -N http://127.0.0.1:4010/v1/chat/completions \\
    -H 'content-type: application/json' \\
    -d '{"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}]}'
`

function whole(option: string, text: string | undefined, [least, most]: readonly [number, number]): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value
  throw usageError('simulate', `--${option} ${text} is no whole number from ${least} to ${most}`)
}

/** A folder in which every name leads to one profile. */
async function onlyProfile(nameOrPath: string): Promise<string> {
  loadProfile(nameOrPath)
  const dir = await mkdtemp(join(tmpdir(), 'vitest-slo-profiles-'))
  const isPath = /[/\\]|\.json$/.test(nameOrPath)
  const source = isPath
    ? nameOrPath
    : fileURLToPath(new URL(`../../fixtures/profiles/${nameOrPath}.json`, import.meta.url))
  await cp(source, join(dir, 'default.json'))
  return dir
}

/** Waits for Ctrl+C from now on, even while the simulator starts; `giveUp` lets the process end without. */
function interruption(): { readonly come: Promise<void>; readonly giveUp: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  // the simulator's process does not keep this one alive
  const hold = setInterval(() => undefined, 60_000)
  const giveUp = (): void => {
    clearInterval(hold)
    resolve()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, giveUp)
  return { come: promise, giveUp }
}

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = readArguments('simulate', args, {
    port: { type: 'string' },
    profile: { type: 'string' },
    seed: { type: 'string' },
    'time-scale': { type: 'string' },
    list: { type: 'boolean' },
  })
  if (positionals.length > 0) throw usageError('simulate', `what is ${positionals.join(' ')}?`)
  if (values.list === true) {
    for (const name of profileNames()) io.out(name)
    return 0
  }
  const port = whole('port', values.port, [0, 65_535]) ?? 4010
  const seed = whole('seed', values.seed, [0, Number.MAX_SAFE_INTEGER]) ?? 1
  const timeScale = whole('time-scale', values['time-scale'], [1, 10_000]) ?? 1
  const profilesDir = values.profile === undefined ? undefined : await onlyProfile(values.profile)
  const { come, giveUp } = interruption()
  try {
    const simulator = await startSimulator({ port, seed, profilesDir, timeScale })
    const profile = `profile ${values.profile ?? 'by model name, else default'}`
    const scale = timeScale === 1 ? '' : `; ${timeScale} times faster`
    io.out(`SIMULATED provider on ${simulator.url}/v1 (base URL); ${profile}${scale}; Ctrl+C ends it`)
    await come
    await simulator.stop()
  } finally {
    giveUp()
    if (profilesDir !== undefined) await rm(profilesDir, { recursive: true, force: true })
  }
  return 0
}

/** `vitest-slo simulate`. */
export const simulateCommand: Command = { name: 'simulate', about: 'a provider to practise on', help: HELP, run }
