import { readFileSync } from 'node:fs'
import { nearestWord } from '../budget/index.ts'
import { SloError } from '../errors.ts'
import { SimulatorError } from '../simulator/errors.ts'
import type { Command, CommandIo } from './io.ts'

/** Loaded when they are called: `--help` answers at once. */
const COMMANDS: readonly { readonly name: string; readonly about: string; readonly load: () => Promise<Command> }[] = [
  {
    name: 'init',
    about: 'write a first spec, slo.yaml and a nightly workflow into this project',
    load: async () => (await import('./init.ts')).initCommand,
  },
  {
    name: 'plan',
    about: 'say what a run would ask, when, for how much; nothing is asked',
    load: async () => (await import('./plan.ts')).planCommand,
  },
  {
    name: 'report',
    about: 'judge CSVs again and write the reports',
    load: async () => (await import('./report.ts')).reportCommand,
  },
  {
    name: 'suggest',
    about: 'propose a slo.yaml from measured samples',
    load: async () => (await import('./suggest.ts')).suggestCommand,
  },
  {
    name: 'simulate',
    about: 'a provider to practise on, on a port',
    load: async () => (await import('./simulate.ts')).simulateCommand,
  },
]

function overview(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length))
  return `vitest-slo COMMAND [options]

${COMMANDS.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`).join('\n')}

Each has --help. Probes themselves are run by Vitest: vitest run --project slo

Example:
  vitest-slo plan
  vitest-slo report slo-report/samples.csv`
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}

function complain(io: CommandIo, message: string, hint: string | undefined): void {
  io.err(`${io.paintErr('red', 'vitest-slo:')} ${message}`)
  if (hint !== undefined) io.err(`  ${hint}`)
}

/**
 * The command line. Mistakes of the user are printed with the way out.
 * @returns the exit code; 2 for wrong usage or unreadable input
 */
export async function main(args: readonly string[], io: CommandIo): Promise<number> {
  const [name, ...rest] = args
  if (name === '--version' || name === '-v') {
    io.out(version())
    return 0
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    io.out(overview())
    return 0
  }
  if (name === undefined) {
    io.err(overview())
    return 2
  }
  const found = COMMANDS.find((each) => each.name === name)
  if (found === undefined) {
    const names = COMMANDS.map((each) => each.name)
    const nearest = nearestWord(name, names)
    complain(
      io,
      `there is no command ${JSON.stringify(name)}`,
      nearest === undefined ? `there are ${names.join(', ')}` : `did you mean ${nearest}?`,
    )
    return 2
  }
  const command = await found.load()
  if (rest.includes('--help') || rest.includes('-h')) {
    io.out(command.help.trimEnd())
    return 0
  }
  try {
    return await command.run(rest, io)
  } catch (error) {
    if (!(error instanceof SloError) && !(error instanceof SimulatorError)) throw error
    complain(io, error.message, error.hint)
    return 2
  }
}
