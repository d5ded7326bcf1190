import { parseArgs } from 'node:util'
import type { ParseArgsOptionsConfig } from 'node:util'
import { nearestWord } from '../budget/index.ts'
import { messageOf, SloError } from '../errors.ts'

/** A mistake on the command line: exit 2, and where to read on. */
export function usageError(command: string, message: string, hint?: string): SloError {
  return new SloError('USAGE', message, { hint: hint ?? `see: vitest-slo ${command} --help` })
}

/**
 * Options and words of a command.
 * @throws SloError `USAGE`
 */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  command: string,
  args: readonly string[],
  options: Options,
): ReturnType<typeof parseArgs<{ args: string[]; options: Options; allowPositionals: true; strict: true }>> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    const message = messageOf(error)
    const [, unknown] = /^Unknown option '(-[^']+)'/.exec(message) ?? []
    if (unknown === undefined) throw usageError(command, message.split('. ')[0] ?? '')
    const names = Object.keys(options)
    const nearest = nearestWord(unknown, names)
    const meant =
      nearest === undefined ? `there are --${[...names, 'help'].join(', --')}` : `did you mean --${nearest}?`
    throw usageError(command, `${command} has no option ${unknown}`, meant)
  }
}
